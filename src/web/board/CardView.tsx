/** A card in its column. */
import { memo } from 'preact/compat';
import type { Card } from '../../client/index.js';
import { cardPath } from '../state/route.js';
import { Avatar } from '../ui/Avatar.js';
import { Icon } from '../ui/Icon.js';
import { LabelChip } from '../ui/LabelChip.js';
import { CardMenu } from './CardMenu.js';
import { useBoard } from './boardContext.js';

/** More would make the card wide; the rest is a number. */
const MAX_FACES = 4;

interface CardViewProps {
  readonly card: Card;
  readonly isLifted: boolean;
}

export const CardView = memo(function CardView({ card, isLifted }: CardViewProps) {
  const { open } = useBoard();
  const items = card.checklists.flatMap((checklist) => checklist.items);
  const done = items.filter(({ is_done }) => is_done).length;
  const viewers = open.viewers.value.get(card.id) ?? [];
  return (
    <article class={`card${isLifted ? ' is-lifted' : ''}`}>
      {card.labels.length > 0 && (
        <ul class="chips" aria-label="Labels">
          {card.labels.map((label) => (
            <li key={label.id}>
              <LabelChip label={label} />
            </li>
          ))}
        </ul>
      )}
      <a class="card-title" href={cardPath(card.board_id, card.id)} dir="auto" draggable={false} aria-describedby="card-help">
        {card.title}
      </a>
      <CardMenu card={card} />
      <div class="card-facts">
        {(card.description ?? '') !== '' && (
          <span class="fact" title="Has a description">
            <Icon name="text" />
            <span class="only-spoken">Has a description</span>
          </span>
        )}
        {items.length > 0 && (
          <span class={`fact${done === items.length ? ' is-done' : ''}`} title={`${done} of ${items.length} items done`}>
            <Icon name="checklist" />
            <span aria-hidden="true">
              {done}/{items.length}
            </span>
            <span class="only-spoken">
              {done} of {items.length} items done
            </span>
          </span>
        )}
        {card.attachments.length > 0 && (
          <span class="fact" title={`${card.attachments.length} files`}>
            <Icon name="clip" />
            <span aria-hidden="true">{card.attachments.length}</span>
            <span class="only-spoken">{card.attachments.length} files</span>
          </span>
        )}
        <span class="faces">
          {viewers.map((id) => {
            const member = open.memberOf(id);
            return member === undefined ? null : (
              <span key={id} class="viewer" title={`${member.user.username} has this card open`}>
                <Avatar id={id} user={member.user} isSmall />
              </span>
            );
          })}
          {card.assignees.slice(0, MAX_FACES).map((user) => (
            <Avatar key={user.id} id={user.id} user={user} isSmall />
          ))}
          {card.assignees.length > MAX_FACES && <span class="fact">+{card.assignees.length - MAX_FACES}</span>}
        </span>
      </div>
    </article>
  );
});
