import type { Database } from 'better-sqlite3';
import type { BoardKey } from '../../domain/ids.js';
import type { ShardJournal } from './shardJournal.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';

export interface OutboxMessage {
  readonly id: number;
  readonly boardKey: BoardKey;
  readonly payload: string;
}

/**
 * Messages that exist if and only if the change beside them is committed. Removed when delivered, so a message may be
 * delivered twice but is never lost. They outlive their board: its deletion must be delivered too.
 */
export class Outbox {
  readonly #journal: ShardJournal;
  readonly #insert;
  readonly #latestId;
  readonly #list;
  readonly #remove;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    this.#insert = prepareWrite<[number, BoardKey, string]>(db, 'INSERT INTO outbox (id, board_key, payload) VALUES (?, ?, ?)');
    // SQLite's own count of an AUTOINCREMENT table: an id is used once, also when its message is gone.
    this.#latestId = prepareRead(() => db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`).pluck());
    this.#list = prepareRead(() =>
      db.prepare<[number, number], OutboxMessage>('SELECT id, board_key AS boardKey, payload FROM outbox WHERE id > ? ORDER BY id LIMIT ?'),
    );
    this.#remove = prepareWrite<[number]>(db, 'DELETE FROM outbox WHERE id = ?');
  }

  /** Returns the message's id; ids rise. */
  add(key: BoardKey, payload: string): number {
    const id = (this.#latestId.get() ?? 0) + 1;
    this.insert(id, key, payload);
    return id;
  }

  insert(id: number, key: BoardKey, payload: string): void {
    this.#insert(id, key, payload);
    this.#journal.note({ op: 'outbox.add', id, key, payload });
  }

  list(afterId: number, limit: number): OutboxMessage[] {
    return this.#list.all(afterId, limit);
  }

  remove(id: number): void {
    if (this.#remove(id).changes > 0) this.#journal.note({ op: 'outbox.remove', id });
  }
}
