/** The cards of a column. Only those near the visible part are in the page. */
import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Card } from '../../client/index.js';
import { preferences } from '../page/preferences.js';
import { isPrinting } from '../page/printing.js';
import { Anchor, cardAround, type CardPlaces } from './moving/anchor.js';
import { CardView } from './CardView.js';
import { isSameRange, ListWindow, type Range } from './listWindow.js';
import { useBoard } from './boardContext.js';
import { say } from '../words/catalogue.js';
import { memo } from './memo.js';

/** Of a card with a title of one line and facts, in pixels, with the gap. */
const ESTIMATE = { comfortable: 62, compact: 31 } as const;

interface CardListProps {
  readonly columnId: string;
  readonly title: string;
  readonly cards: readonly Card[];
  /** Whether the column is near the visible part of the board. */
  readonly isNear: boolean;
}

export const CardList = memo(function CardList({ columnId, title, cards, isNear }: CardListProps) {
  const { open, dragging } = useBoard();
  const scroller = useRef<HTMLDivElement>(null);
  const { density } = preferences.value;
  // In another density every height is another.
  const list = useMemo(() => new ListWindow(ESTIMATE[density]), [density]);
  const anchor = useMemo(() => new Anchor(), []);
  const ids = useMemo(() => cards.map(({ id }) => id), [cards]);
  const places: CardPlaces = {
    offsetOf: (id) => {
      const index = ids.indexOf(id);
      return index < 0 ? null : list.offsetOf(ids, index);
    },
    firstBeyond: (distance) => ids[list.indexBeyond(ids, distance)] ?? null,
  };
  /** As it was last seen: reading it while the page is being changed would make the browser compute the layout each time. */
  const scrollTop = useRef(0);
  const look = (): Range => list.range(ids, scrollTop.current, innerHeight);
  const [, setShown] = useState<Range | null>(null);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const range = isPrinting.value
    ? { start: 0, end: ids.length, before: 0, after: 0 }
    : isNear
      ? look()
      : { start: 0, end: 0, before: 0, after: list.offsetOf(ids, ids.length) };
  const latest = useRef(range);
  latest.current = range;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let isNews = false;
    for (const item of element.querySelectorAll<HTMLElement>('[data-card-id]')) {
      if (list.measured(item.dataset['cardId'] ?? '', item.getBoundingClientRect().height)) isNews = true;
    }
    anchor.restore(element, places);
    scrollTop.current = element.scrollTop;
    if (isNews && !isSameRange(look(), latest.current)) setShown(look());
  });

  const wanted = open.wanted.value;
  useEffect(() => {
    const element = scroller.current;
    const index = wanted === null ? -1 : ids.indexOf(wanted.id);
    if (element === null || wanted === null || index < 0) return;
    if (!isNear) {
      // Its cards are in the page as soon as the column is near.
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      return;
    }
    const link = element.querySelector<HTMLElement>(`[data-card-id="${wanted.id}"] .card-title`);
    if (link === null) {
      element.scrollTop = Math.max(0, list.offsetOf(ids, index) - element.clientHeight / 2);
      scrollTop.current = element.scrollTop;
      setShown(look());
      return;
    }
    open.wanted.value = null;
    link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (wanted.focus) link.focus({ preventScroll: true });
  });

  const liftedId = useComputed(() => (dragging.current.value?.kind === 'card' ? dragging.current.value.id : null)).value;
  const mark = useComputed(() => {
    const dragged = dragging.current.value;
    return dragged?.kind === 'card' && dragged.columnId === columnId ? dragged.beforeId : undefined;
  }).value;
  const items = [...cards.slice(range.start, range.end).keys()].map((index) => range.start + index);
  // What is lifted or has the focus stays in the page: without it, keys and fingers would lead nowhere.
  const apart = [...new Set([liftedId, focusedId])]
    .map((id) => (id === null ? -1 : ids.indexOf(id)))
    .filter((index) => index >= 0 && (index < range.start || index >= range.end));
  const shown = [...items, ...apart].sort((a, b) => a - b);
  return (
    <div
      class="cards"
      ref={scroller}
      onScroll={(event) => {
        scrollTop.current = event.currentTarget.scrollTop;
        anchor.note(event.currentTarget, places);
        if (!isSameRange(look(), latest.current)) setShown(look());
      }}
      onPointerMove={(event) => anchor.point(event.currentTarget, places, event.target)}
      onPointerLeave={(event) => anchor.leave(event.currentTarget, places, 'pointer')}
      onFocusIn={(event) => {
        setFocusedId(cardAround(event.target));
        anchor.note(event.currentTarget, places);
      }}
      onFocusOut={(event) => {
        setFocusedId(null);
        anchor.leave(event.currentTarget, places, 'focus');
      }}
    >
      <ol aria-label={say('board.cardsIn', { column: title })} style={{ paddingTop: `${range.before}px`, paddingBottom: `${range.after}px` }}>
        {shown.map((index) => {
          const card = cards[index];
          if (card === undefined) return null;
          const isApart = apart.includes(index);
          return (
            <li
              key={card.id}
              class={`${mark === card.id ? 'is-marked' : ''}${isApart ? ' is-apart' : ''}`}
              style={{ top: isApart ? `${list.offsetOf(ids, index)}px` : '' }}
              data-card-id={card.id}
              aria-posinset={index + 1}
              aria-setsize={cards.length}
            >
              <CardView card={card} isLifted={liftedId === card.id} />
            </li>
          );
        })}
        {mark === null && <li class="end-mark is-marked" aria-hidden="true" />}
      </ol>
    </div>
  );
});
