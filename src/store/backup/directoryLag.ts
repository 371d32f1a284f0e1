/**
 * The files of a cluster's machine follow their logs independently, so the directory may lack a user whom a board, copied
 * before it, has as a member. Deleted users are remembered, so a missing one is still to come.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { DIRECTORY_FILE, openBesideOwner, type DataFile } from '../folder/dataFolder.js';

/** A running instance follows within milliseconds; one that is stopped never does. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 100;

/** Copies the directory again until it has every member of the copied boards. */
export async function untilDirectoryHasUsers(
  folder: string,
  files: readonly DataFile[],
  copyAgain: (directory: DataFile) => void,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const directory = files.find(({ kind }) => kind === 'directory');
  if (directory === undefined) return;
  const members = membersOf(folder, files);
  for (const end = performance.now() + patienceMs; !hasUsers(folder, members); copyAgain(directory)) {
    if (performance.now() >= end) {
      throw new AppError('unavailable', `${DIRECTORY_FILE} is behind the boards. Start the service, so that it catches up, and try again.`);
    }
    await pause(RETRY_MS);
  }
}

function membersOf(folder: string, files: readonly DataFile[]): Set<Uuid> {
  const members = new Set<Uuid>();
  for (const { name, kind } of files) {
    if (kind !== 'shard') continue;
    const shard = openBesideOwner(join(folder, name));
    try {
      for (const id of shard.prepare<[], Uuid>('SELECT DISTINCT id FROM member').pluck().iterate()) members.add(id);
    } finally {
      shard.close();
    }
  }
  return members;
}

function hasUsers(folder: string, members: ReadonlySet<Uuid>): boolean {
  const directory = openBesideOwner(join(folder, DIRECTORY_FILE));
  try {
    const find = directory.prepare<[{ id: Uuid }]>('SELECT 1 FROM user WHERE id = @id UNION ALL SELECT 1 FROM deleted_user WHERE id = @id');
    return [...members].every((id) => find.get({ id }) !== undefined);
  } finally {
    directory.close();
  }
}
