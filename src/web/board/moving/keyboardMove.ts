/** Everything on a board that is done by keys: walking between cards, lifting, moving and dropping. */
import type { Card, Column } from '../../../client/index.js';
import { moveCard, moveColumn } from '../../activity/loadUndoing.js';
import { announce } from '../../state/notices.js';
import { preferences } from '../../page/preferences.js';
import { say } from '../../words/catalogue.js';
import type { OpenBoard } from '../../state/openBoard.js';
import type { BoardTools } from '../boardContext.js';
import { focusInstead } from '../../ui/keepFocus.js';

/** The cards of a column that are shown. */
export type ShownCards = (column: Column) => readonly Card[];

type Step = 'up' | 'down' | 'left' | 'right';

/** Returns a function that stops. */
export function followKeys(root: HTMLElement, tools: BoardTools, shown: ShownCards): () => void {
  const { open, dragging, ask } = tools;

  const onKey = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const lifted = dragging.current.value;
    if (lifted?.by === 'keyboard') {
      if (lifted.kind === 'card' ? onLiftedCard(event.key) : onLiftedColumn(event.key)) {
        event.preventDefault();
        event.stopPropagation();
      }
      return;
    }
    const cardId = event.target.matches('.card-title') ? event.target.closest<HTMLElement>('[data-card-id]')?.dataset['cardId'] : undefined;
    const columnId = event.target.closest<HTMLElement>('[data-column-id]')?.dataset['columnId'];
    const isHandled =
      cardId !== undefined
        ? onCard(event.key, cardId)
        : event.target.matches('[data-column-grip]') && columnId !== undefined && event.key === ' ' && liftColumn(columnId);
    if (isHandled) event.preventDefault();
  };

  const onCard = (key: string, cardId: string): boolean => {
    const card = open.card(cardId);
    if (card === undefined) return false;
    const step = stepOf(key);
    if (step !== null) return walk(card, step);
    if (!open.mayChange.value) return false;
    if (key === ' ') return liftCard(card);
    if (key === 'Delete') {
      ask({ kind: 'delete', cardId });
      return true;
    }
    return preferences.value.hasLetterKeys && onLetter(key, card);
  };

  const onLetter = (key: string, card: Card): boolean => {
    switch (key) {
      case 'm':
        ask({ kind: 'move', cardId: card.id });
        return true;
      case 't':
        ask({ kind: 'labels', cardId: card.id });
        return true;
      case 'e':
        open.renaming.value = card.id;
        return true;
      case 'a':
        announce(say(open.isMine(card) ? 'card.isTakenOff' : 'card.isAssigned', { title: card.title }));
        open.toggleMe(card);
        return true;
      default:
        return false;
    }
  };

  const walk = (card: Card, step: Step): boolean => {
    const place = placeOf(open, shown, card.column_id, card.id);
    if (place === null) return false;
    const { columns, column, index } = place;
    if (step === 'up' || step === 'down') {
      const next = place.cards[index + (step === 'down' ? 1 : -1)];
      if (next !== undefined) open.wanted.value = { id: next.id, focus: true };
      return true;
    }
    for (let at = column + (step === 'right' ? 1 : -1); at >= 0 && at < columns.length; at += step === 'right' ? 1 : -1) {
      const cards = shownOf(columns[at], shown);
      const next = cards[Math.min(index, cards.length - 1)];
      if (next === undefined) continue;
      open.wanted.value = { id: next.id, focus: true };
      break;
    }
    return true;
  };

  const liftCard = (card: Card): boolean => {
    const place = placeOf(open, shown, card.column_id, card.id);
    if (place === null) return false;
    const beforeId = place.cards[place.index + 1]?.id ?? null;
    dragging.set({ kind: 'card', id: card.id, by: 'keyboard', columnId: card.column_id, beforeId });
    const where = position(place.index, place.cards.length, columnTitle(card.column_id));
    announce(say('moving.lifted', { title: card.title, place: where }));
    return true;
  };

  const onLiftedCard = (key: string): boolean => {
    const lifted = dragging.current.value;
    const card = lifted === null ? undefined : open.card(lifted.id);
    if (lifted?.kind !== 'card') return false;
    if (card === undefined || key === 'Escape' || key === 'Tab' || !open.mayChange.value) {
      dragging.set(null);
      announce(card === undefined ? say('moving.gone') : say('moving.putBackCard', { title: card.title }));
      return key !== 'Tab';
    }
    if (key === ' ' || key === 'Enter') {
      dragging.set(null);
      moveCard(open, card, lifted);
      open.wanted.value = { id: card.id, focus: true };
      announce(say('moving.dropped', { title: card.title, column: columnTitle(lifted.columnId) }));
      return true;
    }
    const step = stepOf(key);
    if (step === null) return true;
    const columns = open.board.value?.columns ?? [];
    let column = columns.findIndex(({ id }) => id === lifted.columnId);
    const others = (at: number): readonly Card[] => shownOf(columns[at], shown).filter(({ id }) => id !== card.id);
    const before = others(column).findIndex(({ id }) => id === lifted.beforeId);
    let index = before < 0 ? others(column).length : before;
    if (step === 'up') index -= 1;
    if (step === 'down') index += 1;
    if (step === 'left') column -= 1;
    if (step === 'right') column += 1;
    const target = columns[column];
    if (target === undefined || index < 0) return true;
    const cards = others(column);
    index = Math.min(index, cards.length);
    const beforeId = cards[index]?.id ?? null;
    dragging.set({ ...lifted, columnId: target.id, beforeId });
    const near = beforeId ?? cards.at(-1)?.id;
    if (near !== undefined) open.wanted.value = { id: near, focus: false };
    announce(position(index, cards.length + 1, target.title));
    return true;
  };

  const liftColumn = (columnId: string): boolean => {
    const columns = open.board.value?.columns ?? [];
    const index = columns.findIndex(({ id }) => id === columnId);
    dragging.set({ kind: 'column', id: columnId, by: 'keyboard', beforeId: columns[index + 1]?.id ?? null });
    announce(say('moving.liftedColumn', { title: columnTitle(columnId), position: index + 1, total: columns.length }));
    return true;
  };

  const onLiftedColumn = (key: string): boolean => {
    const lifted = dragging.current.value;
    const column = lifted === null ? undefined : open.column(lifted.id);
    if (lifted?.kind !== 'column') return false;
    if (column === undefined || key === 'Escape' || key === 'Tab' || !open.mayChange.value) {
      dragging.set(null);
      announce(say('moving.putBackColumn'));
      return key !== 'Tab';
    }
    if (key === ' ' || key === 'Enter') {
      dragging.set(null);
      moveColumn(open, column, lifted.beforeId);
      announce(say('moving.droppedColumn', { title: column.title }));
      focusInstead(() => root.querySelector<HTMLElement>(`[data-column-id="${column.id}"] [data-column-grip]`));
      return true;
    }
    const step = stepOf(key);
    if (step !== 'left' && step !== 'right') return step !== null;
    const others = (open.board.value?.columns ?? []).filter(({ id }) => id !== column.id);
    const before = others.findIndex(({ id }) => id === lifted.beforeId);
    const index = Math.max(0, Math.min(others.length, (before < 0 ? others.length : before) + (step === 'right' ? 1 : -1)));
    dragging.set({ ...lifted, beforeId: others[index]?.id ?? null });
    announce(say('moving.columnPosition', { position: index + 1, total: others.length + 1 }));
    return true;
  };

  const columnTitle = (id: string): string => open.column(id)?.title ?? '';

  /** A user who goes elsewhere puts back what was lifted. */
  const onFocusOut = (event: FocusEvent): void => {
    if (dragging.current.value?.by === 'keyboard' && event.relatedTarget instanceof Node) dragging.set(null);
  };
  root.addEventListener('keydown', onKey);
  root.addEventListener('focusout', onFocusOut);
  return () => {
    root.removeEventListener('keydown', onKey);
    root.removeEventListener('focusout', onFocusOut);
  };
}

interface ShownPlace {
  readonly columns: readonly Column[];
  /** Indexes. */
  readonly column: number;
  readonly index: number;
  readonly cards: readonly Card[];
}

function placeOf(open: OpenBoard, shown: ShownCards, columnId: string, cardId: string): ShownPlace | null {
  const columns = open.board.value?.columns ?? [];
  const column = columns.findIndex(({ id }) => id === columnId);
  const cards = shownOf(columns[column], shown);
  const index = cards.findIndex(({ id }) => id === cardId);
  return index < 0 ? null : { columns, column, index, cards };
}

function shownOf(column: Column | undefined, shown: ShownCards): readonly Card[] {
  return column === undefined ? [] : shown(column);
}

function stepOf(key: string): Step | null {
  const step = /^Arrow(Up|Down|Left|Right)$/.exec(key)?.[1]?.toLowerCase();
  if (step === undefined) return null;
  // In a right-to-left page the columns run the other way.
  if (document.dir === 'rtl' && (step === 'left' || step === 'right')) return step === 'left' ? 'right' : 'left';
  return step as Step;
}

function position(index: number, count: number, column: string): string {
  return say('moving.position', { position: index + 1, total: count, column });
}
