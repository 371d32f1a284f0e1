/**
 * Ids that a client may not choose with its key: those of removed records, as long as the events and the activity of the board
 * name them. They are written with the removals, so they need no writes of their own in a commit, and a copy that applies
 * commits has the same ones. Beside them stands who made what with a key, from its creation until its id is forgotten.
 */
import type { Database } from 'better-sqlite3';
import { keepsCreates } from '../../domain/board/laterFields.js';
import type { KeyedCreate } from '../../domain/idempotency.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { Kind } from '../../domain/model.js';
import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';
import type { ShardJournal } from './shardJournal.js';

/** One or two milliseconds. The event of a large removal stands for thousands of ids; the rest goes with later events. */
const FORGET_STEP = 500;

const FORGOTTEN = `board_key = @key AND id IN (SELECT id FROM used_id WHERE board_key = @key AND seq <= @upTo ORDER BY seq, id LIMIT ${FORGET_STEP})`;

export class UsedIds {
  readonly #journal: ShardJournal;
  readonly #add;
  readonly #has;
  readonly #forget;
  readonly #forgetCreates;
  readonly #unnamed;
  readonly #latest;
  readonly #forgetBoard;
  readonly #addCreate;
  readonly #findCreate;
  readonly #removeCreate;
  readonly #forgetCreatesOfBoard;
  /** An older program would go on forgetting the ids with the events. */
  #outliveEvents = true;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    this.#add = prepareWrite<[Uuid, BoardKey]>(
      db,
      'INSERT INTO used_id (board_key, id, seq) SELECT board_key, ?, seq FROM board WHERE board_key = ? ON CONFLICT DO NOTHING',
    );
    this.#has = prepareRead(() => db.prepare<[BoardKey, Uuid]>('SELECT 1 FROM used_id WHERE board_key = ? AND id = ?'));
    this.#forget = prepareWrite<[{ key: BoardKey; upTo: number }]>(db, `DELETE FROM used_id WHERE ${FORGOTTEN}`);
    this.#forgetCreates = prepareWrite<[{ key: BoardKey; upTo: number }]>(db, `DELETE FROM keyed_create WHERE ${FORGOTTEN}`);
    // A row has the number before its removal. The first number of a command stands in its facts, so one more is that of the removal.
    this.#unnamed = prepareRead(() =>
      db
        .prepare<[{ key: BoardKey }], number | null>(
          `SELECT max(seq) FROM used_id WHERE board_key = @key AND seq < -1 + min(
           coalesce((SELECT min(seq) FROM event WHERE board_key = @key), ${Number.MAX_SAFE_INTEGER}),
           coalesce((SELECT first FROM activity WHERE board_key = @key ORDER BY seq LIMIT 1), ${Number.MAX_SAFE_INTEGER}))`,
        )
        .pluck(),
    );
    this.#latest = prepareRead(() => db.prepare<[BoardKey], number | null>('SELECT max(seq) FROM used_id WHERE board_key = ?').pluck());
    this.#forgetBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM used_id WHERE board_key = ?');
    this.#addCreate = prepareWrite<[BoardKey, Uuid, string, Uuid | null, Uuid]>(
      db,
      'INSERT INTO keyed_create (board_key, id, kind, parent, created_by) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#findCreate = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], KeyedCreate>('SELECT id, kind, parent, created_by FROM keyed_create WHERE board_key = ? AND id = ?'),
    );
    this.#removeCreate = prepareWrite<[BoardKey, Uuid]>(db, 'DELETE FROM keyed_create WHERE board_key = ? AND id = ?');
    this.#forgetCreatesOfBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM keyed_create WHERE board_key = ?');
  }

  writeFor(schema: number): void {
    this.#outliveEvents = keepsCreates(schema);
  }

  get outliveEvents(): boolean {
    return this.#outliveEvents;
  }

  /** Part of the change that removes the record. */
  add(key: BoardKey, kind: Kind, id: Uuid): void {
    // The id of a member is a user's id.
    if (kind !== 'member') this.#add(id, key);
  }

  has(key: BoardKey, id: Uuid): boolean {
    return this.#has.get(key, id) !== undefined;
  }

  /** Part of the change that made them. */
  addCreates(key: BoardKey, creates: readonly KeyedCreate[]): void {
    for (const { id, kind, parent, created_by } of creates) this.#addCreate(key, id, kind, parent, created_by);
    this.#journal.note({ op: 'creates.add', key, creates });
  }

  /** Null if it was not made with a key, or by an older program. */
  findCreate(key: BoardKey, id: Uuid): KeyedCreate | null {
    return this.#findCreate.get(key, id) ?? null;
  }

  /** Part of the sweep of a comment whose card was removed: its id is remembered if it was chosen with a key. */
  addSwept(key: BoardKey, id: Uuid): void {
    if (this.findCreate(key, id) !== null) this.#add(id, key);
  }

  /** Part of the sweep of a record of a removed board. */
  removeCreate(key: BoardKey, id: Uuid): void {
    this.#removeCreate(key, id);
  }

  /** Forgets some of the ids that neither a kept event nor the activity names. */
  forgetUnnamed(key: BoardKey): void {
    const upTo = this.#outliveEvents ? (this.#unnamed.get({ key }) ?? null) : null;
    if (upTo === null) return;
    this.forget(key, upTo);
    this.#journal.note({ op: 'used.forget', key, upTo });
  }

  /** Some of the ids that were used up to this number. Returns how many. */
  forget(key: BoardKey, upTo: number): number {
    this.#forgetCreates({ key, upTo });
    return this.#forget({ key, upTo }).changes;
  }

  /** The number from which on `forget` finds every id of the board; null if there is none. */
  latestSeq(key: BoardKey): number | null {
    return this.#latest.get(key) ?? null;
  }

  forgetBoard(key: BoardKey): void {
    this.#forgetBoard(key);
    this.#forgetCreatesOfBoard(key);
  }

  execute(write: Extract<ShardWrite, { op: 'used.forget' | 'creates.add' }>): void {
    if (write.op === 'creates.add') return this.addCreates(write.key, write.creates);
    if (this.forget(write.key, write.upTo) > 0) this.#journal.note(write);
  }
}
