/** From when to when there is to do, and whether it is done. */
import type { Card } from '../../client/index.js';
import { formatDate } from './dates.js';
import type { OpenBoard } from '../state/openBoard.js';
import { DateField } from './DateField.js';
import { ReminderChoice } from './ReminderChoice.js';
import { DueDate } from './DueDate.js';
import { Popover } from '../ui/Menu.js';
import { say } from '../words/catalogue.js';

interface CardDatesProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function CardDates({ open, card }: CardDatesProps) {
  const { start_at, due_at, completed_at, reminder_minutes } = card;
  const mayChange = open.mayChange.value;
  const isEmpty = start_at === null && due_at === null;
  const change = (fields: Partial<Pick<Card, 'start_at' | 'due_at' | 'completed_at' | 'reminder_minutes'>>): void =>
    void open.change('card.update', { card_id: card.id }, fields);
  return (
    <section aria-label={say('dates.title')}>
      <h3>{say('dates.title')}</h3>
      <div class="card-values">
        {start_at !== null && <span class="fact">{say('dates.from', { date: formatDate(start_at) })}</span>}
        <DueDate card={card} />
        {mayChange && (
          <Popover icon={isEmpty ? 'add' : 'pencil'} label={say('dates.change')} {...(isEmpty ? { text: say('dates.add') } : {})}>
            {() => (
              <div class="choices dates">
                <DateField label={say('dates.start')} value={start_at} onChange={(date) => change({ start_at: date })} />
                <DateField label={say('dates.due')} value={due_at} onChange={(date) => change({ due_at: date })} />
                {due_at !== null && <ReminderChoice value={reminder_minutes} onChange={(minutes) => change({ reminder_minutes: minutes })} />}
              </div>
            )}
          </Popover>
        )}
        <label class="choice">
          <input
            type="checkbox"
            disabled={!mayChange}
            checked={completed_at !== null}
            onChange={(event) => change({ completed_at: event.currentTarget.checked ? new Date().toISOString() : null })}
          />
          {say('dates.completed')}
        </label>
      </div>
    </section>
  );
}
