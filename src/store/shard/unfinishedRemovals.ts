/** Removals whose remaining rows are still in the file, see `removals.ts` of the domain. */
import type { Database } from 'better-sqlite3';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Kind } from '../../domain/model.js';
import type { Removal } from '../../domain/board/removals.js';
import type { ShardJournal } from './shardJournal.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';

export class UnfinishedRemovals {
  readonly #journal: ShardJournal;
  readonly #add;
  readonly #remove;
  readonly #removeBoard;
  readonly #list;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    this.#add = prepareWrite<[BoardKey, Kind, Uuid]>(
      db,
      'INSERT INTO unfinished_removal (board_key, kind, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#remove = prepareWrite<[BoardKey, Kind, Uuid]>(db, 'DELETE FROM unfinished_removal WHERE board_key = ? AND kind = ? AND id = ?');
    this.#removeBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM unfinished_removal WHERE board_key = ?');
    this.#list = prepareRead(() => db.prepare<[BoardKey], Removal>('SELECT kind, id FROM unfinished_removal WHERE board_key = ?'));
  }

  /** Part of the change that removes the record. */
  add(key: BoardKey, { kind, id }: Removal): void {
    this.#add(key, kind, id);
  }

  /** The last row is gone. */
  finish(key: BoardKey, removal: Removal): void {
    const { kind, id } = removal;
    if (this.#remove(key, kind, id).changes > 0) this.#journal.note({ op: 'removal.finish', key, removal });
  }

  /** Everything on the board is about to be removed. */
  forgetBoard(key: BoardKey): void {
    this.#removeBoard(key);
  }

  list(key: BoardKey): Removal[] {
    return this.#list.all(key);
  }
}
