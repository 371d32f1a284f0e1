/** The log files of a data folder. Each belongs to one thread of one run of the program. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockOf } from '../folder/dataFolder.js';

const LOG_FILE = /^log-[0-9a-f]{12}-\d+\.sqlite$/;

/** Of a new log: names are never used twice. */
export function newLogName(thread: number): string {
  return `log-${randomBytes(6).toString('hex')}-${thread}.sqlite`;
}

export function isLogFile(name: string): boolean {
  return LOG_FILE.test(name);
}

/** The names of all logs. None if there is no such folder. */
export function listLogs(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter(isLogFile).sort() : [];
}

/** The caller holds the lock, and every record of the log is in a flushed shard file. The lock goes last. */
export function removeLog(folder: string, name: string): void {
  const file = join(folder, name);
  for (const path of [file, `${file}-wal`, `${file}-shm`, lockOf(file)]) rmSync(path, { force: true });
}

/** Puts the names in the folder on disk. */
export function flushNames(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
