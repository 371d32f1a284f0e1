/** Decides whether the files of a folder are complete, by its record or by the files themselves, and what to create. */
import { DIRECTORY_FILE, numberOf, shardFile, type DataFile } from '../dataFolder.js';
import { inspectFile, shardsInDirectory, type InspectedFile } from '../inspectFile.js';
import { foreignMark } from './folderMark.js';
import { newRecord, type FolderRecord } from './folderRecord.js';

export interface FolderPlan {
  /** Problems that prevent the use of the folder. Nothing may then be created or changed. */
  readonly problems: readonly string[];
  readonly id: string;
  readonly shards: number | null;
  /** All files of the folder, the directory first. */
  readonly files: readonly InspectedFile[];
}

/** `shards`: from the settings; null for a command that needs no boards and leaves the number open. */
export function planFolder(folder: string, found: readonly DataFile[], record: FolderRecord | null, shards: number | null): FolderPlan {
  return record === null ? adopt(folder, found, shards) : follow(folder, record, shards);
}

function follow(folder: string, record: FolderRecord, wanted: number | null): FolderPlan {
  const shards = record.shards ?? wanted;
  if (wanted !== null && shards !== wanted && shards !== null) {
    return { problems: [otherNumber(folder, shards, wanted)], id: record.id, shards, files: [] };
  }
  const files = filesOf(shards).map((file) => inspectFile(folder, file));
  const problems = files.flatMap((file) => {
    if (file.state === 'unusable') return [file.problem];
    if (!record.files.includes(file.name)) {
      const isOurs = file.state !== 'filled' || file.mark === record.id;
      return isOurs ? [] : [`${file.name} is not among the files in folder.json, and ${foreignMark(file.mark)}`];
    }
    if (file.state !== 'filled') {
      return [`${file.name} is ${file.state === 'empty' ? 'empty' : 'missing'}: put it back, or restore a backup`];
    }
    const isMarked = file.mark === record.id || (file.mark === null && record.unmarked.includes(file.name));
    return isMarked ? misplaced(file, shards) : [`${file.name} ${foreignMark(file.mark)}`];
  });
  return { problems, id: record.id, shards, files };
}

/** A folder of an older program, of files restored one by one, or of a start that was killed. */
function adopt(folder: string, found: readonly DataFile[], wanted: number | null): FolderPlan {
  const inspected = found.map((file) => inspectFile(folder, file));
  const shards = wanted ?? inspected.find(({ place }) => place !== null)?.place?.shards ?? null;
  const files = filesOf(shards).map((file) => {
    return inspected.find(({ name }) => name === file.name) ?? inspectFile(folder, file);
  });
  const others = inspected.filter(({ name }) => !files.some((file) => file.name === name));
  const unusable = files.filter(({ state }) => state === 'unusable').map(({ problem }) => problem);
  const stray = files.find(({ place }) => place !== null && place.shards !== shards);
  const wrongNumber = stray?.place && shards !== null ? [otherNumber(stray.name, stray.place.shards, shards)] : [];
  const problems = [
    ...unusable,
    ...(wrongNumber.length > 0 ? wrongNumber : files.flatMap((file) => misplaced(file, shards))),
    ...others.filter(({ hadBoards }) => hadBoards).map(({ name }) => `${name} contains boards, but is not one of the shards`),
    ...differentMarks(files),
    ...(unusable.length + wrongNumber.length === 0 ? unexplained(folder, files, shards) : []),
  ];
  const mark = files.find((file) => file.mark !== null)?.mark ?? newRecord().id;
  return { problems, id: mark, shards, files };
}

/** A file may be missing if the others know of no data in it: the first start may have been killed. */
function unexplained(folder: string, files: readonly InspectedFile[], shards: number | null): string[] {
  const isGone = ({ state }: InspectedFile): boolean => state === 'missing' || state === 'empty';
  const directory = files.find(({ kind }) => kind === 'directory');
  if (directory === undefined || isGone(directory)) {
    const holder = files.find(({ hadBoards }) => hadBoards);
    return holder === undefined ? [] : [`${DIRECTORY_FILE} is missing, but ${holder.name} has had boards`];
  }
  const gone = files.filter((file) => file.kind === 'shard' && isGone(file));
  if (gone.length === 0 || shards === null) return [];
  const expected = shardsInDirectory(folder, directory, shards);
  return gone
    .filter(({ name }) => expected.has(numberOf(name)))
    .map(({ name, state }) => `${name} is ${state}, but the directory lists boards in it`);
}

function differentMarks(files: readonly InspectedFile[]): string[] {
  const [first, ...rest] = files.filter(({ mark }) => mark !== null);
  return rest.filter(({ mark }) => mark !== first?.mark).map(({ name }) => `${name} and ${first?.name} belong to different data folders`);
}

function misplaced({ name, place }: InspectedFile, shards: number | null): string[] {
  if (place === null) return [];
  if (place.shard !== numberOf(name)) return [`${name} is marked as shard ${place.shard}: was it renamed?`];
  return place.shards === shards ? [] : [`${name} belongs to a data folder of ${place.shards} shards, not ${shards}`];
}

function otherNumber(what: string, has: number, wanted: number): string {
  return `${what} belongs to a data folder of ${has} shards. That number cannot change any more: set SHARDS=${has} instead of ${wanted}.`;
}

function filesOf(shards: number | null): DataFile[] {
  const names = Array.from({ length: shards ?? 0 }, (_, shard) => shardFile(shard));
  return [{ name: DIRECTORY_FILE, kind: 'directory' }, ...names.map((name): DataFile => ({ name, kind: 'shard' }))];
}
