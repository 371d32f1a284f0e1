/**
 * Comments as they are read: by card, by author. They are written as records of their board. Comments of a removed card become
 * orphaned with it, and so do the versions of its texts: they are deleted a few at a time, because a card may have thousands.
 */
import type { Database } from 'better-sqlite3';
import type { CommentPlace } from '../../../domain/board/comments/commentsOnDisk.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { Comment } from '../../../domain/model.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { SqlValue } from '../../table/rowCodec.js';
import { entityCodec } from '../rowCodecs.js';

/** Behind every place. */
const NEWEST: CommentPlace = { created_at: '~', id: '~' };

export class CommentTable {
  readonly #codec = entityCodec('comment');
  readonly #page;
  readonly #byAuthor;
  readonly #discard;
  readonly #orphaned;
  readonly #someIds;
  readonly #settle;
  readonly #forgetBoard;

  constructor(db: Database) {
    const columns = this.#codec.columns.join(', ');
    this.#page = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid, string, string], SqlValue[]>(
          `SELECT ${columns} FROM comment WHERE board_key = ? AND card_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC`,
        )
        .raw(),
    );
    this.#byAuthor = prepareRead(() =>
      db.prepare<[BoardKey, Uuid, number], SqlValue[]>(`SELECT ${columns} FROM comment WHERE board_key = ? AND created_by = ? LIMIT ?`).raw(),
    );
    this.#discard = prepareWrite<[{ key: BoardKey; card: Uuid }]>(
      db,
      `INSERT INTO loose_comment (board_key, card_id) SELECT @key, @card
       WHERE EXISTS (SELECT 1 FROM comment WHERE board_key = @key AND card_id = @card)
         OR EXISTS (SELECT 1 FROM version WHERE board_key = @key AND id > @card || '.' AND id < @card || '/')
       ON CONFLICT DO NOTHING`,
    );
    this.#orphaned = prepareRead(() =>
      db.prepare<[], { key: BoardKey; card: Uuid }>('SELECT board_key AS key, card_id AS card FROM loose_comment LIMIT 1'),
    );
    this.#someIds = prepareRead(() =>
      db
        .prepare<[BoardKey, Uuid, number], Uuid>(
          'SELECT id FROM comment INDEXED BY comment_of_card WHERE board_key = ? AND card_id = ? ORDER BY created_at, id LIMIT ?',
        )
        .pluck(),
    );
    this.#settle = prepareWrite<[BoardKey]>(
      db,
      `DELETE FROM loose_comment WHERE board_key = ? AND NOT EXISTS (
         SELECT 1 FROM comment WHERE comment.board_key = loose_comment.board_key AND comment.card_id = loose_comment.card_id)
       AND NOT EXISTS (SELECT 1 FROM version WHERE version.board_key = loose_comment.board_key AND version.id > loose_comment.card_id || '.' AND version.id < loose_comment.card_id || '/')`,
    );
    this.#forgetBoard = prepareWrite<[BoardKey]>(db, 'DELETE FROM loose_comment WHERE board_key = ?');
  }

  /** See `CommentsOnDisk`. */
  page(key: BoardKey, card: Uuid, before: CommentPlace | null, limit: number, maxCharacters: number): Comment[] {
    const { created_at, id } = before ?? NEWEST;
    const comments: Comment[] = [];
    let charactersLeft = maxCharacters;
    for (const row of this.#page.iterate(key, card, created_at, id)) {
      const comment = this.#codec.fromRow(row);
      charactersLeft -= comment.body.length;
      if (comments.length > 0 && charactersLeft < 0) break;
      comments.push(comment);
      if (comments.length >= limit) break;
    }
    return comments;
  }

  byAuthor(key: BoardKey, user: Uuid, limit: number): Comment[] {
    return this.#byAuthor.all(key, user, limit).map((row) => this.#codec.fromRow(row));
  }

  /** Part of the removal of the card. */
  discardOf(key: BoardKey, card: Uuid): void {
    this.#discard({ key, card });
  }

  hasOrphans(): boolean {
    return this.#orphaned.get() !== undefined;
  }

  /** A removed card with some of its comments; null if there is none. */
  someOrphans(limit: number): { readonly key: BoardKey; readonly card: Uuid; readonly ids: readonly Uuid[] } | null {
    const found = this.#orphaned.get();
    return found === undefined ? null : { ...found, ids: this.#someIds.all(found.key, found.card, limit) };
  }

  /** Part of a sweep: cards whose last comment and version are gone. */
  settle(key: BoardKey): void {
    this.#settle(key);
  }

  forgetBoard(key: BoardKey): void {
    this.#forgetBoard(key);
  }
}
