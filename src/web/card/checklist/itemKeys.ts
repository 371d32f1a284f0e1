/** Moving checklist items with keys, on their grips: lift, up and down through all checklists, drop. */
import { announce } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { findItem, moveItem, type DraggedItem, type ItemDragging, type ItemPlace } from './itemDragging.js';

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
    announce(
      `Lifted ${item.content}, ${index + 1} of ${checklist.items.length} in ${checklist.title}. Arrow keys move it, space drops it, escape puts it back.`,
    );
    return true;
  }
  if (found === null || key === 'Escape' || key === 'Tab') {
    dragging.set(null);
    announce(found === null ? 'The item is gone.' : `Put back ${found.item.content}.`);
    return key !== 'Tab';
  }
  if (key === ' ' || key === 'Enter') {
    dragging.set(null);
    dragging.dropped = itemId;
    moveItem(open, cardId, itemId, lifted);
    announce(`Dropped ${found.item.content} in ${card?.checklists.find(({ id }) => id === lifted.checklistId)?.title ?? ''}.`);
    return true;
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return key.startsWith('Arrow');
  const places = placesOf(open, cardId, itemId);
  const at = places.findIndex((place) => isSame(place, lifted)) + (key === 'ArrowDown' ? 1 : -1);
  const next = places[at];
  if (next === undefined) return true;
  dragging.set({ ...lifted, ...next });
  announce(`Position ${next.position} of ${next.count} in ${next.title}`);
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
