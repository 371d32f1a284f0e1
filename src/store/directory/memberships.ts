import type { Database } from 'better-sqlite3';
import type { MembershipChanges } from '../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../domain/ids.js';
import type { PublicUser } from '../../domain/user.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** SQLite's value for no LIMIT. */
const ALL = -1;

/** The boards of each user. The boards own this data; their changes may arrive in any order. */
export class MembershipTable {
  readonly #join;
  readonly #leave;
  readonly #isDeleted;
  readonly #markDeleted;
  readonly #removeBoard;
  readonly #boardsOf;

  constructor(db: Database) {
    // A user who is already on the board keeps their position: the change is then about something else, such as the
    // role.
    this.#join = prepareWrite<[{ board: Uuid; user: Uuid; version: number }]>(
      db,
      `INSERT INTO membership (user_id, board_id, version, position)
       VALUES (@user, @board, @version,
         (SELECT coalesce(max(position), 0) + 1 FROM membership WHERE user_id = @user))
       ON CONFLICT DO UPDATE
       SET version = excluded.version, position = coalesce(position, excluded.position)
       WHERE version < excluded.version`,
    );
    this.#leave = prepareWrite<[{ board: Uuid; user: Uuid; version: number }]>(
      db,
      `INSERT INTO membership (user_id, board_id, version, position) VALUES (@user, @board, @version, NULL)
       ON CONFLICT DO UPDATE SET version = excluded.version, position = NULL WHERE version < excluded.version`,
    );
    this.#isDeleted = db.prepare<[Uuid]>('SELECT 1 FROM deleted_board WHERE board_id = ?');
    this.#markDeleted = prepareWrite<[Uuid]>(
      db,
      'INSERT INTO deleted_board (board_id) VALUES (?) ON CONFLICT DO NOTHING',
    );
    this.#removeBoard = prepareWrite<[Uuid]>(db, 'DELETE FROM membership WHERE board_id = ?');
    this.#boardsOf = db
      .prepare<[Uuid, number, number], Uuid>(
        `SELECT board_id FROM membership WHERE user_id = ? AND position IS NOT NULL ORDER BY position
         LIMIT ? OFFSET ?`,
      )
      .pluck();
  }

  /** Returns the copied profiles of users who are members by this change; none if the change is outdated. */
  apply({ board_id, version, members }: MembershipChanges): PublicUser[] {
    if (members === 'none left') {
      this.#markDeleted(board_id);
      this.#removeBoard(board_id);
      return [];
    }
    if (this.#isDeleted.get(board_id)) return [];
    return members.flatMap(({ user_id, profile }) => {
      const change = profile === null ? this.#leave : this.#join;
      const { changes } = change({ board: board_id, user: user_id, version });
      return profile !== null && changes === 1 ? [profile] : [];
    });
  }

  /** In order of joining. */
  boardsOf(userId: Uuid, limit = ALL, offset = 0): Uuid[] {
    return this.#boardsOf.all(userId, limit, offset);
  }
}
