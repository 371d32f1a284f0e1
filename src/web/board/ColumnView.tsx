/** A column: its title, its cards, and the form for a new card. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Card, Column } from '../../client/index.js';
import { InlineText } from '../ui/form/InlineText.js';
import { Icon } from '../ui/Icon.js';
import { memo } from './memo.js';
import { AddCard } from './AddCard.js';
import { CardList } from './CardList.js';
import { ColumnMenu } from './menus/ColumnMenu.js';
import { useBoard } from './boardContext.js';
import { formatNumber, say } from '../words/catalogue.js';

/** How far outside the board a column still has its cards in the page. */
const NEAR = '0px 400px';

interface ColumnViewProps {
  readonly column: Column;
  readonly cards: readonly Card[];
  readonly isMarked: boolean;
  readonly isLifted: boolean;
}

export const ColumnView = memo(function ColumnView({ column, cards, isMarked, isLifted }: ColumnViewProps) {
  const { open } = useBoard();
  const section = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = section.current;
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: element.closest('.columns'),
      rootMargin: NEAR,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const mayChange = open.mayChange.value;
  const hidden = column.cards.length - cards.length;
  return (
    <section
      ref={section}
      class={`column${isMarked ? ' is-marked' : ''}${isLifted ? ' is-lifted' : ''}`}
      data-column-id={column.id}
      aria-label={column.title}
    >
      <header class="column-header" style={{ '--column-color': column.color }}>
        {mayChange && (
          <button
            type="button"
            class="column-grip"
            aria-label={say('column.move', { title: column.title })}
            title={say('column.gripHint')}
            data-column-grip
          >
            <Icon name="grip" />
          </button>
        )}
        <h2>
          <InlineText
            value={column.title}
            label={say('column.title')}
            isDisabled={!mayChange}
            onChange={(title, isOvertaken) => open.saveText(isOvertaken, 'column.update', { column_id: column.id }, { title })}
          />
        </h2>
        {column.is_done_column && (
          <span class="done-mark" role="img" aria-label={say('column.done')} title={say('column.doneHint')}>
            <Icon name="check" />
          </span>
        )}
        <span class="count" aria-label={say('column.cards', { count: cards.length })}>
          {formatNumber(cards.length)}
          {hidden > 0 && `/${formatNumber(column.cards.length)}`}
        </span>
        {mayChange && <ColumnMenu column={column} />}
      </header>
      <CardList columnId={column.id} title={column.title} cards={cards} isNear={isNear} />
      {mayChange && <AddCard column={column} />}
    </section>
  );
});
