/** Work that is done in slices before a command runs at once: see `PreparedTexts`. */
import type { BoardState } from '../board/board.js';
import { documentText } from '../document/boardDocument.js';
import type { BoardCommand, BoardCommands } from './commands.js';
import { HANDLERS } from './table.js';
import { LARGE_EVENT_CHARACTERS } from '../events.js';
import type { Uuid } from '../ids.js';
import { writePosition } from '../position.js';
import { markOf } from '../board/marks.js';
import type { Kind } from '../model.js';
import { list, need } from '../board/view.js';

/** Fewer cards are rendered in a few milliseconds. */
const MANY_CARDS = 200;
/** Fewer labels or members are, too. A label has up to 1,500 bytes of JSON. */
const MANY_RECORDS = 500;
/** Cards or other records between two pauses. */
const STRIDE = 16;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** Null if there is little or nothing to do for the command. Pauses often. */
export function prepare(board: BoardState, command: BoardCommand): Generator<undefined, void> | null {
  // The types guarantee a handler, but a newer instance may send an operation that this one does not know.
  const lists = HANDLERS[command.op]?.lists ?? null;
  if (lists === null) return null;
  const columns = lists.kinds.includes('card') ? columnsShownBy(board, command) : [];
  const cards = columns.reduce((sum, column) => sum + board.children('card', column).size, 0);
  const kinds = lists.kinds.filter((kind) => kind !== 'card');
  const records = kinds.reduce((sum, kind) => sum + board.children(kind, board.id).size, 0);
  if (cards < MANY_CARDS && records < MANY_RECORDS) return null;
  return command.op === 'board.export' ? prepareDocument(board) : prepareLists(board, kinds, columns);
}

export function dropPrepared({ prepared }: BoardState): void {
  if (prepared.columns.size > 0) prepared.columns.clear();
  if (prepared.marked.size > 0) prepared.marked.clear();
  prepared.document = null;
}

function columnsShownBy(board: BoardState, { op, target, input }: BoardCommand): readonly Uuid[] {
  if ('refused' in input) return [];
  if (HANDLERS[op].target === 'column') return [target];
  const { known = [] } = input as BoardCommands['board.get'];
  return known.includes(writePosition(board)) ? [] : Array.from(board.children('column', board.id), ({ id }) => id);
}

function* prepareLists(board: BoardState, kinds: readonly Kind[], columns: readonly Uuid[]): Generator<undefined, void> {
  for (const kind of kinds) yield* prepareRecords(board, kind);
  yield* prepareColumns(board, columns);
}

/** Renders each record once; the renderer caches the result. */
function* prepareRecords(board: BoardState, kind: Kind): Generator<undefined, void> {
  let rendered = 0;
  for (const { id } of board.children(kind, board.id)) {
    board.render.record(kind, need(board, kind, id));
    rendered += 1;
    if (rendered % STRIDE === 0) yield undefined;
  }
}

function* prepareColumns(board: BoardState, columns: readonly Uuid[]): Generator<undefined, void> {
  const { prepared } = board;
  for (const column of columns) {
    let characters = 0;
    let rendered = 0;
    const cards = list(board, 'card', column);
    for (const card of cards) {
      characters += board.render.card(card).length + 1;
      rendered += 1;
      if (rendered % STRIDE === 0) yield undefined;
    }
    const texts = cards.map((card) => board.render.card(card));
    if (characters < LARGE_EVENT_CHARACTERS) {
      prepared.columns.set(column, `[${texts.join(',')}]`);
      continue;
    }
    // Joined as text, they would be copied repeatedly before they become bytes.
    const mark = markOf(column);
    prepared.marked.set(mark, yield* joinInSlices(texts));
    prepared.columns.set(column, mark);
  }
}

/** A JSON array of texts, encoded. */
function* joinInSlices(texts: readonly string[]): Generator<undefined, Uint8Array> {
  let size = 1;
  for (const [index, text] of texts.entries()) {
    size += Buffer.byteLength(text) + 1;
    if (index % STRIDE === 0) yield undefined;
  }
  const bytes = new Uint8Array(Math.max(size, 2));
  const buffer = Buffer.from(bytes.buffer);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    bytes[at] = index === 0 ? OPEN_LIST : COMMA;
    at += 1 + buffer.write(text, at + 1);
    if (index % STRIDE === 0) yield undefined;
  }
  bytes[at] = CLOSE_LIST;
  return bytes;
}

function* prepareDocument(board: BoardState): Generator<undefined, void> {
  const record = board.get('board', board.id);
  if (record !== undefined) board.prepared.document = yield* documentText(board, record);
}
