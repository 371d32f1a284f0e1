/** The structure of a board: the parent of each kind, and the order of siblings. */
import type { Uuid } from '../ids.js';
import type { Entities, Kind } from '../model.js';
import type { Order } from './order/order.js';

/** Kinds that users order. */
export type RankedKind = 'column' | 'card' | 'checklist' | 'item';

export const CHILD_KINDS: Readonly<Record<Kind, readonly Kind[]>> = {
  board: ['member', 'label', 'rule', 'column'],
  member: [],
  column: ['card'],
  card: ['checklist', 'attachment'],
  label: [],
  checklist: ['item'],
  item: [],
  attachment: [],
  rule: [],
  comment: [],
  version: [],
  watch: [],
  moved: [],
  archived: [],
  trashed: [],
};

interface Place {
  readonly parent: Uuid;
  readonly rank: number;
}

type Places = { readonly [K in Kind]: (record: Entities[K], board: Uuid) => Place | null };

/** Kinds that users do not order stand in order of creation: their creation time is the rank. */
const PLACES: Places = {
  board: () => null,
  member: (member, board) => ({ parent: board, rank: Date.parse(member.created_at) }),
  label: (label, board) => ({ parent: board, rank: Date.parse(label.created_at) }),
  rule: (rule, board) => ({ parent: board, rank: Date.parse(rule.created_at) }),
  column: (column, board) => ({ parent: board, rank: column.rank }),
  card: (card) => ({ parent: card.column_id, rank: card.rank }),
  checklist: (checklist) => ({ parent: checklist.card_id, rank: checklist.rank }),
  item: (item) => ({ parent: item.checklist_id, rank: item.rank }),
  attachment: (attachment) => ({ parent: attachment.card_id, rank: Date.parse(attachment.created_at) }),
  // On disk: see `commentsOnDisk.ts`.
  comment: () => null,
  version: () => null,
  watch: () => null,
  moved: () => null,
  archived: () => null,
  trashed: () => null,
};

export function placeOf<K extends Kind>(kind: K, record: Entities[K], board: Uuid): Place | null {
  return PLACES[kind](record, board);
}

/** The children of every parent, by kind and in order. */
export interface Orders {
  children(kind: Kind, parent: Uuid): Order;
  setChildren(kind: Kind, parent: Uuid, order: Order): void;
}

/**
 * Updates the orders for one record that was added, changed or removed. An order that was dropped as a whole is not
 * restored.
 */
export function relink<K extends Kind>(orders: Orders, board: Uuid, kind: K, before: Entities[K] | undefined, after: Entities[K] | undefined): void {
  const from = before === undefined ? null : placeOf(kind, before, board);
  const to = after === undefined ? null : placeOf(kind, after, board);
  if (from?.parent === to?.parent && from?.rank === to?.rank) return;
  if (before !== undefined && from !== null) {
    const { parent, rank } = from;
    const siblings = orders.children(kind, parent);
    if (siblings.size > 0) orders.setChildren(kind, parent, siblings.remove({ id: before.id, rank }));
  }
  if (after !== undefined && to !== null) {
    const { parent, rank } = to;
    orders.setChildren(kind, parent, orders.children(kind, parent).insert({ id: after.id, rank }));
  }
}
