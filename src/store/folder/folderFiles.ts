/** The data files of a folder, by its record if it has one, and other files. */
import { readdir } from 'node:fs/promises';
import { dataFilesAmong, listDataFiles, type DataFile } from './dataFolder.js';
import { foreignMark } from './record/folderMark.js';
import type { FolderRecord } from './record/folderRecord.js';
import { isKnownFile, isKnownFolder } from './knownFiles.js';

/** The existing ones: the shards in order, then the directory. */
export async function listOwnFiles(folder: string, record: FolderRecord | null): Promise<DataFile[]> {
  const files = await listDataFiles(folder);
  return record === null ? files : files.filter(({ name }) => record.files.includes(name));
}

export function findMissing(record: FolderRecord | null, files: readonly DataFile[]): string[] {
  const found = new Set(files.map(({ name }) => name));
  return (record?.files ?? []).filter((name) => !found.has(name)).map((name) => `${name} is missing`);
}

interface Marked {
  readonly name: string;
  readonly mark: string | null;
}

/** Without a record the files only need to agree. */
export function findMarkProblems(record: FolderRecord | null, files: readonly Marked[]): string[] {
  const id = record?.id ?? files.find(({ mark }) => mark !== null)?.mark;
  return files.flatMap(({ name, mark }) => {
    const isAllowed = mark === id || (mark === null && (record === null || record.unmarked.includes(name)));
    return isAllowed ? [] : [`${name} ${foreignMark(mark)}`];
  });
}

/** Files in the folder that are not its own. */
export async function findForeignFiles(folder: string, own: readonly DataFile[]): Promise<string[]> {
  const names = new Set(own.map(({ name }) => name));
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => (entry.isDirectory() ? !isKnownFolder(entry.name) : !isOwn(entry.name, names)))
    .map(({ name }) => `${name} is not part of the data`);
}

/** A data file and its companions count only if they belong to this folder. */
function isOwn(name: string, own: ReadonlySet<string>): boolean {
  if (!isKnownFile(name)) return false;
  const [file] = dataFilesAmong([name.replace(/(\.sqlite|\.lock)(-\w+)?$/, '.sqlite')]);
  return file === undefined || own.has(file.name);
}
