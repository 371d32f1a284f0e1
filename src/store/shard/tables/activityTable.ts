/**
 * The activity of boards. It is read by board and by card, and bounded for each board: see `activityOnDisk.ts`. Names of former
 * members stand beside it once, so that forgetting one is one row and not all that the user did.
 */
import type { Database } from 'better-sqlite3';
import {
  FACT_BYTES,
  MAX_LOOKED_THROUGH,
  type ActivityOnDisk,
  type ActivityRange,
  type StoredFact,
} from '../../../domain/board/activity/activityOnDisk.js';
import type { Activity } from '../../../domain/board/activity/facts.js';
import { keepsActivity } from '../../../domain/board/laterFields.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { ActivityWrite } from '../../../domain/ports/shardCommit.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { ShardJournal } from '../shardJournal.js';
import type { UsedIds } from '../usedIds.js';

const COLUMNS = 'seq, first, at, user_id, kind, card_id, json';

interface Prunable {
  readonly key: BoardKey;
  readonly upTo: number;
  readonly facts: number;
}

export class ActivityTable {
  readonly #journal: ShardJournal;
  readonly #usedIds: UsedIds;
  readonly #append;
  readonly #ofBoard;
  readonly #ofCard;
  readonly #endOf;
  readonly #commandAt;
  readonly #command;
  readonly #formerName;
  readonly #putFormer;
  readonly #removeFormer;
  readonly #removeUpTo;
  readonly #some;
  readonly #isBeyond;
  readonly #beyond;
  readonly #older;
  readonly #forgetBoard;
  /** An older program would not understand what removes facts. */
  #isKept = true;

  constructor(db: Database, journal: ShardJournal, usedIds: UsedIds) {
    this.#journal = journal;
    this.#usedIds = usedIds;
    this.#append = prepareWrite<[BoardKey, number, number, string, Uuid | null, string, Uuid | null, string, BoardKey, number]>(
      db,
      `INSERT INTO activity (board_key, ${COLUMNS}, total) VALUES (?, ?, ?, ?, ?, ?, ?, ?,
         coalesce((SELECT total FROM activity WHERE board_key = ? ORDER BY seq DESC LIMIT 1), 0) + ?)`,
    );
    this.#ofBoard = prepareRead(() =>
      db.prepare<[BoardKey, number, number], StoredFact>(
        `SELECT ${COLUMNS} FROM activity WHERE board_key = ? AND seq < ? AND seq > ? ORDER BY seq DESC`,
      ),
    );
    this.#ofCard = prepareRead(() =>
      db.prepare<[BoardKey, Uuid, number, number], StoredFact>(
        `SELECT ${COLUMNS} FROM activity WHERE board_key = ? AND card_id = ? AND seq < ? AND seq >= ? ORDER BY seq DESC`,
      ),
    );
    this.#endOf = prepareRead(() =>
      db
        .prepare<[BoardKey, number, number], number>(
          `SELECT seq FROM activity WHERE board_key = ? AND seq < ? AND seq > ? ORDER BY seq DESC LIMIT 2 OFFSET ${MAX_LOOKED_THROUGH - 1}`,
        )
        .pluck(),
    );
    this.#commandAt = prepareRead(() =>
      db
        .prepare<[BoardKey, number, number], number>(
          'SELECT first FROM (SELECT first FROM activity WHERE board_key = ? AND seq >= ? ORDER BY seq LIMIT 1) WHERE first <= ?',
        )
        .pluck(),
    );
    this.#command = prepareRead(() =>
      db.prepare<[BoardKey, number, number, number], StoredFact>(
        `SELECT * FROM (SELECT ${COLUMNS} FROM activity WHERE board_key = ? AND seq >= ? ORDER BY seq LIMIT ?) WHERE first = ?`,
      ),
    );
    this.#formerName = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], string>('SELECT username FROM former_member WHERE board_key = ? AND user_id = ?').pluck(),
    );
    this.#putFormer = prepareWrite<[BoardKey, Uuid, string]>(
      db,
      'INSERT INTO former_member (board_key, user_id, username) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET username = excluded.username',
    );
    this.#removeFormer = prepareWrite<[BoardKey, Uuid]>(db, 'DELETE FROM former_member WHERE board_key = ? AND user_id = ?');
    this.#removeUpTo = prepareWrite<[BoardKey, number]>(db, 'DELETE FROM activity WHERE board_key = ? AND seq <= ?');
    this.#some = prepareRead(() =>
      db.prepare<[BoardKey, number], { upTo: number | null; facts: number }>(
        'SELECT max(seq) AS upTo, count(*) AS facts FROM (SELECT seq FROM activity WHERE board_key = ? ORDER BY seq LIMIT ?)',
      ),
    );
    this.#isBeyond = prepareRead(() =>
      db
        .prepare<[{ key: BoardKey; bytes: number }], number | null>(
          `SELECT (SELECT total FROM activity WHERE board_key = @key ORDER BY seq LIMIT 1)
          <= (SELECT total FROM activity WHERE board_key = @key ORDER BY seq DESC LIMIT 1) - @bytes`,
        )
        .pluck(),
    );
    this.#beyond = prepareRead(() =>
      db
        .prepare<[{ key: BoardKey; bytes: number; limit: number }], number | null>(
          `SELECT max(seq) FROM (SELECT seq, total FROM activity WHERE board_key = @key ORDER BY seq LIMIT @limit)
         WHERE total <= (SELECT total FROM activity WHERE board_key = @key ORDER BY seq DESC LIMIT 1) - @bytes`,
        )
        .pluck(),
    );
    // Only the beginning of the table, where the oldest facts are. After the clock was set back, younger ones may go with them.
    this.#older = prepareRead(() =>
      db.prepare<[{ limit: number; at: string }], Prunable>(
        `SELECT board_key AS key, max(seq) AS upTo, count(*) AS facts
       FROM (SELECT board_key, seq, at FROM activity ORDER BY id LIMIT @limit) WHERE at < @at GROUP BY board_key ORDER BY board_key`,
      ),
    );
    this.#forgetBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM former_member WHERE board_key = ?');
  }

  writeFor(schema: number): void {
    this.#isKept = keepsActivity(schema);
  }

  of(key: BoardKey, current: () => void): ActivityOnDisk {
    return {
      read: (range) => {
        current();
        return this.#read(key, range);
      },
      endOf: (range) => {
        current();
        return this.#lastOf(key, range);
      },
      commandAt: (seq) => {
        current();
        return this.#commandAt.get(key, seq, seq) ?? null;
      },
      command: (first, limit) => {
        current();
        return this.#command.all(key, first, limit, first);
      },
      formerName: (user) => {
        current();
        return this.#formerName.get(key, user);
      },
    };
  }

  #read(key: BoardKey, range: ActivityRange): Iterable<StoredFact> {
    const { before, after, card_id } = range;
    const end = before ?? Number.MAX_SAFE_INTEGER;
    if (card_id === null) return this.#ofBoard.iterate(key, end, after);
    return this.#ofCard.iterate(key, card_id, end, this.#lastOf(key, range) ?? after + 1);
  }

  #lastOf(key: BoardKey, { before, after }: ActivityRange): number | null {
    const [last, next] = this.#endOf.all(key, before ?? Number.MAX_SAFE_INTEGER, after);
    return next === undefined ? null : (last ?? null);
  }

  append(key: BoardKey, activity: Activity, at: string): void {
    const { first, facts, former } = activity;
    for (const { seq, kind, user_id, card_id, json } of facts) {
      this.#append(key, seq, first, at, user_id, kind, card_id, json, key, FACT_BYTES + json.length);
    }
    for (const { user_id, username } of former) {
      if (username === null) this.#removeFormer(key, user_id);
      else this.#putFormer(key, user_id, username);
    }
    this.#journal.note({ op: 'activity', key, activity, at });
  }

  removeUpTo(key: BoardKey, upTo: number): void {
    if (this.#isKept && this.#removeUpTo(key, upTo).changes > 0) this.#journal.note({ op: 'activity.remove', key, upTo });
  }

  #prune(key: BoardKey, upTo: number): void {
    this.removeUpTo(key, upTo);
    this.#usedIds.forgetUnnamed(key);
  }

  /** Deletes some of the board's oldest facts if all take more than this. */
  pruneToBytes(key: BoardKey, bytes: number, limit: number): void {
    if (this.#isBeyond.get({ key, bytes }) !== 1) return;
    const upTo = this.#beyond.get({ key, bytes, limit }) ?? null;
    if (upTo !== null) this.#prune(key, upTo);
  }

  /** Deletes about `limit` facts of all boards from before this time, at most. */
  pruneOlderThan(at: string, limit: number): void {
    for (const { key, upTo } of this.#older.all({ limit, at })) this.#prune(key, upTo);
  }

  /** For a deleted board. Returns whether others are left. */
  removeSome(key: BoardKey, limit: number): boolean {
    const { upTo, facts } = this.#some.get(key, limit) ?? { upTo: null, facts: 0 };
    if (upTo !== null) this.removeUpTo(key, upTo);
    return this.#isKept && facts === limit;
  }

  forgetBoard(key: BoardKey): void {
    this.#forgetBoard(key);
  }

  execute(write: ActivityWrite): void {
    if (write.op === 'activity') this.append(write.key, write.activity, write.at);
    else this.removeUpTo(write.key, write.upTo);
  }
}
