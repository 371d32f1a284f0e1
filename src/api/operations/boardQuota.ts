/** Limits the number of boards that a user has created. */
import type { BoardAnswer } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { cleanUp } from '../cleanUp.js';
import type { Services } from '../operation.js';

/** Creates a board within the user's limit. A refused board releases its place. */
export async function withinBoardQuota(
  services: Services,
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
  if (!outcome.ok) {
    await cleanUp(services, 'releasing the place of a board', () => directory.ask('board.release', { board_id }));
  }
  return outcome;
}
