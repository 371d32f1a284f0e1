/** The data files of a folder, their place in it, and whether they are complete. */
import { readdir } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import { packagePath } from '../../paths.js';
import { latestVersion } from '../sqlite/migrations.js';
import { Sqlite } from '../sqlite/sqlite.js';

export type FileKind = 'directory' | 'shard';

export interface DataFile {
  readonly name: string;
  readonly kind: FileKind;
}

/** The shard number and the number of shards, as stored in a shard's file. */
export interface ShardPlace {
  readonly name: string;
  readonly shard: number;
  readonly shards: number;
}

export const DIRECTORY_FILE = 'directory.sqlite';
const SHARD_FILE = /^shard-(\d{2,})\.sqlite$/;

/** The owner may be starting or stopping, which locks the file briefly. */
const BUSY_TIMEOUT_MS = 5_000;

export function shardFile(shard: number): string {
  return `shard-${String(shard).padStart(2, '0')}.sqlite`;
}

/** The lock file of a data file. */
export function lockOf(file: string): string {
  return file.replace(/\.sqlite$/, '.lock');
}

/** Null if it is not a data file. */
export function kindOf(name: string): FileKind | null {
  if (name === DIRECTORY_FILE) return 'directory';
  return SHARD_FILE.test(name) ? 'shard' : null;
}

/** The shards in order, then the directory. Empty if there is no such folder. */
export async function listDataFiles(folder: string): Promise<DataFile[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return dataFilesAmong(names);
}

/** The shards in order, then the directory. */
export function dataFilesAmong(names: readonly string[]): DataFile[] {
  const files = names.flatMap((name): DataFile[] => {
    const kind = kindOf(name);
    return kind === null ? [] : [{ name, kind }];
  });
  return files.sort((a, b) => orderOf(a) - orderOf(b));
}

/** Opens a file beside its owner, if any: a reader sees the state of one commit and blocks nothing. */
export function openBesideOwner(file: string): Database.Database {
  return new Sqlite(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

export function schemaOf(db: Database.Database): number {
  return db.prepare<[], number>('SELECT coalesce(max(version), 0) FROM schema_version').pluck().get() ?? 0;
}

/** The schema version that this program gives to every file it opens. */
export function currentSchema(kind: FileKind): number {
  return latestVersion(packagePath('schema', kind));
}

export function readPlace(name: string, db: Database.Database): ShardPlace | null {
  const place = db.prepare<[], Omit<ShardPlace, 'name'>>('SELECT shard, shards FROM place').get();
  return place === undefined ? null : { name, ...place };
}

/** No shards at all are complete too: users can be created before the first start of the service. */
export function findPlaceProblems(places: readonly ShardPlace[]): string[] {
  const problems: string[] = [];
  const [first] = places;
  if (first === undefined) return problems;
  for (const { name, shard, shards } of places) {
    if (numberOf(name) !== shard) problems.push(`${name} is marked as shard ${shard}: was it renamed?`);
    if (shards !== first.shards) {
      problems.push(`${name} belongs to a folder of ${shards} shards, and ${first.name} to one of ${first.shards}`);
    }
  }
  const found = new Set(places.map(({ shard }) => shard));
  let missing = 0;
  while (found.has(missing)) missing += 1;
  if (missing < first.shards) {
    problems.push(`only ${found.size} of ${first.shards} shards exist, and shard ${missing} is missing`);
  }
  return problems;
}

export function refuseProblems(problems: readonly string[], heading: string): void {
  if (problems.length === 0) return;
  throw new AppError('invalid', [heading, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
}

export function numberOf(name: string): number {
  return Number(SHARD_FILE.exec(name)?.[1]);
}

function orderOf({ name, kind }: DataFile): number {
  return kind === 'directory' ? Infinity : numberOf(name);
}
