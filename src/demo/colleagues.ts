/** People who are busy on a board: each follows it, and now and then one of them does something. */
import type { BoardConnection, Card, FullBoard } from '../client/index.js';
import { THOUGHTS } from './plan.js';

/** The board stays about this full. */
const MAX_CARDS = 24;
const DONE_CARDS = 5;

export interface Chance {
  /** From 0 up to but not including 1. */
  random(): number;
}

/** One act of one colleague. Returns what was done, for the log. */
export async function act(connection: BoardConnection, { random }: Chance): Promise<string> {
  const { board } = connection;
  if (board === null) return 'nothing';
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const cards = board.columns.flatMap((column) => column.cards);
  const open = board.columns.flatMap((column) => (column.is_done_column ? [] : column.cards));
  const card = pick(open);
  if (card === undefined) return add(connection, board, pick);
  const chance = random();
  if (chance < 0.4) return move(connection, board, card, random);
  if (chance < 0.6) return tick(connection, open, pick);
  if (chance < 0.75) return read(connection, card);
  if (chance < 0.9 && cards.length < MAX_CARDS) return add(connection, board, pick);
  return tidy(connection, board);
}

async function move(connection: BoardConnection, board: FullBoard, card: Card, random: () => number): Promise<string> {
  const at = board.columns.findIndex(({ id }) => id === card.column_id);
  const target = board.columns[random() < 0.8 ? at + 1 : at] ?? board.columns[at];
  if (target === undefined) return 'nothing';
  const position = Math.floor(random() * (target.cards.length + 1));
  await connection.change('card.move', { card_id: card.id }, { column_id: target.id, position });
  return 'moved a card';
}

async function tick(connection: BoardConnection, cards: readonly Card[], pick: <T>(items: readonly T[]) => T | undefined): Promise<string> {
  const item = pick(cards.flatMap((card) => card.checklists.flatMap((checklist) => checklist.items.filter(({ is_done }) => !is_done))));
  if (item === undefined) return 'nothing';
  await connection.change('item.update', { item_id: item.id }, { is_done: true });
  return 'ticked an item';
}

function read(connection: BoardConnection, card: Card): Promise<string> {
  connection.setState({ card_id: card.id });
  return Promise.resolve('opened a card');
}

async function add(connection: BoardConnection, board: FullBoard, pick: <T>(items: readonly T[]) => T | undefined): Promise<string> {
  const [column] = board.columns;
  const known = new Set(board.columns.flatMap(({ cards }) => cards.map(({ title }) => title)));
  const title = pick(THOUGHTS.filter((thought) => !known.has(thought)));
  if (column === undefined || title === undefined) return 'nothing';
  await connection.change('card.create', { board_id: board.id, column_id: column.id }, { title, position: 0 });
  return 'added a card';
}

/** What is long done goes, or back to the beginning. */
async function tidy(connection: BoardConnection, board: FullBoard): Promise<string> {
  connection.setState(null);
  const [first] = board.columns;
  const done = board.columns.find(({ is_done_column }) => is_done_column);
  const last = done?.cards.at(-1);
  if (first === undefined || done === undefined || last === undefined || done.cards.length <= DONE_CARDS) return 'nothing';
  await connection.change('card.move', { card_id: last.id }, { column_id: first.id });
  return 'took up something again';
}
