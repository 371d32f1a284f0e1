/**
 * Event numbers mean one thing for ever. Where the end of a history may be lost, its numbers would be issued again for
 * other events; so the boards of the file get a new epoch, and whoever knows them from before reads them anew.
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

export function setEpoch(db: Database, epoch: string): void {
  db.prepare<[string]>('UPDATE board SET epoch = ?').run(epoch);
}

/**
 * When a file is opened. Answers whether commits of the run before may be lost: it ended without a clean close, and they
 * were not flushed one by one, see `DURABILITY`.
 */
export function beginRun(db: Database, durability: Durability): boolean {
  const running = db.prepare<[], Durability | null>('SELECT running FROM place').pluck().get();
  setRunning(db, durability);
  return running === 'normal';
}

/** After the last commit. Where it cannot be written, the next run takes the close for an unclean one. */
export function endRun(db: Database): void {
  setRunning(db, null);
}

function setRunning(db: Database, running: Durability | null): void {
  db.prepare<[Durability | null]>('UPDATE place SET running = ?').run(running);
}
