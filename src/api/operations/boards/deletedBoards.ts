/** Deleted boards: the list of those that the caller may restore, and their way back. */
import * as v from 'valibot';
import { writePlace } from '../../../domain/board/comments/commentsOnDisk.js';
import { expiryOf, keptSince } from '../../../domain/board/trash/trashOnDisk.js';
import { AppError } from '../../../domain/errors.js';
import type { BoardAnswer } from '../../../domain/ports/boardsPort.js';
import { audited } from '../../operation/audited.js';
import { operation, type Operation } from '../../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../../operation/paging.js';
import { id, timestamp } from '../../schemas/basics.js';
import { FullBoard } from '../../schemas/resources.js';
import { restoringWithinQuota } from './boardQuota.js';

const tag = 'Trash';

const DeletedBoard = v.object({
  id: id(),
  title: v.string(),
  deleted_at: timestamp(),
  expires_at: v.pipe(timestamp(), v.description('Until then it can be restored, unless it has to give way to a new board')),
});

const listDeletedBoards = operation({
  name: 'trash.mine',
  method: 'GET',
  path: '/me/trash',
  access: 'user',
  tag,
  summary: 'List the deleted boards that the caller may restore',
  description:
    'Boards that the caller owned when they were deleted, the latest first, for as many days as `TRASH_DAYS` says. Together with those that are there, ' +
    'the boards that a user has created are at most `MAX_BOARDS_PER_USER`: the longest deleted give way to new ones.',
  query: { before: beforePlace, limit: pageLimit('boards') },
  success: {
    status: 200,
    description: 'A page of deleted boards',
    schema: v.object({ boards: v.array(DeletedBoard), next: nextPlace }),
  },
  async handle({ caller, query: { before, limit } }, { directory, config, now }) {
    const days = config.trashDays;
    if (days === 0) return { json: JSON.stringify({ boards: [], next: null }) };
    const place = before === undefined || before === null ? null : { deleted_at: before.created_at, board_id: before.id };
    const since = keptSince(now().toISOString(), days);
    // One more shows whether there is a next page.
    const found = await directory.ask('trash.list', { user_id: caller.id, since, before: place, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const boards = shown.map(({ board_id, title, deleted_at }) => {
      return { id: board_id, title, deleted_at, expires_at: expiryOf({ created_at: deleted_at }, days) };
    });
    const last = shown.at(-1);
    const next = last === undefined || found.length <= limit ? null : writePlace({ created_at: last.deleted_at, id: last.board_id });
    return { json: JSON.stringify({ boards, next }) };
  },
});

const restoreBoard = operation({
  name: 'board.restore',
  method: 'POST',
  path: '/boards/{board_id}/restore',
  access: 'owner',
  tag,
  summary: 'Restore a deleted board',
  description:
    'For those who owned the board when it was deleted; to all others it is deleted. It comes back with its ids, everything that was on it and its ' +
    'members, without those who were deleted meanwhile. Its webhooks are paused, its invitation links are void, and reminders that became due ' +
    'meanwhile are not sent. Its events go on with the next number; clients that knew it before read it again. `user.board_added` on the ' +
    'socket `/ws` tells its members. A board that is there stays as it is.',
  // Repeated, it answers the same.
  isAnswerKept: false,
  success: {
    status: 200,
    description: 'The board with everything on it',
    schema: FullBoard,
    headers: { ETag: 'The position of the board’s latest event, as in `GET /boards/{board_id}`' },
  },
  errors: {
    404: 'No such board, or it can be restored no longer, or not by the caller',
    409: 'The creator of the board has as many boards as `MAX_BOARDS_PER_USER` allows',
    503: 'Somebody who was on the board is just being deleted; try again after `Retry-After` seconds',
  },
  async handle({ caller, params }, services) {
    const { boards, directory } = services;
    const [target, user_id] = [params['board_id'] ?? '', caller.id];
    const found = await directory.ask('trash.find', { user_id, board_id: target });
    // The name of a deleted user must not be shown, also not before every board has heard of the deletion.
    if (found?.isErasing === true) {
      throw new AppError('unavailable', 'A user who was on the board is being deleted. Try again.', { retryAfter: 1 });
    }
    const restore = async (): Promise<BoardAnswer> => {
      return boards.ask({ op: 'board.restore', caller: { user_id }, target, input: { is_listed: found !== null } });
    };
    const outcome = await restoringWithinQuota(services, found?.creator_id ?? null, target, restore);
    if (!outcome.ok) throw AppError.from(outcome.error);
    const board = await boards.ask({ op: 'board.get', caller: { user_id }, target, input: {} });
    if (!board.ok) throw AppError.from(board.error);
    return { json: board.bytes ?? board.json, headers: [['ETag', `"${board.position ?? 0}"`]] };
  },
});

export const deletedBoardOperations: readonly Operation[] = [
  listDeletedBoards,
  audited(restoreBoard, 'board.restored', ({ params }) => ({ subject: { id: params['board_id'] ?? '' } })),
];
