/** A snapshot becomes the data file of a copy. */
import { linkSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, InUse } from '../../domain/errors.js';
import type { LogIdentity } from '../../domain/ports/partitionLog.js';
import { currentSchema, lockOf, openBesideOwner, readPlace, type FileKind } from '../folder/dataFolder.js';
import { writeMark } from '../folder/record/folderMark.js';
import { flush } from '../folder/record/folderRecord.js';
import { fetchedFile, supersededFile } from '../folder/snapshotFiles.js';
import { acquireLock } from '../sqlite/lock.js';
import { stateOf } from './copyFile.js';

/** What the file must be. */
export interface AnnouncedFile {
  readonly kind: FileKind;
  /** Null for the directory. */
  readonly place: { readonly shard: number; readonly shards: number } | null;
  readonly identity: LogIdentity;
  readonly applied: number;
  readonly chain: string;
  readonly term: number;
  readonly commits: number;
}

/** Throws if the fetched file is damaged or not what was announced. Then marks it as a file of the folder, on disk. */
export function adoptFetched(file: string, folder: string, announced: AnnouncedFile): void {
  const { kind, place } = announced;
  const path = fetchedFile(file);
  const db = openBesideOwner(path);
  try {
    const found = db.pragma('quick_check', { simple: true });
    if (found !== 'ok') throw new Error(`it is damaged: ${String(found)}`);
    const { schema, commits, followed } = stateOf(db, kind);
    if (schema > currentSchema(kind)) throw new Error(`it has schema ${schema}, of a newer program; this one knows schema ${currentSchema(kind)}`);
    const { applied, chain, term } = followed.position;
    const { identity } = followed;
    const actual = { ...identity, applied, chain, term, commits };
    const expected = { ...announced.identity, applied: announced.applied, chain: announced.chain, term: announced.term, commits: announced.commits };
    for (const [what, value] of Object.entries(expected)) {
      const has = actual[what as keyof typeof actual];
      if (has !== value) throw new Error(`its ${what} is ${has} instead of ${value}`);
    }
    const foundPlace = place === null ? null : readPlace(path, db);
    if (foundPlace?.shard !== place?.shard || foundPlace?.shards !== place?.shards) {
      throw new Error(`it is shard ${foundPlace?.shard} of ${foundPlace?.shards} instead of ${place?.shard} of ${place?.shards}`);
    }
    writeMark(db, kind, folder);
  } finally {
    db.close();
  }
  flush(path);
}

/** The file was closed. `superseded`: the generation of the old file, which is then kept under another name. */
export function installFetched(file: string, superseded: number | null): void {
  const lock = acquireLock(lockOf(file));
  if (lock === 'held') throw new InUse(`${file} is in use by another process`);
  try {
    const db = openBesideOwner(file);
    try {
      // The write-ahead log of the old file would be applied to the new one. Refused while a backup reads it.
      const mode = db.pragma('journal_mode = delete', { simple: true });
      if (mode !== 'delete') throw new AppError('unavailable', `${file} is being read, and cannot be replaced yet`);
    } finally {
      db.close();
    }
    if (superseded !== null) {
      const kept = supersededFile(file, superseded);
      rmSync(kept, { force: true });
      linkSync(file, kept);
    }
    renameSync(fetchedFile(file), file);
    flush(dirname(file));
  } finally {
    lock.release();
  }
}
