/**
 * The audit log as a file of JSON lines. When it is full it is renamed, and the oldest of the renamed files goes. Several
 * instances may share the folder: each line is appended by one write, and a file that another instance has just renamed
 * still takes the lines of a write that has begun.
 */
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RetriedWork } from './retriedWork.js';

export interface AuditFileOptions {
  readonly path: string;
  /** A file that has reached this size gets no further lines. */
  readonly maxBytes: number;
  /** Including the current one. */
  readonly maxFiles: number;
  /** Called when writing begins to fail, and when it succeeds again. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovery: (lostLines: number) => void;
}

/** Lines that wait for a disk that takes none. About 4 MB. */
const MAX_WAITING_LINES = 10_000;
const RETRY_MS = 1_000;
/** Lines in one write. */
const BATCH_LINES = 500;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const ROTATED = /^audit-[0-9TZ.-]+\.log$/;

export class AuditFile {
  readonly #options: AuditFileOptions;
  readonly #waiting: string[] = [];
  readonly #writing = new RetriedWork(() => this.#writeAll(), RETRY_MS);
  #isFailing = false;
  /** A failed write may have left the beginning of a line. */
  #isTorn = false;
  #lost = 0;
  #lostBefore = 0;

  constructor(options: AuditFileOptions) {
    this.#options = options;
  }

  get isWritable(): boolean {
    return !this.#isFailing;
  }

  /** Lines that were not written, because too many were waiting. */
  get lostLines(): number {
    return this.#lost;
  }

  write(value: unknown): void {
    if (this.#waiting.length >= MAX_WAITING_LINES) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(`${JSON.stringify(value)}\n`);
    this.#writing.start();
  }

  /** Writes what waits, unless that fails. */
  close(): Promise<void> {
    return this.#writing.close();
  }

  async #writeAll(): Promise<'finished' | 'later'> {
    try {
      while (this.#waiting.length > 0) {
        await this.#append(this.#batchFor(await this.#makeRoom()));
        this.#recover();
      }
      return 'finished';
    } catch (error) {
      this.#fail(error);
      return 'later';
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { path } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    const file = await open(path, 'a', PRIVATE_FILE);
    try {
      if (this.#isTorn) await file.write('\n');
      this.#isTorn = false;
      await this.#appendTo(file, lines);
    } finally {
      await file.close();
    }
  }

  /** What was written waits no longer, also if the rest fails. */
  async #appendTo(file: FileHandle, lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.join(''));
    let written = 0;
    try {
      while (written < bytes.length) written += (await file.write(bytes, written)).bytesWritten;
    } finally {
      let rest = written;
      for (const line of lines) {
        const size = Buffer.byteLength(line);
        if (size > rest) break;
        rest -= size;
        this.#waiting.shift();
      }
      this.#isTorn = rest > 0;
    }
  }

  /** The first lines that fit into the file, and at least one. */
  #batchFor(room: number): string[] {
    let bytes = 0;
    const isFull = (line: string): boolean => (bytes += Buffer.byteLength(line)) > room;
    const end = this.#waiting.slice(0, BATCH_LINES).findIndex(isFull);
    return this.#waiting.slice(0, end === -1 ? BATCH_LINES : Math.max(1, end));
  }

  /** Begins a new file if the current one is full. Returns the bytes that are left. */
  async #makeRoom(): Promise<number> {
    const { path, maxBytes } = this.#options;
    const size = await sizeOf(path);
    if (size < maxBytes) return maxBytes - size;
    const time = new Date().toISOString().replaceAll(':', '-');
    try {
      await rename(path, await this.#freeName(time));
    } catch (error) {
      // Another instance was faster.
      if (!isAbsence(error)) throw error;
    }
    await this.#removeOldest();
    return maxBytes;
  }

  /** A rename would replace a file of the same name. */
  async #freeName(time: string): Promise<string> {
    const folder = dirname(this.#options.path);
    const names = new Set(await readdir(folder));
    let name = `audit-${time}.log`;
    for (let number = 1; names.has(name); number += 1) name = `audit-${time}-${number}.log`;
    return join(folder, name);
  }

  async #removeOldest(): Promise<void> {
    const folder = dirname(this.#options.path);
    const rotated = (await readdir(folder)).filter((name) => ROTATED.test(name)).sort();
    const excess = rotated.slice(0, Math.max(0, rotated.length + 1 - this.#options.maxFiles));
    for (const name of excess) await rm(join(folder, name), { force: true });
  }

  #fail(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#lostBefore = this.#lost;
    this.#options.onTrouble(error);
  }

  #recover(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onRecovery(this.#lost - this.#lostBefore);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isAbsence(error)) return 0;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
