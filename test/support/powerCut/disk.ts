/**
 * A model of a disk: takes the records of a trace one after another and shows the folder as a power cut would leave it.
 *
 * - A flush of a file makes its content and size durable, as of the beginning of the flush and when it has ended.
 * - Of content and sizes that are not flushed any part may be there, in any order: see `RecordedFile`. That includes a
 *   new size without the content, and old content behind a truncation, which journaling file systems prevent.
 * - A flush of a file or folder also makes the name durable under which it was created. POSIX does not promise this;
 *   ext4, XFS and btrfs do it.
 * - A flush of a folder makes every creation, renaming, linking and removal of names in it durable. Without it each may
 *   be there or not, a renaming as a whole.
 */
import { dirname } from 'node:path/posix';
import type { Fate } from './fate.js';
import { RecordedFile, type Losses } from './recordedFile.js';
import type { TraceRecord } from './trace.js';

type Entry = RecordedFile | 'folder';

interface NameChange {
  readonly step: number;
  readonly inode: number;
  readonly entry: Entry;
  readonly kind: 'created' | 'moved' | 'linked' | 'removed';
  /** The name that goes, and the name that comes. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface CutFolder {
  /** By path: the content of files, null for folders. Every path comes after its folder. */
  readonly entries: ReadonlyMap<string, Buffer | null>;
  readonly content: Losses;
  readonly droppedNames: number;
}

export class RecordedDisk {
  readonly #inodes = new Map<number, Entry>();
  readonly #folders = new Map<number, string>();
  readonly #names = new Map<string, Entry>();
  readonly #flushedNames = new Map<string, Entry>();
  #unflushedNames: NameChange[] = [];
  readonly #flushes = new Map<bigint, number>();
  #step = 0;

  apply(record: TraceRecord): void {
    this.#step += 1;
    const step = this.#step;
    switch (record.kind) {
      case 'file':
      case 'folder':
        return this.#create(record.inode, record.path, record.kind === 'file' ? new RecordedFile() : 'folder');
      case 'open':
        this.#entry(record.inode);
        return;
      case 'write':
        return this.#file(record.inode).write(step, record.at, record.content);
      case 'resize':
        return this.#file(record.inode).resize(step, record.size);
      case 'rename':
        return this.#change({ inode: record.inode, kind: 'moved', from: record.from, to: record.to });
      case 'link':
        return this.#change({ inode: record.inode, kind: 'linked', from: null, to: record.to });
      case 'remove':
        return this.#remove(record.path);
      case 'flush began':
        this.#flushes.set(record.flush, step);
        return;
      case 'flush ended':
        return this.#flush(record.inode, this.#flushes.get(record.flush) ?? 0);
    }
  }

  /** Changes nothing: the disk can go on from here. */
  afterCut(fate: Fate): CutFolder {
    const names = new Map(this.#flushedNames);
    let droppedNames = 0;
    for (const change of this.#unflushedNames) {
      if (fate.keepsName()) rename(names, change);
      else droppedNames += 1;
    }
    const content = { kept: 0, torn: 0, dropped: 0 };
    const files = new Map<RecordedFile, Buffer>();
    const entries = new Map<string, Buffer | null>();
    for (const [path, entry] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const folder = folderOf(path);
      if (folder !== '' && !entries.has(folder)) continue;
      if (entry === 'folder') {
        entries.set(path, null);
        continue;
      }
      // Two names of one file show the same.
      const bytes = files.get(entry) ?? entry.afterCut(fate.ofFile(), content);
      files.set(entry, bytes);
      entries.set(path, bytes);
    }
    return { entries, content, droppedNames };
  }

  #create(inode: number, path: string, entry: Entry): void {
    this.#inodes.set(inode, entry);
    // A number is used again only when the file that had it is gone.
    this.#folders.delete(inode);
    if (entry === 'folder') this.#folders.set(inode, path);
    // The recorded folder itself is there.
    if (path !== '') this.#change({ inode, kind: 'created', from: null, to: path });
  }

  #remove(path: string): void {
    const entry = this.#names.get(path);
    if (entry === undefined) throw new Error(`${path} was removed, but its creation was not recorded`);
    this.#note({ step: this.#step, inode: 0, entry, kind: 'removed', from: path, to: null });
  }

  #change(change: Omit<NameChange, 'step' | 'entry'>): void {
    this.#note({ ...change, step: this.#step, entry: this.#entry(change.inode) });
  }

  #note(change: NameChange): void {
    rename(this.#names, change);
    this.#unflushedNames.push(change);
  }

  #flush(inode: number, step: number): void {
    const entry = this.#entry(inode);
    if (entry !== 'folder') entry.flush(step);
    const folder = this.#folders.get(inode);
    const isFlushed = (change: NameChange): boolean =>
      (change.kind === 'created' && change.inode === inode && change.entry === entry) ||
      (folder !== undefined && namesOf(change).some((name) => folderOf(name) === folder));
    // A change of a name is not on disk without the earlier ones of that name.
    const flushed = new Set<NameChange>();
    const names = new Set<string>();
    for (const change of this.#unflushedNames.toReversed()) {
      if (change.step >= step) continue;
      if (!isFlushed(change) && !namesOf(change).some((name) => names.has(name))) continue;
      flushed.add(change);
      for (const name of namesOf(change)) names.add(name);
    }
    for (const change of this.#unflushedNames) {
      if (flushed.has(change)) rename(this.#flushedNames, change);
    }
    this.#unflushedNames = this.#unflushedNames.filter((change) => !flushed.has(change));
  }

  #entry(inode: number): Entry {
    const entry = this.#inodes.get(inode);
    if (entry === undefined) throw new Error('a file was used whose creation was not recorded');
    return entry;
  }

  #file(inode: number): RecordedFile {
    const entry = this.#entry(inode);
    if (entry === 'folder') throw new Error('a folder was written to');
    return entry;
  }
}

function rename(names: Map<string, Entry>, { from, to, entry }: NameChange): void {
  if (from !== null) names.delete(from);
  if (to !== null) names.set(to, entry);
}

function namesOf({ from, to }: NameChange): string[] {
  return [from, to].filter((name) => name !== null);
}

/** Empty for the recorded folder itself. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}
