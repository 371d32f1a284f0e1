/** The checklist item that is being moved, and where it would be dropped. */
import { signal } from '@preact/signals';
import type { Card, Checklist, ChecklistItem } from '../../../client/index.js';
import type { OpenBoard } from '../../state/openBoard.js';

/** Before an item of a checklist, or at its end. */
export interface ItemPlace {
  readonly checklistId: string;
  readonly beforeId: string | null;
}

export interface DraggedItem extends ItemPlace {
  readonly id: string;
  readonly by: 'pointer' | 'keyboard';
}

export class ItemDragging {
  readonly current = signal<DraggedItem | null>(null);
  /** The item that was dropped by keyboard: it keeps the focus, also as a new element in another checklist. */
  dropped: string | null = null;

  /** Ignored if nothing changes, so that moving the pointer shows nothing anew. */
  set(dragged: DraggedItem | null): void {
    const { value } = this.current;
    const isSame = value?.id === dragged?.id && value?.checklistId === dragged?.checklistId && value?.beforeId === dragged?.beforeId;
    if (!isSame) this.current.value = dragged;
  }
}

export interface FoundItem {
  readonly item: ChecklistItem;
  readonly checklist: Checklist;
  readonly index: number;
}

export function findItem(card: Card | undefined, itemId: string): FoundItem | null {
  for (const checklist of card?.checklists ?? []) {
    const index = checklist.items.findIndex(({ id }) => id === itemId);
    const item = checklist.items[index];
    if (item !== undefined) return { item, checklist, index };
  }
  return null;
}

export function moveItem(open: OpenBoard, cardId: string, itemId: string, { checklistId, beforeId }: ItemPlace): void {
  const card = open.card(cardId);
  const found = findItem(card, itemId);
  const target = card?.checklists.find(({ id }) => id === checklistId);
  if (found === null || target === undefined) return;
  const others = target.items.filter(({ id }) => id !== itemId);
  const before = others.findIndex(({ id }) => id === beforeId);
  const position = before < 0 ? others.length : before;
  if (found.checklist.id === checklistId && found.index === position) return;
  void open.change('item.move', { item_id: itemId }, { checklist_id: checklistId, position });
}
