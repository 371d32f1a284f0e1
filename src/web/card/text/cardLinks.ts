/** `#12` in a text leads to the card with that number, if its board has one. Made after the sanitizer, from text alone. */
import type { FullBoard } from '../../../client/index.js';
import { numberPath } from '../../state/route.js';

const NUMBER = /(^|[^\w&#/])#([1-9]\d{0,9})(?!\w)/g;
/** In links and code a number is what it is. */
const UNTOUCHED = 'a, code, pre';
/** A text of numbers alone would become thousands of elements. */
const MAX_LINKS = 500;

export function linkCards(root: Node, board: FullBoard | null): void {
  if (board === null || !root.textContent?.includes('#')) return;
  const titles = new Map(board.columns.flatMap(({ cards }) => cards.map(({ number, title }) => [number, title])));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (text.data.includes('#') && text.parentElement?.closest(UNTOUCHED) === null) texts.push(text);
  }
  let left = MAX_LINKS;
  for (const text of texts) {
    const parts: Array<Node | string> = [];
    let end = 0;
    for (const match of text.data.matchAll(NUMBER)) {
      const title = titles.get(Number(match[2]));
      if (title === undefined || left === 0) continue;
      left -= 1;
      const at = match.index + (match[1] ?? '').length;
      parts.push(text.data.slice(end, at), linkTo(board.id, match[2] ?? '', title));
      end = match.index + match[0].length;
    }
    if (parts.length > 0) text.replaceWith(...parts, text.data.slice(end));
  }
}

function linkTo(boardId: string, number: string, title: string): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = numberPath(boardId, number);
  link.title = title;
  link.textContent = `#${number}`;
  return link;
}
