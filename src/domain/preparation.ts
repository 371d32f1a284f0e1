/** What can be done in slices before a command is carried out in one go: see `PreparedTexts`. */
import type { BoardState } from './board.js';
import { documentText } from './boardDocument.js';
import type { BoardCommand, BoardCommands, BoardOperation } from './commands.js';
import type { Uuid } from './ids.js';
import { list } from './view.js';

/** Fewer cards are rendered in a few milliseconds. */
const MANY_CARDS = 200;
/** Cards between two pauses. */
const STRIDE = 16;
/** Cards whose texts are joined at a time: the last join is then of a few hundred pieces. */
const PIECE = 256;

/** Events and answers about a column carry its cards. */
const ABOUT_A_COLUMN: ReadonlySet<BoardOperation> = new Set(['column.update', 'column.move', 'column.delete']);

/** Nearly every command is another. */
const LARGE: ReadonlySet<BoardOperation> = new Set([...ABOUT_A_COLUMN, 'board.get', 'board.export']);

/** Null where nothing, or little, is to be done for the command. It pauses often. */
export function prepare(board: BoardState, command: BoardCommand): Generator<undefined, void> | null {
  if (!LARGE.has(command.op)) return null;
  const columns = columnsShownBy(board, command);
  const cards = columns.reduce((sum, column) => sum + board.children('card', column).size, 0);
  if (cards < MANY_CARDS) return null;
  return command.op === 'board.export' ? prepareDocument(board) : prepareColumns(board, columns);
}

export function dropPrepared({ prepared }: BoardState): void {
  if (prepared.columns.size > 0) prepared.columns.clear();
  prepared.document = null;
}

function columnsShownBy(board: BoardState, { op, target, input }: BoardCommand): readonly Uuid[] {
  if ('refused' in input) return [];
  if (ABOUT_A_COLUMN.has(op)) return [target];
  const isWhole = op === 'board.get' && (input as BoardCommands['board.get']).known_seq !== board.seq;
  return isWhole || op === 'board.export' ? Array.from(board.children('column', board.id), ({ id }) => id) : [];
}

function* prepareColumns(board: BoardState, columns: readonly Uuid[]): Generator<undefined, void> {
  for (const column of columns) {
    const pieces: string[] = [];
    let texts: string[] = [];
    for (const card of list(board, 'card', column)) {
      texts.push(board.render.card(card));
      if (texts.length % STRIDE === 0) yield undefined;
      if (texts.length < PIECE) continue;
      pieces.push(texts.join(','));
      texts = [];
    }
    if (texts.length > 0) pieces.push(texts.join(','));
    board.prepared.columns.set(column, `[${pieces.join(',')}]`);
  }
}

function* prepareDocument(board: BoardState): Generator<undefined, void> {
  const record = board.get('board', board.id);
  if (record !== undefined) board.prepared.document = yield* documentText(board, record);
}
