/** Read access to a board or to a draft over it. */
import type { Uuid } from '../ids.js';
import type { Card, ChecklistItem, Entities, Kind } from '../model.js';
import type { Order } from './order/order.js';

export interface BoardView {
  readonly id: Uuid;
  get<K extends Kind>(kind: K, id: Uuid): Entities[K] | undefined;
  children(kind: Kind, parent: Uuid): Order;
}

/** For ids that come from the board itself: a missing record is a fault of ours, not of the caller. */
export function need<K extends Kind>(view: BoardView, kind: K, id: Uuid): Entities[K] {
  const record = view.get(kind, id);
  if (record === undefined) throw new Error(`the board ${view.id} refers to a ${kind} ${id} that it does not have`);
  return record;
}

/** The records below a parent, in order. */
export function list<K extends Kind>(view: BoardView, kind: K, parent: Uuid): Entities[K][] {
  const records: Entities[K][] = [];
  const children = view.children(kind, parent);
  // Most cards have nothing below them, and an iteration of nothing is not free.
  if (children.size === 0) return records;
  for (const { id } of children) records.push(need(view, kind, id));
  return records;
}

export function* everyCard(view: BoardView): Generator<Card> {
  for (const column of view.children('column', view.id)) yield* list(view, 'card', column.id);
}

export function* itemsOfCard(view: BoardView, card: Uuid): Generator<ChecklistItem> {
  for (const checklist of view.children('checklist', card)) yield* list(view, 'item', checklist.id);
}
