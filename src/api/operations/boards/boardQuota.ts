/** Limits the number of boards that a user has created. */
import type { BoardAnswer } from '../../../domain/ports/boardsPort.js';
import { AppError, type ErrorCode } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { cleanUp } from '../../operation/cleanUp.js';
import type { Services } from '../../operation/operation.js';

/**
 * The id belongs to a board, which may be the user's own: requests with the same key create the same board. If it is not,
 * the directory frees the place later.
 */
const MAY_EXIST: ReadonlySet<ErrorCode> = new Set(['conflict', 'invalid']);

/** Creates a board within the user's limit. A refused board releases its place. */
export async function withinBoardQuota(
  services: Pick<Services, 'directory' | 'config' | 'now' | 'report'>,
  user_id: Uuid,
  board_id: Uuid,
  make: () => Promise<BoardAnswer>,
): Promise<BoardAnswer> {
  const { directory, config, now } = services;
  try {
    await directory.ask('board.reserve', { user_id, board_id, max: config.maxBoardsPerUser, now: now().toISOString() });
  } catch (error) {
    if (error instanceof AppError && error.code === 'limit') return { ok: false, error: error.toData() };
    throw error;
  }
  // If this throws, it is unknown whether the board was created. The directory finds out when the user needs the place.
  const outcome = await make();
  if (!outcome.ok && !MAY_EXIST.has(outcome.error.code)) {
    await cleanUp(services, 'releasing the place of a board', () => directory.ask('board.release', { board_id }));
  }
  return outcome;
}
