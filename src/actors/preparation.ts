/**
 * What can be done in slices before a command is carried out in one go: writing the JSON of thousands of cards, which is
 * kept and then only has to be put together.
 */
import type { BoardState } from '../domain/board.js';
import type { BoardCommand, BoardCommands, BoardOperation } from '../domain/commands.js';
import type { Uuid } from '../domain/ids.js';
import { list } from '../domain/view.js';

/** Cards that are rendered in a few milliseconds need no preparation. */
const MANY_CARDS = 200;
/** Cards between two looks at the clock. */
const STRIDE = 16;

/** Events and answers about a column carry its cards. */
const ABOUT_A_COLUMN: ReadonlySet<BoardOperation> = new Set(['column.update', 'column.move', 'column.delete']);

/** Null where nothing, or little, is to be done. It pauses often. */
export function prepare(board: BoardState, command: BoardCommand): Generator<undefined, void> | null {
  const columns = columnsShownBy(board, command);
  const cards = columns.reduce((sum, column) => sum + board.children('card', column).size, 0);
  return cards < MANY_CARDS ? null : renderCards(board, columns);
}

function columnsShownBy(board: BoardState, { op, target, input }: BoardCommand): readonly Uuid[] {
  if ('refused' in input) return [];
  if (ABOUT_A_COLUMN.has(op)) return [target];
  const isWhole = op === 'board.get' && (input as BoardCommands['board.get']).known_seq !== board.seq;
  return isWhole ? Array.from(board.children('column', board.id), ({ id }) => id) : [];
}

function* renderCards(board: BoardState, columns: readonly Uuid[]): Generator<undefined, void> {
  let rendered = 0;
  for (const column of columns) {
    for (const card of list(board, 'card', column)) {
      board.render.card(card);
      rendered += 1;
      if (rendered % STRIDE === 0) yield undefined;
    }
  }
}
