import type { Database } from 'better-sqlite3';
import type { BoardListChange, MembershipChanges } from '../../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../../domain/ids.js';
import type { PublicUser } from '../../../domain/account/user.js';
import type { MembershipRow } from '../../../domain/ports/directoryCommit.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

/** SQLite's value for no LIMIT. */
const ALL = -1;

/** The effects of a membership change; none if it is outdated. */
interface Applied {
  /** The copied profiles of users who are members by this change. */
  readonly copies: readonly PublicUser[];
  readonly lists: readonly BoardListChange[];
}

/** The boards of each user. The boards own this data; their changes may arrive in any order. */
export class MembershipTable {
  readonly #journal: DirectoryJournal;
  readonly #find;
  readonly #nextPosition;
  readonly #put;
  readonly #isDeleted;
  readonly #markDeleted;
  readonly #removeBoard;
  readonly #boardsOf;
  readonly #ofThese;
  readonly #everyBoardOf;
  readonly #membersOf;
  readonly #common;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#find = db.prepare<[Uuid, Uuid], { version: number; position: number | null }>(
      'SELECT version, position FROM membership WHERE user_id = ? AND board_id = ?',
    );
    this.#nextPosition = db.prepare<[Uuid], number>('SELECT coalesce(max(position), 0) + 1 FROM membership WHERE user_id = ?').pluck();
    this.#put = prepareWrite<[MembershipRow]>(
      db,
      `INSERT INTO membership (user_id, board_id, version, position) VALUES (@user_id, @board_id, @version, @position)
       ON CONFLICT DO UPDATE SET version = excluded.version, position = excluded.position`,
    );
    this.#isDeleted = db.prepare<[Uuid]>('SELECT 1 FROM deleted_board WHERE board_id = ?');
    this.#markDeleted = prepareWrite<[Uuid]>(db, 'INSERT INTO deleted_board (board_id) VALUES (?) ON CONFLICT DO NOTHING');
    this.#removeBoard = prepareWrite<[Uuid]>(db, 'DELETE FROM membership WHERE board_id = ?');
    this.#boardsOf = db
      .prepare<[Uuid, number, number], Uuid>(
        `SELECT board_id FROM membership WHERE user_id = ? AND position IS NOT NULL ORDER BY position
         LIMIT ? OFFSET ?`,
      )
      .pluck();
    this.#ofThese = db
      // In this order of the tables: the other one reads all memberships of the user.
      .prepare<[string, Uuid], Uuid>(
        `SELECT DISTINCT membership.board_id FROM json_each(?) AS named
         CROSS JOIN membership ON membership.user_id = ? AND membership.board_id = named.value
         WHERE membership.position IS NOT NULL ORDER BY membership.position`,
      )
      .pluck();
    this.#everyBoardOf = db.prepare<[Uuid], Uuid>('SELECT board_id FROM membership WHERE user_id = ? ORDER BY board_id').pluck();
    this.#common = db.prepare<{ user: Uuid; other: Uuid; boards: string | null }>(
      `SELECT 1 FROM membership AS own JOIN membership AS other ON other.board_id = own.board_id AND other.position IS NOT NULL
       WHERE own.user_id = @user AND own.position IS NOT NULL AND other.user_id = @other
         AND (@boards IS NULL OR own.board_id IN (SELECT value FROM json_each(@boards)))
       LIMIT 1`,
    );
    this.#membersOf = db.prepare<[Uuid], Uuid>('SELECT user_id FROM membership WHERE board_id = ? AND position IS NOT NULL').pluck();
  }

  apply({ board_id, version, members }: MembershipChanges): Applied {
    if (members === 'none left') {
      const lists = this.#membersOf.all(board_id).map((user_id) => ({ user_id, board_id, change: 'removed' as const }));
      this.removeBoard(board_id);
      return { copies: [], lists };
    }
    const copies: PublicUser[] = [];
    const lists: BoardListChange[] = [];
    if (this.wasDeleted(board_id)) return { copies, lists };
    for (const { user_id, profile } of members) {
      const known = this.find(user_id, board_id);
      if (known !== undefined && known.version >= version) continue;
      const before = known?.position ?? null;
      // A user who is on the board keeps the position. Outboxes of earlier versions also hold changed roles.
      const position = profile === null ? null : (before ?? this.#nextPosition.get(user_id) ?? 1);
      this.put({ user_id, board_id, version, position });
      if (profile !== null) copies.push(profile);
      if ((before === null) !== (position === null)) {
        lists.push({ user_id, board_id, change: position === null ? 'removed' : 'added' });
      }
    }
    return { copies, lists };
  }

  /** Without a position: the user has left the board. */
  find(userId: Uuid, boardId: Uuid): { readonly version: number; readonly position: number | null } | undefined {
    return this.#find.get(userId, boardId);
  }

  put(membership: MembershipRow): void {
    this.#put(membership);
    this.#journal.note({ op: 'membership.put', membership });
  }

  removeBoard(board_id: Uuid): void {
    const changes = this.#markDeleted(board_id).changes + this.#removeBoard(board_id).changes;
    if (changes > 0) this.#journal.note({ op: 'board.delete', board_id });
  }

  wasDeleted(board_id: Uuid): boolean {
    return this.#isDeleted.get(board_id) !== undefined;
  }

  /** With `boards` only these count. */
  shareBoard(user: Uuid, other: Uuid, boards?: readonly Uuid[]): boolean {
    return user === other || this.#common.get({ user, other, boards: boards === undefined ? null : JSON.stringify(boards) }) !== undefined;
  }

  /** Also those that the user has left. */
  everyBoardOf(userId: Uuid): Uuid[] {
    return this.#everyBoardOf.all(userId);
  }

  /** In order of joining. */
  boardsOf(userId: Uuid, limit = ALL, offset = 0): Uuid[] {
    return this.#boardsOf.all(userId, limit, offset);
  }

  /** Those of the boards that the user is on, in order of joining. */
  ofThese(userId: Uuid, boards: readonly Uuid[]): Uuid[] {
    return this.#ofThese.all(JSON.stringify(boards), userId);
  }
}
