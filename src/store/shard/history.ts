/**
 * Event numbers mean one thing for ever. Where the end of a history may be lost, its numbers would be issued again for
 * other events. The boards of the file then get a new epoch, and clients that know an earlier one read them again.
 */
import { randomInt } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Durability } from '../sqlite/database.js';

/** Eight digits of base 36. */
const EPOCHS = 36 ** 8;

/** At random: two restores of one backup must differ. */
export function newEpoch(): string {
  return randomInt(1, EPOCHS).toString(36);
}

/** The commit numbers of the file begin a new history too: a log of the old one must not be applied to it. */
export function setEpoch(db: Database, epoch: string): void {
  db.prepare<[string]>('UPDATE board SET epoch = ?').run(epoch);
  // A copy that is put right before it is opened may have an earlier schema.
  const keepsTrash = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'trashed_board'`).get() !== undefined;
  if (keepsTrash) db.prepare<[string]>(`UPDATE trashed_board SET content = json_set(content, '$.epoch', ?)`).run(epoch);
  db.prepare<[string]>('UPDATE place SET history = ?').run(epoch);
}

export function historyOf(db: Database): string {
  return db.prepare<[], string>('SELECT history FROM place').pluck().get() ?? '';
}

/** Whether the run before ended without a clean close, and its last commits were not flushed: see `DURABILITY`. */
export function mayHaveLostCommits(db: Database): boolean {
  return db.prepare<[], Durability | null>('SELECT running FROM place').pluck().get() === 'normal';
}

/** After the history was cut where it had to be: a crash in between must leave the mark of the run before. */
export function beginRun(db: Database, durability: Durability): void {
  setRunning(db, durability);
}

/** After the last commit. Where it cannot be written, the next run takes the close for an unclean one. */
export function endRun(db: Database): void {
  setRunning(db, null);
}

function setRunning(db: Database, running: Durability | null): void {
  db.prepare<[Durability | null]>('UPDATE place SET running = ?').run(running);
}
