import type { Database } from 'better-sqlite3';
import { activityIn, type BoardEvent } from '../../domain/events.js';
import type { BoardKey } from '../../domain/ids.js';
import { eventChecksum } from './checksum.js';
import type { ShardJournal } from './shardJournal.js';
import type { UsedIds } from './usedIds.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** The kept events of every board: always the latest ones, without a gap. */
export class EventLog {
  readonly #journal: ShardJournal;
  readonly #usedIds: UsedIds;
  readonly #file: string;
  readonly #append;
  readonly #setSeq;
  readonly #since;
  readonly #oldest;
  readonly #latest;
  readonly #removeUpTo;
  readonly #older;
  readonly #beyond;
  readonly #some;

  constructor(db: Database, journal: ShardJournal, usedIds: UsedIds) {
    this.#journal = journal;
    this.#usedIds = usedIds;
    this.#file = db.name;
    this.#append = prepareWrite<[BoardKey, number, string, string, string, number]>(
      db,
      'INSERT INTO event (board_key, seq, at, type, json, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#setSeq = prepareWrite<[number, string | null, BoardKey]>(
      db,
      'UPDATE board SET seq = ?, active_at = coalesce(?, active_at) WHERE board_key = ?',
    );
    this.#since = prepareRead(() =>
      db.prepare<[BoardKey, number, number], BoardEvent>('SELECT seq, type, json FROM event WHERE board_key = ? AND seq > ? ORDER BY seq LIMIT ?'),
    );
    this.#oldest = prepareRead(() => db.prepare<[BoardKey], number | null>('SELECT min(seq) FROM event WHERE board_key = ?').pluck());
    this.#latest = prepareRead(() => db.prepare<[BoardKey], number | null>('SELECT max(seq) FROM event WHERE board_key = ?').pluck());
    this.#removeUpTo = prepareWrite<[BoardKey, number]>(db, 'DELETE FROM event WHERE board_key = ? AND seq <= ?');
    // Inspects only the beginning of the log, where the oldest events are, so no index by time is needed. An event
    // behind a younger one of its board stays: after the clock was set back, deleting it would leave a gap.
    this.#older = prepareRead(() =>
      db.prepare<[{ limit: number; at: string }], { key: BoardKey; upTo: number; events: number }>(
        `WITH first AS (SELECT id, board_key, seq, at FROM event ORDER BY id LIMIT @limit),
         young AS (SELECT board_key, min(id) AS id FROM first WHERE at >= @at GROUP BY board_key)
       SELECT first.board_key AS key, max(first.seq) AS upTo, count(*) AS events
       FROM first LEFT JOIN young USING (board_key) WHERE first.id < coalesce(young.id, first.id + 1)
       GROUP BY first.board_key ORDER BY first.board_key`,
      ),
    );
    this.#beyond = prepareRead(() =>
      db
        .prepare<[{ key: BoardKey; bytes: number }], number>(
          `SELECT seq FROM (
           SELECT seq, sum(octet_length(json)) OVER (ORDER BY seq DESC) AS total FROM event WHERE board_key = @key
         ) WHERE total > @bytes ORDER BY seq DESC LIMIT 1`,
        )
        .pluck(),
    );
    this.#some = prepareRead(() =>
      db.prepare<[BoardKey, number], { upTo: number | null; events: number }>(
        `SELECT max(seq) AS upTo, count(*) AS events
       FROM (SELECT seq FROM event WHERE board_key = ? ORDER BY seq LIMIT ?)`,
      ),
    );
  }

  /** `seq` is the board's number after the last of them. */
  append(key: BoardKey, events: readonly BoardEvent[], seq: number, at: string): void {
    for (const { seq: number, type, json } of events) {
      this.#append(key, number, at, type, json, eventChecksum(key, number, at, type, json));
    }
    if (this.#setSeq(seq, activityIn(events, at), key).changes !== 1) throw new Error(`board ${key} is not in ${this.#file}`);
    if (events.length > 0) this.#journal.note({ op: 'events', key, seq, events, at });
  }

  /** Without `keepsIds` also forgets used ids of that time. */
  removeUpTo(key: BoardKey, upTo: number, keepsIds: boolean): void {
    const removed = this.#removeUpTo(key, upTo).changes + (keepsIds ? 0 : this.#usedIds.forget(key, upTo));
    if (removed > 0) this.#journal.note({ op: 'events.remove', key, upTo, ...(keepsIds && { keepsIds }) });
  }

  #prune(key: BoardKey, upTo: number): void {
    this.removeUpTo(key, upTo, this.#usedIds.outliveEvents);
    this.#usedIds.forgetUnnamed(key);
  }

  /** The events after this number, in order: at most `limit`, ending with the one that reaches `maxCharacters`. */
  since(key: BoardKey, seq: number, limit: number, maxCharacters = Infinity): BoardEvent[] {
    const events: BoardEvent[] = [];
    let characters = 0;
    for (const event of this.#since.iterate(key, seq, limit)) {
      events.push(event);
      characters += event.json.length;
      if (characters >= maxCharacters) break;
    }
    return events;
  }

  /** Null if none is kept. */
  oldestSeq(key: BoardKey): number | null {
    return this.#oldest.get(key) ?? null;
  }

  /** Null if none is kept. */
  latestSeq(key: BoardKey): number | null {
    return this.#latest.get(key) ?? null;
  }

  /** Deletes the board's events before this number. */
  prune(key: BoardKey, keepFromSeq: number): void {
    this.#prune(key, keepFromSeq - 1);
  }

  /** Deletes the board's oldest events until the rest takes no more than this. */
  pruneToBytes(key: BoardKey, bytes: number): void {
    const upTo = this.#beyond.get({ key, bytes });
    if (upTo !== undefined) this.#prune(key, upTo);
  }

  /**
   * Deletes at most `limit` events of all boards from before this time. Returns how many; fewer means that those were
   * all.
   */
  pruneOlderThan(at: string, limit: number): number {
    const boards = this.#older.all({ limit, at });
    for (const { key, upTo } of boards) this.#prune(key, upTo);
    return boards.reduce((sum, { events }) => sum + events, 0);
  }

  /** Deletes the oldest of the board's events up to this number, at most `limit`. Returns whether others are left. */
  forget(key: BoardKey, upTo: number, limit: number): boolean {
    const oldest = this.oldestSeq(key);
    if (oldest === null || oldest > upTo) return false;
    // Numbers have no gaps.
    const last = Math.min(upTo, oldest + limit - 1);
    this.#prune(key, last);
    return last < upTo;
  }

  /** For a deleted board, with its used ids. Returns whether others are left. */
  removeSome(key: BoardKey, limit: number): boolean {
    const { upTo, events } = this.#some.get(key, limit) ?? { upTo: null, events: 0 };
    const last = upTo ?? this.#usedIds.latestSeq(key);
    if (last !== null) this.removeUpTo(key, last, false);
    return events === limit || this.#usedIds.latestSeq(key) !== null;
  }
}
