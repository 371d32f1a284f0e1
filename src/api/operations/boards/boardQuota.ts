/** Limits the number of boards that a user has created, deleted ones that can be restored included. */
import type { BoardAnswer } from '../../../domain/ports/boardsPort.js';
import { AppError, type ErrorCode } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { cleanUp } from '../../operation/cleanUp.js';
import type { Services } from '../../operation/operation.js';

type QuotaServices = Pick<Services, 'directory' | 'trashedBoards' | 'config' | 'now' | 'report'>;

/**
 * The id belongs to a board, which may be the user's own: requests with the same key create the same board. If it is not,
 * the directory frees the place later.
 */
const MAY_EXIST: ReadonlySet<ErrorCode> = new Set(['conflict', 'invalid']);

/** Creates a board within the user's limit. A refused board releases its place. */
export async function withinBoardQuota(
  services: QuotaServices,
  user_id: Uuid,
  board_id: Uuid,
  make: () => Promise<BoardAnswer>,
): Promise<BoardAnswer> {
  return reserving(services, user_id, board_id, make, (code) => !MAY_EXIST.has(code));
}

/** Restores a board within the limit of its creator, if there is one. Only where it is gone no other request can have restored it. */
export async function restoringWithinQuota(
  services: QuotaServices,
  creator: Uuid | null,
  board_id: Uuid,
  restore: () => Promise<BoardAnswer>,
): Promise<BoardAnswer> {
  return creator === null ? restore() : reserving(services, creator, board_id, restore, (code) => code === 'not_found');
}

async function reserving(
  services: QuotaServices,
  user_id: Uuid,
  board_id: Uuid,
  make: () => Promise<BoardAnswer>,
  isFree: (code: ErrorCode) => boolean,
): Promise<BoardAnswer> {
  const { directory, config, now } = services;
  try {
    const reserved = await directory.ask('board.reserve', { user_id, board_id, max: config.maxBoardsPerUser, now: now().toISOString() });
    if (reserved !== true) await makeRoom(services, reserved.excess);
  } catch (error) {
    if (error instanceof AppError && error.code === 'limit') return { ok: false, error: error.toData() };
    throw error;
  }
  // If this throws, it is unknown whether the board was created. The directory finds out when the user needs the place.
  const outcome = await make();
  if (!outcome.ok && isFree(outcome.error.code)) {
    await cleanUp(services, 'releasing the place of a board', () => directory.ask('board.release', { board_id }));
  }
  return outcome;
}

/** The longest deleted boards give way. What is out of reach does so with the user's next board. */
async function makeRoom(services: QuotaServices, excess: readonly Uuid[]): Promise<void> {
  for (const board of excess) await cleanUp(services, 'making room for a board', () => services.trashedBoards.discard(board));
}
