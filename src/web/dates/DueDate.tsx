import type { Card } from '../../client/index.js';
import { dueState, formatDate } from './dates.js';
import { say } from '../words/catalogue.js';
import { Icon } from '../ui/Icon.js';

/** When a card or an item is due, and whether that is past, today, soon or no matter any more. Nothing without a date. */
export function DueDate({ card }: { readonly card: Pick<Card, 'due_at' | 'completed_at'> }) {
  const state = dueState(card);
  if (state === null || card.due_at === null) return null;
  const text = say(`due.${state}`, { date: formatDate(card.due_at) });
  return (
    <span class={`fact due is-${state}`} title={text}>
      <Icon name="clock" />
      <span aria-hidden="true">{formatDate(card.due_at)}</span>
      <span class="only-spoken">{text}</span>
    </span>
  );
}
