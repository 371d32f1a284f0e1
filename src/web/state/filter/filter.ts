/** Which cards of a board are shown. */
import type { Card, Column } from '../../../client/index.js';
import { dueState } from '../../dates/dates.js';

export interface Filter {
  readonly text: string;
  readonly labelIds: ReadonlySet<string>;
  readonly userIds: ReadonlySet<string>;
  readonly due: ReadonlySet<string>;
}

export const EVERYTHING: Filter = { text: '', labelIds: new Set(), userIds: new Set(), due: new Set() };

export function isEverything({ text, labelIds, userIds, due }: Filter): boolean {
  return text.trim() === '' && labelIds.size === 0 && userIds.size === 0 && due.size === 0;
}

/** Each given part must fit; of several labels, people or states, one is enough. */
export function fits(card: Card, { text, labelIds, userIds, due }: Filter): boolean {
  if (due.size > 0 && !due.has(dueState(card) ?? '')) return false;
  if (labelIds.size > 0 && !card.labels.some(({ id }) => labelIds.has(id))) return false;
  if (userIds.size > 0 && !card.assignees.some(({ id }) => userIds.has(id))) return false;
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return true;
  return card.title.toLocaleLowerCase().includes(wanted) || (card.description ?? '').toLocaleLowerCase().includes(wanted);
}

/** Remembers the result for a column, because most columns are the same objects after a change. */
export class FilteredColumns {
  #filter: Filter = EVERYTHING;
  #cards = new WeakMap<Column, readonly Card[]>();

  cardsOf(column: Column, filter: Filter): readonly Card[] {
    if (isEverything(filter)) return column.cards;
    if (filter !== this.#filter) {
      this.#filter = filter;
      this.#cards = new WeakMap();
    }
    const known = this.#cards.get(column);
    if (known !== undefined) return known;
    const cards = column.cards.filter((card) => fits(card, filter));
    this.#cards.set(column, cards);
    return cards;
  }
}

export function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}
