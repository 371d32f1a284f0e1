/** What a list of boards shows of a board: its own fields, its labels and its members. */
import type { BoardState } from '../../domain/board/board.js';
import type { BoardEvent } from '../../domain/events.js';
import { list } from '../../domain/board/view.js';
import type { Notice } from '../../partitions/messages.js';

/** Whether an event changes the board in lists. */
export function isInLists({ type }: Pick<BoardEvent, 'type'>): boolean {
  return type.startsWith('board.') || type.startsWith('label.');
}

export function listedNotice(board: BoardState): Notice {
  const user_ids = list(board, 'member', board.id).map(({ id }) => id);
  return { kind: 'board.listed', board_id: board.id, title: board.get('board', board.id)?.title ?? '', user_ids };
}
