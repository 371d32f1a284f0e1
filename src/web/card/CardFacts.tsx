/** Where a card is, whose it is, and its labels. */
import type { Card } from '../../client/index.js';
import { useBoard } from '../board/boardContext.js';
import { nameOf } from '../state/people.js';
import type { OpenBoard } from '../state/openBoard.js';
import { Avatar } from '../ui/Avatar.js';
import { Button } from '../ui/form/Button.js';
import { Icon } from '../ui/Icon.js';
import { LabelChip } from '../ui/LabelChip.js';
import { Popover } from '../ui/Menu.js';
import { CardDates } from '../dates/CardDates.js';
import { CoverChoice } from './CoverChoice.js';
import { LabelChoice } from './LabelChoice.js';
import { PeopleChoice } from './PeopleChoice.js';
import { say } from '../words/catalogue.js';

interface CardFactsProps {
  readonly open: OpenBoard;
  readonly card: Card;
}

export function CardFacts({ open, card }: CardFactsProps) {
  const { ask } = useBoard();
  const column = open.column(card.column_id);
  const mayChange = open.mayChange.value;
  return (
    <div class="card-facts-bar">
      <section aria-label={say('facts.column')}>
        <h3>{say('facts.in')}</h3>
        <div class="card-values">
          <span class="place" dir="auto">
            {column?.title}
          </span>
          {card.number && <span class="hint">#{card.number}</span>}
          {mayChange && (
            <Button kind="quiet" icon="move" onClick={() => ask({ kind: 'move', cardId: card.id })}>
              {say('card.moveTo')}
            </Button>
          )}
        </div>
      </section>
      <section aria-label={say('facts.people')}>
        <h3>{say('facts.people')}</h3>
        <div class="card-values">
          <ul class="card-people" aria-label={say('facts.assigned')}>
            {card.assignees.map((user) => (
              <li key={user.id} class="person">
                <Avatar id={user.id} user={user} isSmall />
                <span dir="auto" aria-hidden="true">
                  {nameOf(user)}
                </span>
              </li>
            ))}
          </ul>
          {mayChange && (
            <Popover icon="add" label={say('facts.assignPeople')} {...(card.assignees.length === 0 ? { text: say('facts.assign') } : {})}>
              {() => (
                <PeopleChoice
                  open={open}
                  chosen={card.assignees}
                  onAdd={(id) => void open.change('card.assign', { card_id: card.id }, { user_ids: [id] })}
                  onRemove={(id) => void open.change('card.unassign', { card_id: card.id, user_id: id })}
                />
              )}
            </Popover>
          )}
        </div>
      </section>
      <section aria-label={say('facts.labels')}>
        <h3>{say('facts.labels')}</h3>
        <div class="card-values">
          <ul class="chips" aria-label={say('facts.labelsOfCard')}>
            {card.labels.map((label) => (
              <li key={label.id}>
                <LabelChip label={label} />
              </li>
            ))}
          </ul>
          {mayChange && (
            <Popover icon="add" label={say('facts.chooseLabels')} {...(card.labels.length === 0 ? { text: say('facts.addLabel') } : {})}>
              {() => <LabelChoice open={open} card={card} />}
            </Popover>
          )}
        </div>
      </section>
      <CardDates open={open} card={card} />
      <CoverChoice open={open} card={card} />
      <Viewers open={open} cardId={card.id} />
    </div>
  );
}

function Viewers({ open, cardId }: { readonly open: OpenBoard; readonly cardId: string }) {
  const members = (open.viewers.value.get(cardId) ?? []).flatMap((id) => open.memberOf(id) ?? []);
  if (members.length === 0) return null;
  return (
    <section aria-label={say('facts.alsoLooking')}>
      <h3>{say('facts.alsoHere')}</h3>
      <div class="card-values">
        <span class="viewers">
          <Icon name="eye" />
          {members.map(({ user_id, user }) => (
            <span key={user_id} class="viewer">
              <Avatar id={user_id} user={user} isSmall />
            </span>
          ))}
        </span>
      </div>
    </section>
  );
}
