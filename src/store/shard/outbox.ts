import type { Database } from 'better-sqlite3';
import type { BoardKey } from '../../domain/ids.js';
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
  readonly #add;
  readonly #list;
  readonly #remove;

  constructor(db: Database) {
    this.#add = prepareWrite<[BoardKey, string]>(db, 'INSERT INTO outbox (board_key, payload) VALUES (?, ?)');
    this.#list = db.prepare<[number, number], OutboxMessage>(
      'SELECT id, board_key AS boardKey, payload FROM outbox WHERE id > ? ORDER BY id LIMIT ?',
    );
    this.#remove = prepareWrite<[number]>(db, 'DELETE FROM outbox WHERE id = ?');
  }

  /** Returns the message's id; ids rise. */
  add(key: BoardKey, payload: string): number {
    return Number(this.#add(key, payload).lastInsertRowid);
  }

  list(afterId: number, limit: number): OutboxMessage[] {
    return this.#list.all(afterId, limit);
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) this.#remove(id);
  }
}
