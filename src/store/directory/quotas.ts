import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { prepareWrite } from '../sqlite/transaction.js';

/** A board without a member after this time was never created: its request ended without releasing the place. */
const UNMADE_AFTER_MS = 3_600_000;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

/** The number of boards each user has created, and of memberships each has granted today. */
export class Quotas {
  readonly #countBoards;
  readonly #addBoard;
  readonly #removeBoard;
  readonly #removeUnmade;
  readonly #granted;
  readonly #setGranted;

  constructor(db: Database) {
    this.#countBoards = db.prepare<[Uuid], number>('SELECT count(*) FROM created_board WHERE user_id = ?').pluck();
    this.#addBoard = prepareWrite<[Uuid, Uuid, string]>(
      db,
      'INSERT INTO created_board (board_id, user_id, reserved_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#removeBoard = prepareWrite<[Uuid]>(db, 'DELETE FROM created_board WHERE board_id = ?');
    this.#removeUnmade = prepareWrite<[Uuid, string]>(
      db,
      `DELETE FROM created_board WHERE user_id = ? AND reserved_at < ?
       AND NOT EXISTS (SELECT 1 FROM membership WHERE board_id = created_board.board_id AND position IS NOT NULL)`,
    );
    this.#granted = db
      .prepare<[Uuid, string], number>('SELECT count FROM granted_membership WHERE user_id = ? AND day = ?')
      .pluck();
    this.#setGranted = prepareWrite<[Uuid, string, number]>(
      db,
      `INSERT INTO granted_membership (user_id, day, count) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET day = excluded.day, count = excluded.count`,
    );
  }

  /** Refused with `limit`. */
  reserveBoard(board: { readonly user_id: Uuid; readonly board_id: Uuid; readonly max: number; readonly now: string }): void {
    const { user_id, board_id, max, now } = board;
    if (this.#boardsOf(user_id) >= max) {
      this.#removeUnmade(user_id, new Date(Date.parse(now) - UNMADE_AFTER_MS).toISOString());
      if (this.#boardsOf(user_id) >= max) {
        throw new AppError('limit', `A user can create at most ${max} boards (MAX_BOARDS_PER_USER); delete one first`);
      }
    }
    this.#addBoard(board_id, user_id, now);
  }

  /** The board was deleted or not created. */
  releaseBoard(boardId: Uuid): void {
    this.#removeBoard(boardId);
  }

  /** Returns how many of the wanted memberships the user may grant today, and counts these. */
  reserveGrants(userId: Uuid, wanted: number, max: number, now: string): number {
    const day = now.slice(0, DAY_CHARACTERS);
    const granted = this.#granted.get(userId, day) ?? 0;
    const reserved = Math.max(0, Math.min(wanted, max - granted));
    if (reserved > 0) this.#setGranted(userId, day, granted + reserved);
    return reserved;
  }

  /** These memberships were not granted. Does nothing if they were reserved on another day. */
  releaseGrants(userId: Uuid, count: number, reservedAt: string): void {
    const day = reservedAt.slice(0, DAY_CHARACTERS);
    const granted = this.#granted.get(userId, day) ?? 0;
    if (granted > 0) this.#setGranted(userId, day, Math.max(0, granted - count));
  }

  #boardsOf(userId: Uuid): number {
    return this.#countBoards.get(userId) ?? 0;
  }
}
