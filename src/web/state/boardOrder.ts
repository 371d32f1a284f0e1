/** In which order the list shows its boards, and which of them. The boards that were opened lately are kept in this browser. */
import { signal } from '@preact/signals';
import type { BoardSummary } from '../../client/index.js';
import { currentUser } from './session.js';
import { catalogue } from '../words/catalogue.js';

export type BoardOrder = 'opened' | 'active' | 'title';

const OPENED_AS = 'switchboard opened boards';
const ORDER_AS = 'switchboard order of boards';
/** Far more than anybody remembers. */
const MAX_OPENED = 100;

export const boardOrder = signal<BoardOrder>(storedOrder());

export function orderBoardsBy(order: BoardOrder): void {
  boardOrder.value = order;
  keep(ORDER_AS, order);
}

/** Of this user: others may use the same browser. */
export function noteOpened(boardId: string): void {
  keep(openedAs(), JSON.stringify([boardId, ...opened().filter((id) => id !== boardId)].slice(0, MAX_OPENED)));
}

/** Starred ones first. Boards that were never opened here follow the others, the most active first. */
export function inOrder<Board extends BoardSummary>(boards: readonly Board[], order: BoardOrder): readonly Board[] {
  const compare = order === 'title' ? byTitle() : order === 'active' ? byActivity : byOpening();
  return boards.toSorted((a, b) => Number(b.is_starred) - Number(a.is_starred) || compare(a, b));
}

/** The boards in whose title all words of the text occur. */
export function titled<Board extends BoardSummary>(boards: readonly Board[], text: string): readonly Board[] {
  const words = fold(text).split(/\s+/);
  return boards.filter(({ title }) => words.every((word) => fold(title).includes(word)));
}

function byOpening(): (a: BoardSummary, b: BoardSummary) => number {
  const places = new Map(opened().map((id, place) => [id, place]));
  const placeOf = ({ id }: BoardSummary): number => places.get(id) ?? MAX_OPENED;
  return (a, b) => placeOf(a) - placeOf(b) || byActivity(a, b);
}

function byActivity(a: BoardSummary, b: BoardSummary): number {
  return a.last_activity_at < b.last_activity_at ? 1 : a.last_activity_at > b.last_activity_at ? -1 : 0;
}

function byTitle(): (a: BoardSummary, b: BoardSummary) => number {
  const { compare } = new Intl.Collator(catalogue.value.locale, { numeric: true });
  return (a, b) => compare(a.title, b.title);
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}

function openedAs(): string {
  return `${OPENED_AS} ${currentUser().id}`;
}

/** Anything may stand there. */
function opened(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(openedAs()) ?? '[]');
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function storedOrder(): BoardOrder {
  try {
    const found = localStorage.getItem(ORDER_AS);
    return found === 'active' || found === 'title' ? found : 'opened';
  } catch {
    return 'opened';
  }
}

function keep(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // A browser that keeps nothing: the order holds as long as the page.
  }
}
