/** Moving checklist items with keys, on their grips: lift, up and down through all checklists, drop. */
import { announce } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { findItem, moveItem, type DraggedItem, type ItemDragging, type ItemPlace } from './itemDragging.js';
import { say } from '../../words/catalogue.js';

interface KeyTools {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly dragging: ItemDragging;
}

/** Returns whether the key was meant for this. */
export function onItemKey({ open, cardId, dragging }: KeyTools, itemId: string, key: string): boolean {
  const lifted = dragging.current.value;
  const card = open.card(cardId);
  const found = findItem(card, itemId);
  if (lifted?.by !== 'keyboard') {
    if (key !== ' ' || found === null) return false;
    const { item, checklist, index } = found;
    dragging.set({ id: itemId, by: 'keyboard', checklistId: checklist.id, beforeId: checklist.items[index + 1]?.id ?? null });
    announce(say('item.lifted', { content: item.content, position: index + 1, total: checklist.items.length, title: checklist.title }));
    return true;
  }
  if (found === null || key === 'Escape' || key === 'Tab') {
    dragging.set(null);
    announce(found === null ? say('item.gone') : say('item.putBack', { content: found.item.content }));
    return key !== 'Tab';
  }
  if (key === ' ' || key === 'Enter') {
    dragging.set(null);
    dragging.dropped = itemId;
    moveItem(open, cardId, itemId, lifted);
    const title = card?.checklists.find(({ id }) => id === lifted.checklistId)?.title ?? '';
    announce(say('item.dropped', { content: found.item.content, title }));
    return true;
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return key.startsWith('Arrow');
  const places = placesOf(open, cardId, itemId);
  const at = places.findIndex((place) => isSame(place, lifted)) + (key === 'ArrowDown' ? 1 : -1);
  const next = places[at];
  if (next === undefined) return true;
  dragging.set({ ...lifted, ...next });
  announce(say('moving.position', { position: next.position, total: next.count, column: next.title }));
  return true;
}

interface NamedPlace extends ItemPlace {
  readonly title: string;
  readonly position: number;
  readonly count: number;
}

/** Every place on the card where the item could be, from top to bottom. */
function placesOf(open: OpenBoard, cardId: string, itemId: string): readonly NamedPlace[] {
  return (open.card(cardId)?.checklists ?? []).flatMap(({ id, title, items }) => {
    const others = items.filter((item) => item.id !== itemId);
    const befores = [...others.map((item) => item.id), null];
    return befores.map((beforeId, index) => ({ checklistId: id, beforeId, title, position: index + 1, count: befores.length }));
  });
}

function isSame(place: ItemPlace, { checklistId, beforeId }: DraggedItem): boolean {
  return place.checklistId === checklistId && place.beforeId === beforeId;
}
