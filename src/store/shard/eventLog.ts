import type { Database } from 'better-sqlite3';
import type { BoardEvent } from '../../domain/events.js';
import type { BoardKey } from '../../domain/ids.js';
import { eventChecksum } from './checksum.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** The kept events of every board: always the latest ones, without a gap. */
export class EventLog {
  readonly #append;
  readonly #since;
  readonly #oldest;
  readonly #prune;
  readonly #pruneOlder;
  readonly #pruneLarge;
  readonly #removeSome;

  constructor(db: Database) {
    this.#append = prepareWrite<[BoardKey, number, string, string, string, number]>(
      db,
      'INSERT INTO event (board_key, seq, at, type, json, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#since = db.prepare<[BoardKey, number, number], BoardEvent>(
      'SELECT seq, type, json FROM event WHERE board_key = ? AND seq > ? ORDER BY seq LIMIT ?',
    );
    this.#oldest = db
      .prepare<[BoardKey], number | null>('SELECT min(seq) FROM event WHERE board_key = ?')
      .pluck();
    this.#prune = prepareWrite<[BoardKey, number]>(db, 'DELETE FROM event WHERE board_key = ? AND seq < ?');
    // Inspects only the beginning of the log, where the oldest events are, so no index by time is needed. An event
    // behind a younger one of its board stays: after the clock was set back, deleting it would leave a gap.
    this.#pruneOlder = prepareWrite<[{ limit: number; at: string }]>(
      db,
      `WITH first AS (SELECT id, board_key, at FROM event ORDER BY id LIMIT @limit),
         young AS (SELECT board_key, min(id) AS id FROM first WHERE at >= @at GROUP BY board_key)
       DELETE FROM event WHERE id IN (
         SELECT first.id FROM first LEFT JOIN young USING (board_key) WHERE first.id < coalesce(young.id, first.id + 1)
       )`,
    );
    this.#pruneLarge = prepareWrite<[{ key: BoardKey; bytes: number }]>(
      db,
      `DELETE FROM event WHERE board_key = @key AND seq <= (
         SELECT seq FROM (
           SELECT seq, sum(octet_length(json)) OVER (ORDER BY seq DESC) AS total FROM event WHERE board_key = @key
         ) WHERE total > @bytes ORDER BY seq DESC LIMIT 1
       )`,
    );
    this.#removeSome = prepareWrite<[BoardKey, number]>(
      db,
      'DELETE FROM event WHERE id IN (SELECT id FROM event WHERE board_key = ? ORDER BY seq LIMIT ?)',
    );
  }

  append(key: BoardKey, events: readonly BoardEvent[], at: string): void {
    for (const { seq, type, json } of events) {
      this.#append(key, seq, at, type, json, eventChecksum(key, seq, at, type, json));
    }
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

  /** Deletes the board's events before this number. */
  prune(key: BoardKey, keepFromSeq: number): void {
    this.#prune(key, keepFromSeq);
  }

  /** Deletes the board's oldest events until the rest takes no more than this. */
  pruneToBytes(key: BoardKey, bytes: number): void {
    this.#pruneLarge({ key, bytes });
  }

  /**
   * Deletes at most `limit` events of all boards from before this time. Returns how many; fewer means that those were
   * all.
   */
  pruneOlderThan(at: string, limit: number): number {
    return this.#pruneOlder({ limit, at }).changes;
  }

  /** For a deleted board. Returns how many; fewer than the limit means that those were the last. */
  removeSome(key: BoardKey, limit: number): number {
    return this.#removeSome(key, limit).changes;
  }
}
