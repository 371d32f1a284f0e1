import type { Database } from 'better-sqlite3';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { DirectoryJournal } from '../directoryJournal.js';
import { prepareWrite } from '../../sqlite/transaction.js';

/** A board without a member after this time was never created: its request ended without releasing the place. */
const UNMADE_AFTER_MS = 3_600_000;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

/** The number of boards each user has created, and of memberships each has granted today. */
export class Quotas {
  readonly #journal: DirectoryJournal;
  readonly #countOtherBoards;
  readonly #addBoard;
  readonly #removeBoard;
  readonly #boardsOf;
  readonly #unmade;
  readonly #granted;
  readonly #setGranted;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#countOtherBoards = db.prepare<[Uuid, Uuid], number>('SELECT count(*) FROM created_board WHERE user_id = ? AND board_id <> ?').pluck();
    this.#addBoard = prepareWrite<[Uuid, Uuid, string]>(
      db,
      'INSERT INTO created_board (board_id, user_id, reserved_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#removeBoard = prepareWrite<[Uuid]>(db, 'DELETE FROM created_board WHERE board_id = ?');
    this.#boardsOf = db.prepare<[Uuid], Uuid>('SELECT board_id FROM created_board WHERE user_id = ?').pluck();
    this.#unmade = db
      .prepare<[Uuid, string], Uuid>(
        `SELECT board_id FROM created_board WHERE user_id = ? AND reserved_at < ?
         AND NOT EXISTS (SELECT 1 FROM membership WHERE board_id = created_board.board_id AND position IS NOT NULL)`,
      )
      .pluck();
    this.#granted = db.prepare<[Uuid, string], number>('SELECT count FROM granted_membership WHERE user_id = ? AND day = ?').pluck();
    this.#setGranted = prepareWrite<[Uuid, string, number]>(
      db,
      `INSERT INTO granted_membership (user_id, day, count) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET day = excluded.day, count = excluded.count`,
    );
  }

  /** Refused with `limit`. A repeated reservation does not count against itself. */
  reserveBoard(board: { readonly user_id: Uuid; readonly board_id: Uuid; readonly max: number; readonly now: string }): void {
    const { user_id, board_id, max, now } = board;
    if (this.#otherBoardsOf(user_id, board_id) >= max) {
      const before = new Date(Date.parse(now) - UNMADE_AFTER_MS).toISOString();
      for (const unmade of this.#unmade.all(user_id, before)) this.releaseBoard(unmade);
      if (this.#otherBoardsOf(user_id, board_id) >= max) {
        throw new AppError('limit', `A user can create at most ${max} boards (MAX_BOARDS_PER_USER); delete one first`);
      }
    }
    this.addBoard(board_id, user_id, now);
  }

  addBoard(board_id: Uuid, user_id: Uuid, at: string): void {
    if (this.#addBoard(board_id, user_id, at).changes > 0) this.#journal.note({ op: 'created.add', board_id, user_id, at });
  }

  /** The board was deleted or not created. */
  releaseBoard(board_id: Uuid): void {
    if (this.#removeBoard(board_id).changes > 0) this.#journal.note({ op: 'created.remove', board_id });
  }

  /** The user is deleted: their boards count for nobody. */
  releaseBoardsOf(userId: Uuid): void {
    for (const board of this.#boardsOf.all(userId)) this.releaseBoard(board);
  }

  /** Returns how many of the wanted memberships the user may grant today, and counts these. */
  reserveGrants(userId: Uuid, wanted: number, max: number, now: string): number {
    const day = now.slice(0, DAY_CHARACTERS);
    const granted = this.#granted.get(userId, day) ?? 0;
    const reserved = Math.max(0, Math.min(wanted, max - granted));
    if (reserved > 0) this.setGranted(userId, day, granted + reserved);
    return reserved;
  }

  /** These memberships were not granted. Does nothing if they were reserved on another day. */
  releaseGrants(userId: Uuid, count: number, reservedAt: string): void {
    const day = reservedAt.slice(0, DAY_CHARACTERS);
    const granted = this.#granted.get(userId, day) ?? 0;
    if (granted > 0) this.setGranted(userId, day, Math.max(0, granted - count));
  }

  setGranted(user_id: Uuid, day: string, count: number): void {
    this.#setGranted(user_id, day, count);
    this.#journal.note({ op: 'granted.set', user_id, day, count });
  }

  #otherBoardsOf(userId: Uuid, boardId: Uuid): number {
    return this.#countOtherBoards.get(userId, boardId) ?? 0;
  }
}
