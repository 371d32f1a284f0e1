/** Dragging checklist items by their grips, with mouse, pen and touch. */
import type { Point } from '../../board/moving/dropTargets.js';
import { Ghost } from '../../board/moving/ghost.js';
import { scrollAtEdges } from '../../board/moving/edgeScrolling.js';
import { announce } from '../../state/notices.js';
import type { OpenBoard } from '../../state/openBoard.js';
import { findItem, moveItem, type ItemDragging, type ItemPlace } from './itemDragging.js';
import { say } from '../../words/catalogue.js';

const LIFT_PIXELS = 4;

interface Drag {
  readonly itemId: string;
  readonly row: HTMLElement;
  readonly pointerId: number;
  readonly from: Point;
  at: Point;
  frame: number;
  /** Null until the pointer has moved far enough. */
  ghost: Ghost | null;
}

interface PointerTools {
  readonly open: OpenBoard;
  readonly cardId: string;
  readonly dragging: ItemDragging;
}

/** `root` contains all checklists of the card. Returns a function that stops. */
export function followItemPointer(root: HTMLElement, { open, cardId, dragging }: PointerTools): () => void {
  let drag: Drag | null = null;

  const press = (event: PointerEvent): void => {
    if (drag !== null || event.button !== 0 || !event.isPrimary || !(event.target instanceof Element)) return;
    const row = event.target.closest('[data-item-grip]')?.closest<HTMLElement>('[data-item-id]') ?? null;
    if (row === null) return;
    const from = { x: event.clientX, y: event.clientY };
    drag = { itemId: row.dataset['itemId'] ?? '', row, pointerId: event.pointerId, from, at: from, frame: 0, ghost: null };
  };

  const move = (event: PointerEvent): void => {
    if (drag === null || event.pointerId !== drag.pointerId) return;
    drag.at = { x: event.clientX, y: event.clientY };
    if (drag.ghost !== null || Math.hypot(drag.at.x - drag.from.x, drag.at.y - drag.from.y) < LIFT_PIXELS) return;
    root.setPointerCapture(drag.pointerId);
    drag.ghost = new Ghost(drag.row, drag.from, root.closest('dialog') ?? document.body);
    drag.frame = requestAnimationFrame(step);
    announce(say('moving.liftedOne', { title: findItem(open.card(cardId), drag.itemId)?.item.content ?? '' }));
  };

  const step = (): void => {
    if (drag === null) return;
    drag.ghost?.moveTo(drag.at);
    const body = root.closest<HTMLElement>('.dialog-body');
    if (body !== null) scrollAtEdges(body, drag.at.y);
    const place = placeAt(root, drag.at, drag.itemId);
    dragging.set(place && { ...place, id: drag.itemId, by: 'pointer' });
    drag.frame = requestAnimationFrame(step);
  };

  const release = (event: PointerEvent): void => {
    if (drag === null || event.pointerId !== drag.pointerId) return;
    const { ghost, itemId } = drag;
    const place = ghost === null ? null : placeAt(root, { x: event.clientX, y: event.clientY }, itemId);
    finish();
    if (place !== null) moveItem(open, cardId, itemId, place);
  };

  const finish = (): void => {
    if (drag === null) return;
    cancelAnimationFrame(drag.frame);
    drag.ghost?.remove();
    if (root.hasPointerCapture(drag.pointerId)) root.releasePointerCapture(drag.pointerId);
    drag = null;
    dragging.set(null);
  };

  const cancel = (event: PointerEvent): void => {
    if (event.pointerId === drag?.pointerId) finish();
  };
  /** Before the dialog sees it, which would close. */
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || (drag?.ghost ?? null) === null) return;
    event.preventDefault();
    event.stopPropagation();
    finish();
    announce(say('moving.putBack'));
  };

  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener('pointerdown', press, { signal });
  root.addEventListener('pointermove', move, { signal });
  root.addEventListener('pointerup', release, { signal });
  root.addEventListener('pointercancel', cancel, { signal });
  document.addEventListener('keydown', escape, { capture: true, signal });
  return () => {
    finish();
    listening.abort();
  };
}

/** In the checklist at that height, or in the nearest one. */
function placeAt(root: HTMLElement, { y }: Point, itemId: string): ItemPlace | null {
  let nearest: HTMLElement | null = null;
  let distance = Infinity;
  for (const list of root.querySelectorAll<HTMLElement>('[data-checklist-id]')) {
    const { top, bottom } = list.getBoundingClientRect();
    const away = y < top ? top - y : y > bottom ? y - bottom : 0;
    if (away < distance) [nearest, distance] = [list, away];
  }
  if (nearest === null) return null;
  const checklistId = nearest.dataset['checklistId'] ?? '';
  for (const row of nearest.querySelectorAll<HTMLElement>('[data-item-id]')) {
    const { top, height } = row.getBoundingClientRect();
    if (row.dataset['itemId'] !== itemId && y < top + height / 2) return { checklistId, beforeId: row.dataset['itemId'] ?? null };
  }
  return { checklistId, beforeId: null };
}
