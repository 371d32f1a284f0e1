/**
 * Removals that are too large for one commit. The command removes the record itself; records below it or references to
 * it are removed in later commits, before the board's next command.
 */
import type { Uuid } from '../ids.js';
import type { Change, Entities, Kind, Trashed, TrashedContent } from '../model.js';
import { ownBytes, type TextsOf } from './boardSize.js';
import type { Order } from './order/order.js';
import { MAX_AT_ONCE } from '../slices.js';
import { CHILD_KINDS } from './structure.js';
import { furtherRow, type RecordKind, type TrashOnDisk } from './trash/trashOnDisk.js';
import { everyCard, need, type BoardView } from './view.js';

export interface Removal {
  readonly kind: Kind;
  readonly id: Uuid;
}

/** A board whose children can be taken from a removed parent. */
interface ShrinkingBoard extends BoardView {
  readonly trash: TrashOnDisk;
  takeChildren(kind: Kind, parent: Uuid): Order;
}

/** Of the texts that go to the trash in one commit. */
const MAX_BYTES_AT_ONCE = 1024 * 1024;

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

/**
 * The rest of a removal, in lists of at most `MAX_AT_ONCE`. Each must be applied before the next is taken. If the record went to
 * the trash, each list is kept there as a further row of its entry.
 */
export function* finishRemoval(board: ShrinkingBoard, { kind, id }: Removal): Generator<readonly Change[], void> {
  const rows = kind === 'label' ? null : FurtherRows.of(board, id);
  let changes: Change[] = [];
  for (const change of kind === 'label' ? withoutLabel(board, id) : removeBelow(board, kind, id)) {
    changes.push(change);
    rows?.add(change);
    if (changes.length < MAX_AT_ONCE && (rows?.bytes ?? 0) < MAX_BYTES_AT_ONCE) continue;
    yield rows === null ? changes : [rows.take(), ...changes];
    changes = [];
  }
  if (changes.length > 0) yield rows === null ? changes : [rows.take(), ...changes];
}

/** Collects removed records into rows of the trash. */
class FurtherRows {
  readonly #board: ShrinkingBoard;
  readonly #root: Trashed;
  #part: number;
  #first: Uuid | null = null;
  #content: { [K in RecordKind]?: Array<Entities[K]> } = {};
  /** Of the texts collected for the next row. */
  bytes = 0;

  private constructor(board: ShrinkingBoard, root: Trashed) {
    this.#board = board;
    this.#root = root;
    // Some were written before a restart.
    this.#part = board.trash.rest(root.id, 1)[0]?.part ?? 0;
  }

  /** Null if the record is not in the trash. */
  static of(board: ShrinkingBoard, id: Uuid): FurtherRows | null {
    const root = board.get('trashed', id);
    return root === undefined ? null : new FurtherRows(board, root);
  }

  /** The record of the change is still on the board. */
  add(change: Change): void {
    if ('put' in change) return;
    // Only these are below something that is deleted.
    const kind = change.kind as RecordKind;
    const record = need(this.#board, kind, change.remove);
    this.#first ??= record.id;
    (this.#content[kind] ??= [] as never).push(record as never);
    this.bytes += ownBytes(kind, record as TextsOf<typeof kind>);
  }

  take(): Change {
    this.#part += 1;
    const put = furtherRow(this.#root, this.#part, this.#first ?? this.#root.id, this.#content as TrashedContent);
    [this.#first, this.#content, this.bytes] = [null, {}, 0];
    return { kind: 'trashed', put };
  }
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
