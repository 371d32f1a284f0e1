/**
 * Dragging by mouse, pen and touch. One path for all, on pointer events: the drag and drop of HTML does not work by touch
 * in every browser. A mouse lifts by moving, a finger by resting, so that it can scroll.
 */
import { moveCard, moveColumn } from '../../activity/loadUndoing.js';
import { announce } from '../../state/notices.js';
import { cardPath, navigate } from '../../state/route.js';
import type { BoardTools } from '../boardContext.js';
import { ColumnScroll } from './columnScroll.js';
import { cardPlace, columnAt, columnPlace, type Point } from './dropTargets.js';
import { scrollAtEdges } from './edgeScrolling.js';
import { Ghost } from './ghost.js';
import { say } from '../../words/catalogue.js';

const MOUSE_PIXELS = 5;
const TOUCH_PIXELS = 10;
const TOUCH_REST_MS = 220;

interface Pressed {
  readonly kind: 'card' | 'column';
  readonly id: string;
  readonly element: HTMLElement;
  readonly pointerId: number;
  readonly isTouch: boolean;
  /** Whether a click there opens the card. */
  readonly isLink: boolean;
  readonly from: Point;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pressed'; readonly what: Pressed; readonly timer: number }
  | { readonly kind: 'lifted'; readonly what: Pressed; readonly ghost: Ghost; at: Point; frame: number };

/** `root` is the element that scrolls the columns. Returns a function that stops. */
export function followPointer(root: HTMLElement, { open, dragging, glide }: BoardTools): () => void {
  let state: State = { kind: 'idle' };
  const columnScroll = new ColumnScroll(root);

  const press = (event: PointerEvent): void => {
    if (state.kind === 'lifted' || event.button !== 0 || !event.isPrimary || !open.mayChange.value) return;
    finish();
    const found = draggableAt(event.target);
    if (found === null) return;
    const isTouch = event.pointerType === 'touch';
    const what = { ...found, pointerId: event.pointerId, isTouch, isLink: isPlainLink(event), from: { x: event.clientX, y: event.clientY } };
    state = { kind: 'pressed', what, timer: isTouch ? window.setTimeout(() => lift(what, what.from), TOUCH_REST_MS) : 0 };
  };

  const lift = (what: Pressed, at: Point): void => {
    if (state.kind === 'pressed') clearTimeout(state.timer);
    root.setPointerCapture(what.pointerId);
    root.classList.add('is-dragging');
    state = { kind: 'lifted', what, ghost: new Ghost(what.element, what.from), at, frame: requestAnimationFrame(step) };
    const name = what.kind === 'card' ? open.card(what.id)?.title : open.column(what.id)?.title;
    announce(say('moving.liftedOne', { title: name ?? '' }));
  };

  const step = (): void => {
    if (state.kind !== 'lifted') return;
    const { what, ghost, at } = state;
    ghost.moveTo(at);
    const list = what.kind === 'card' ? columnAt(root, at.x)?.querySelector<HTMLElement>('.cards') : null;
    columnScroll.follow(at.x);
    if (list !== null && list !== undefined) scrollAtEdges(list, at.y);
    if (what.kind === 'card') {
      const place = cardPlace(root, at, what.id);
      dragging.set(place && { kind: 'card', id: what.id, by: 'pointer', ...place });
    } else {
      dragging.set({ kind: 'column', id: what.id, by: 'pointer', beforeId: columnPlace(root, at, what.id) });
    }
    state.frame = requestAnimationFrame(step);
  };

  const move = (event: PointerEvent): void => {
    if (state.kind === 'idle' || event.pointerId !== state.what.pointerId) return;
    const at = { x: event.clientX, y: event.clientY };
    if (state.kind === 'lifted') {
      state.at = at;
      return;
    }
    const { what } = state;
    // Released where the board did not hear of it.
    if (event.buttons === 0) return finish();
    const distance = Math.hypot(at.x - what.from.x, at.y - what.from.y);
    if (!what.isTouch && distance > MOUSE_PIXELS) lift(what, at);
    else if (what.isTouch && distance > TOUCH_PIXELS) finish();
  };

  const release = (event: PointerEvent): void => {
    if (state.kind === 'idle' || event.pointerId !== state.what.pointerId) return;
    if (state.kind === 'pressed') {
      const { what } = state;
      finish();
      if (what.isLink) clickInEffect(what);
      return;
    }
    state.at = { x: event.clientX, y: event.clientY };
    cancelAnimationFrame(state.frame);
    step();
    drop();
  };

  const drop = (): void => {
    const target = dragging.current.value;
    if (state.kind !== 'lifted' || target === null || !open.mayChange.value) return finish();
    const { what, ghost } = state;
    suppressClick();
    if (target.kind === 'card') {
      const card = open.card(what.id);
      glide.startFrom(what.id, ghost.place);
      finish();
      if (card !== undefined) moveCard(open, card, target);
    } else {
      const column = open.column(what.id);
      finish();
      if (column !== undefined) moveColumn(open, column, target.beforeId);
    }
  };

  /**
   * The browser clicks only what was under the pointer from the press to the release: a card that somebody else moves in between is another element
   * then, or glides away, and the click would be lost.
   */
  const clickInEffect = ({ id }: Pressed): void => {
    let isClicked = false;
    const note = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest('.card-title') : null;
      isClicked = link?.closest<HTMLElement>('[data-card-id]')?.dataset['cardId'] === id;
    };
    addEventListener('click', note, { capture: true, once: true });
    // The click follows in the same task.
    setTimeout(() => {
      removeEventListener('click', note, { capture: true });
      const card = open.card(id);
      if (!isClicked && card !== undefined) navigate(cardPath(card.board_id, id));
    });
  };

  /** Without a drop, whatever was begun ends without a trace. */
  const finish = (): void => {
    if (state.kind === 'pressed') clearTimeout(state.timer);
    if (state.kind === 'lifted') {
      cancelAnimationFrame(state.frame);
      state.ghost.remove();
      if (root.hasPointerCapture(state.what.pointerId)) root.releasePointerCapture(state.what.pointerId);
      dragging.set(null);
    }
    root.classList.remove('is-dragging');
    state = { kind: 'idle' };
  };

  const cancel = (event: PointerEvent): void => {
    if (state.kind !== 'idle' && event.pointerId === state.what.pointerId) finish();
  };
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || state.kind !== 'lifted') return;
    event.preventDefault();
    event.stopPropagation();
    suppressClick();
    finish();
    announce(say('moving.putBack'));
  };
  /** The browser would scroll instead, or open its menu. */
  const keep = (event: Event): void => {
    if (!event.cancelable) return;
    if (state.kind === 'lifted' || (event.type !== 'touchmove' && state.kind === 'pressed' && state.what.isTouch)) event.preventDefault();
  };

  const listening = new AbortController();
  const { signal } = listening;
  root.addEventListener('pointerdown', press, { signal });
  root.addEventListener('pointermove', move, { signal });
  root.addEventListener('pointerup', release, { signal });
  root.addEventListener('pointercancel', cancel, { signal });
  root.addEventListener('touchmove', keep, { passive: false, signal });
  root.addEventListener('contextmenu', keep, { signal });
  root.addEventListener('dragstart', preventDefault, { signal });
  document.addEventListener('keydown', escape, { capture: true, signal });
  return () => {
    finish();
    listening.abort();
  };
}

function draggableAt(target: EventTarget | null): Pick<Pressed, 'kind' | 'id' | 'element'> | null {
  if (!(target instanceof Element) || target.closest('[data-no-drag], input, textarea, select, dialog') !== null) return null;
  const card = target.closest<HTMLElement>('[data-card-id]');
  if (card !== null) return { kind: 'card', id: card.dataset['cardId'] ?? '', element: card };
  const column = target.closest('.column-header')?.closest<HTMLElement>('[data-column-id]') ?? null;
  return column === null ? null : { kind: 'column', id: column.dataset['columnId'] ?? '', element: column };
}

function isPlainLink({ target, metaKey, ctrlKey, shiftKey, altKey }: PointerEvent): boolean {
  return target instanceof Element && target.closest('.card-title') !== null && !(metaKey || ctrlKey || shiftKey || altKey);
}

/** The click that follows a drop is not meant. */
function suppressClick(): void {
  const stop = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }), 50);
}

function preventDefault(event: Event): void {
  event.preventDefault();
}
