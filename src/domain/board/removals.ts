/**
 * Removals that are too large for one commit. The command removes the record itself; records below it or references to
 * it are removed in later commits, before the board's next command.
 */
import type { Uuid } from '../ids.js';
import type { Change, Kind } from '../model.js';
import type { Order } from './order/order.js';
import { CHILD_KINDS } from './structure.js';
import { everyCard, type BoardView } from './view.js';

export interface Removal {
  readonly kind: Kind;
  readonly id: Uuid;
}

/** A board whose children can be taken from a removed parent. */
interface ShrinkingBoard extends BoardView {
  takeChildren(kind: Kind, parent: Uuid): Order;
}

/** Records removed or changed in one commit: two milliseconds. */
export const MAX_AT_ONCE = 200;

/** Whether more records are below this one than fit one commit. */
export function hasManyBelow(view: BoardView, kind: Kind, id: Uuid): boolean {
  return countBelow(view, kind, id, MAX_AT_ONCE) > MAX_AT_ONCE;
}

/** Stops counting beyond the limit. */
function countBelow(view: BoardView, kind: Kind, id: Uuid, limit: number): number {
  let count = 0;
  for (const childKind of CHILD_KINDS[kind]) {
    const children = view.children(childKind, id);
    count += children.size;
    if (CHILD_KINDS[childKind].length === 0) continue;
    for (const child of children) {
      if (count > limit) return count;
      count += countBelow(view, childKind, child.id, limit - count);
    }
  }
  return count;
}

/** The rest of a removal, in lists of at most `MAX_AT_ONCE`. Each must be applied before the next is taken. */
export function* finishRemoval(board: ShrinkingBoard, { kind, id }: Removal): Generator<readonly Change[], void> {
  let changes: Change[] = [];
  for (const change of kind === 'label' ? withoutLabel(board, id) : removeBelow(board, kind, id)) {
    changes.push(change);
    if (changes.length < MAX_AT_ONCE) continue;
    yield changes;
    changes = [];
  }
  if (changes.length > 0) yield changes;
}

/** Children before their parents. Their order is dropped as a whole, because removing them one by one is slow. */
function* removeBelow(board: ShrinkingBoard, kind: Kind, id: Uuid): Generator<Change> {
  for (const childKind of CHILD_KINDS[kind]) {
    for (const child of board.takeChildren(childKind, id)) {
      yield* removeBelow(board, childKind, child.id);
      yield { kind: childKind, remove: child.id } as Change;
    }
  }
}

function* withoutLabel(board: ShrinkingBoard, label: Uuid): Generator<Change> {
  for (const card of everyCard(board)) {
    if (!card.label_ids.includes(label)) continue;
    yield { kind: 'card', put: { ...card, label_ids: card.label_ids.filter((id) => id !== label) } };
  }
}
