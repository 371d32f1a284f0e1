/** The board that a request with a key creates: every repetition of the request leads to the same one. */
import { AppError } from '../../../domain/errors.js';
import { isSameRequest, keyReused, type KeptAnswer } from '../../../domain/idempotency.js';
import { boardIdFrom, type Uuid } from '../../../domain/ids.js';
import { toAnswer } from '../../operation/boardOperation.js';
import type { RequestKey } from '../../operation/requestKey.js';
import { idWasUsed } from '../../../domain/refusals.js';
import type { OperationAnswer, Services } from '../../operation/operation.js';

/** A board key has 48 bits, so the second one is free. */
const MAX_ATTEMPTS = 4;

export interface BoardOfRequest {
  readonly boardId: Uuid;
  /** If the request, or another one with its key, was carried out before. */
  readonly kept: KeptAnswer | null;
  /** Whether it was carried out before, and its answer is forgotten. */
  readonly isMade: boolean;
}

/** An id whose board key another board has is passed over, by every repetition alike. Refuses the key of a board that was deleted. */
export async function findBoardOfRequest(services: Services, user: Uuid, key: string): Promise<BoardOfRequest> {
  const { answers, directory } = services;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const boardId = boardIdFrom(user, key, attempt);
    const { kept, board } = await answers.find(boardId, user, key);
    if (kept !== null || board === 'exists') return { boardId, kept, isMade: kept === null };
    if (await directory.ask('board.wasDeleted', { board_id: boardId })) throw idWasUsed();
    if (board === 'taken') continue;
    if (board === 'none') return { boardId, kept, isMade: false };
    // The rows of an interrupted import. They are deleted soon, and then this id is free.
    throw tryAgain();
  }
  throw new AppError('invalid', 'Idempotency-Key: no board can have it; use another one');
}

/** The kept answer, or a refusal if it belongs to another request. */
export function replayOf(kept: KeptAnswer, key: RequestKey): OperationAnswer {
  if (!isSameRequest(kept, { key: key.key, fingerprint: key.fingerprint() })) throw keyReused();
  const { body, position } = kept;
  return toAnswer(body, { ...(position === null ? {} : { position }), replayed: true });
}

/** Rows with the key of the board are being deleted, or another request has just used the key. */
export function tryAgain(): AppError {
  return new AppError('unavailable', 'The board cannot be created yet. Try again.', { retryAfter: 1 });
}
