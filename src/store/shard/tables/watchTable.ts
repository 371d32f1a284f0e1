/** What users watch, as it is read: by board, column and card, by user. The rows are written as records of their board. */
import type { Database } from 'better-sqlite3';
import type { CommentPlace } from '../../../domain/board/comments/commentsOnDisk.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { Watch } from '../../../domain/model.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { SqlValue } from '../../table/rowCodec.js';
import { entityCodec } from '../rowCodecs.js';

/** The ids that begin with that of a target and a dot are between these signs. */
const [FIRST, BEHIND] = ['.', '/'];
/** Behind every place. */
const NEWEST: CommentPlace = { created_at: '~', id: '~' };

export class WatchTable {
  readonly #codec = entityCodec('watch');
  readonly #any;
  readonly #of;
  readonly #page;
  readonly #idsOf;
  readonly #count;
  readonly #forget;

  constructor(db: Database) {
    const columns = this.#codec.columns.join(', ');
    this.#any = prepareRead(() => db.prepare<[BoardKey]>('SELECT 1 FROM watch WHERE board_key = ? LIMIT 1'));
    this.#of = prepareRead(() =>
      db.prepare<[BoardKey, string, string], SqlValue[]>(`SELECT ${columns} FROM watch WHERE board_key = ? AND id > ? AND id < ?`).raw(),
    );
    this.#page = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid, string, string, number], SqlValue[]>(
          `SELECT ${columns} FROM watch WHERE board_key = ? AND user_id = ? AND is_on = 1 AND (created_at, target_id) < (?, ?)
           ORDER BY created_at DESC, target_id DESC LIMIT ?`,
        )
        .raw(),
    );
    this.#idsOf = prepareRead(() => db.prepare<[BoardKey, Uuid], string>('SELECT id FROM watch WHERE board_key = ? AND user_id = ?').pluck());
    this.#count = prepareRead(() => db.prepare<[BoardKey], number>('SELECT count(*) FROM watch WHERE board_key = ?').pluck());
    this.#forget = prepareWrite<[BoardKey, string, string]>(db, 'DELETE FROM watch WHERE board_key = ? AND id > ? AND id < ?');
  }

  any(key: BoardKey): boolean {
    return this.#any.get(key) !== undefined;
  }

  of(key: BoardKey, targets: readonly Uuid[]): Watch[] {
    return targets.flatMap((target) => this.#of.all(key, target + FIRST, target + BEHIND).map((row) => this.#codec.fromRow(row)));
  }

  page(key: BoardKey, user: Uuid, before: CommentPlace | null, limit: number): Watch[] {
    const { created_at, id } = before ?? NEWEST;
    return this.#page.all(key, user, created_at, id, limit).map((row) => this.#codec.fromRow(row));
  }

  idsOf(key: BoardKey, user: Uuid): string[] {
    return this.#idsOf.all(key, user);
  }

  count(key: BoardKey): number {
    return this.#count.get(key) ?? 0;
  }

  /** Part of the removal of the column or card, so that every copy does the same. */
  forget(key: BoardKey, target: Uuid): void {
    this.#forget(key, target + FIRST, target + BEHIND);
  }
}
