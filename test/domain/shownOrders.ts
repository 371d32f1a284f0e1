/** The lists of a board as a client shows them: the ids below every parent, in order. */
import assert from 'node:assert/strict';
import type { Uuid } from '../../src/domain/ids.js';
import { BOARD_ID } from './scenario.js';
import type { WireBoard } from './wire.js';

export type ShownOrders = Readonly<Record<Uuid, readonly Uuid[]>>;

interface Ranked {
  readonly id: Uuid;
  readonly rank: number;
}

export function shownOrders({ columns }: WireBoard): ShownOrders {
  const cards = columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  return Object.fromEntries([
    [BOARD_ID, inOrder(columns)],
    ...columns.map((column) => [column.id, inOrder(column.cards)]),
    ...cards.map((card) => [card.id, inOrder(card.checklists)]),
    ...checklists.map((checklist) => [checklist.id, inOrder(checklist.items)]),
  ]) as ShownOrders;
}

/** The orders with one record at its new place, wherever it was before; a new column has no cards. */
export function withPlace(orders: ShownOrders, id: Uuid, parent: Uuid, position: number | null): ShownOrders {
  const without = Object.entries(orders).map(([key, ids]) => [key, ids.filter((other) => other !== id)] as const);
  const moved = new Map(without);
  const siblings = moved.get(parent) ?? [];
  moved.set(parent, siblings.toSpliced(position ?? siblings.length, 0, id));
  return Object.fromEntries(moved);
}

/** Ids by rank. Two siblings on one rank have no order that all clients agree on. */
function inOrder(siblings: readonly Ranked[]): Uuid[] {
  assert.equal(new Set(siblings.map(({ rank }) => rank)).size, siblings.length, 'no two siblings on one rank');
  return siblings.toSorted((a, b) => a.rank - b.rank).map(({ id }) => id);
}
