import type { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import { notFound, notMember } from '../refusals.js';
import type { BoardState } from './board.js';

/** The board with this id if the user is a member of it, else the refusal. `board` is null if it does not exist. */
export function boardOfMember(board: BoardState | null, id: Uuid, user: Uuid): BoardState | AppError {
  if (board?.get('board', id) === undefined) return notFound('board');
  return board.get('member', user) === undefined ? notMember() : board;
}
