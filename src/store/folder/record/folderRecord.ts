/**
 * The record of a data folder: its id and its data files. Without it a missing file could not be distinguished from one
 * that never existed, nor a file of another folder from one of this.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { AppError } from '../../../domain/errors.js';
import { kindOf } from '../dataFolder.js';
import { makePrivate, PRIVATE_FILE } from '../privateFile.js';

export const RECORD_FILE = 'folder.json';

/** Raised if an older program could not follow the record. */
const FORMAT = 1;

// Only names of data files, so that they cannot point outside the folder.
const names = v.array(
  v.pipe(
    v.string(),
    v.check((name) => kindOf(name) !== null),
  ),
);

const RecordSchema = v.object({
  format: v.literal(FORMAT),
  /** Random. Every file of the folder carries it too. */
  id: v.pipe(v.string(), v.uuid()),
  /** Null while there is only the directory: users can be created before the first start of the service. */
  shards: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))),
  /** A file is listed once it is complete on disk. */
  files: names,
  /** Files that an older instance held when the folder was adopted. Their next owner marks them. */
  unmarked: names,
});

export type FolderRecord = v.InferOutput<typeof RecordSchema>;

export function newRecord(id: string = randomUUID()): FolderRecord {
  return { format: FORMAT, id, shards: null, files: [], unmarked: [] };
}

/** Null if the folder has none: it is new, of an older program, or of files restored one by one. */
export function readRecord(folder: string): FolderRecord | null {
  const file = join(folder, RECORD_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const parsed = v.safeParse(RecordSchema, parseJson(text));
  if (parsed.success) return parsed.output;
  throw new AppError(
    'invalid',
    `${file} is damaged, or written by a newer version of this program. ` +
      'If it is damaged, remove it: the next start rebuilds it from the data files.',
  );
}

/** On disk when this returns; a reader sees the old record or the new one. */
export function writeRecord(folder: string, record: FolderRecord): void {
  const file = join(folder, RECORD_FILE);
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, 'wx', PRIVATE_FILE);
  try {
    writeFileSync(descriptor, `${JSON.stringify(record, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  makePrivate(unfinished);
  renameSync(unfinished, file);
  flush(folder);
}

/** For a folder: the names in it. */
export function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
