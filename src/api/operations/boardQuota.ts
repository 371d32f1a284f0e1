/** How many boards a user may have created. */
import type { BoardAnswer } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { cleanUp } from '../cleanUp.js';
import type { Services } from '../operation.js';

/** Makes a board within the user's limit. A board that was refused gives its place back. */
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
  // When it throws nobody knows whether the board was made. The directory finds out, once the user needs the room.
  const outcome = await make();
  if (!outcome.ok) {
    await cleanUp(services, 'giving back the place of a board', () => directory.ask('board.release', { board_id }));
  }
  return outcome;
}
