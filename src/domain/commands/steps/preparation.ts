/** Work that is done in slices before a command runs at once: see `PreparedTexts`. */
import type { BoardState } from '../../board/board.js';
import { documentText, type JoinCards } from '../../document/boardDocument.js';
import type { BoardCommand, BoardCommands } from '../commands.js';
import { HANDLERS } from '../table.js';
import { LARGE_EVENT_CHARACTERS } from '../../events.js';
import type { Uuid } from '../../ids.js';
import { writePosition } from '../../position.js';
import { measure } from '../../limits.js';
import { markOf } from '../../board/marks.js';
import { joinSharedInSlices, type UnwrittenBytes } from '../../content/sharedBytes.js';
import type { Card, Kind } from '../../model.js';
import { list, need } from '../../board/view.js';

/** Fewer cards are rendered in a few milliseconds. */
const MANY_CARDS = 200;
/** So are cards of a board with fewer bytes of text. */
const MANY_BYTES = 2 * 1024 * 1024;
/** Fewer labels or members are, too. A label has up to 1,500 bytes of JSON. */
const MANY_RECORDS = 500;
/** Fewer comments and archived cards are, too. */
const MANY_BYTES_ON_DISK = 256 * 1024;
/** A longer card is followed by a pause. */
const LONG_CARD = 64 * 1024;
/** Cards or other records between two pauses. */
const STRIDE = 16;
/** `answer`: the command only reads. `event`: it also publishes. */
type Purpose = 'answer' | 'event';
/** Longer columns become bytes. An event of bytes is not sent to everyone, see `isLarge`. */
const MAX_TEXT: Readonly<Record<Purpose, number>> = { answer: 64 * 1024, event: LARGE_EVENT_CHARACTERS };
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
  const onDisk = measure(board.size, 'commentBytes') + (board.size.archived?.bytes ?? 0);
  const isLong = command.op === 'board.export' && onDisk >= MANY_BYTES_ON_DISK;
  const isManyCards = cards >= MANY_CARDS || (cards > 0 && measure(board.size, 'bytes') >= MANY_BYTES);
  if (!isManyCards && records < MANY_RECORDS && !isLong) return null;
  if (command.op === 'board.export') return prepareDocument(board);
  return prepareLists(board, kinds, columns, HANDLERS[command.op].effect === 'read' ? 'answer' : 'event');
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

function* prepareLists(board: BoardState, kinds: readonly Kind[], columns: readonly Uuid[], purpose: Purpose): Generator<undefined, void> {
  for (const kind of kinds) yield* prepareRecords(board, kind);
  const render = (card: Card): string => board.render.card(card);
  for (const column of columns) {
    board.prepared.columns.set(column, yield* joinCards(board, purpose, column, list(board, 'card', column), render));
  }
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

/**
 * The JSON array of the cards, or a mark for its bytes if it is long. A long one never exists as text: the cards are
 * rendered once for their size and once to be encoded, and no text outlives its card. Texts that stay until the last is
 * rendered make the heap grow by several times the board.
 */
function* joinCards<T>(
  { prepared }: BoardState,
  purpose: Purpose,
  column: Uuid,
  cards: readonly T[],
  render: (card: T) => string,
): Generator<undefined, string> {
  let length = 1;
  for (const [index, card] of cards.entries()) {
    const bytes = Buffer.byteLength(render(card)) + 1;
    length += bytes;
    if (index % STRIDE === STRIDE - 1 || bytes > LONG_CARD) yield undefined;
  }
  if (length < MAX_TEXT[purpose]) return `[${cards.map(render).join(',')}]`;
  const mark = markOf(column);
  const unwritten: UnwrittenBytes = { length, write: (to, at) => writeCards(cards, render, to, at, at + length) };
  // An answer is encoded before the board's next command. An event may show less than that.
  prepared.marked.set(mark, purpose === 'answer' ? unwritten : yield* joinSharedInSlices([unwritten]));
  return mark;
}

/** Writes a JSON array that ends at `end`. */
function* writeCards<T>(cards: readonly T[], render: (card: T) => string, to: Buffer, from: number, end: number): Generator<undefined, void> {
  let at = from;
  for (const [index, card] of cards.entries()) {
    to[at] = index === 0 ? OPEN_LIST : COMMA;
    const bytes = 1 + to.write(render(card), at + 1);
    at += bytes;
    if (index % STRIDE === STRIDE - 1 || bytes > LONG_CARD) yield undefined;
  }
  to[at] = CLOSE_LIST;
  if (at + 1 !== end) throw new Error('the cards changed while they were written');
}

function* prepareDocument(board: BoardState): Generator<undefined, void> {
  const record = board.get('board', board.id);
  const join: JoinCards = (column, cards, render) => joinCards(board, 'answer', column, cards, render);
  if (record !== undefined) board.prepared.document = yield* documentText(board, record, join);
}
