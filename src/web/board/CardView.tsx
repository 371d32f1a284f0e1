/** A card in its column. */
import type { Card } from '../../client/index.js';
import { cardPath } from '../state/route.js';
import { nameOf } from '../state/people.js';
import { Avatar } from '../ui/Avatar.js';
import { DueDate } from '../dates/DueDate.js';
import { Icon } from '../ui/Icon.js';
import { InlineText } from '../ui/form/InlineText.js';
import { LabelChip } from '../ui/LabelChip.js';
import { memo } from './memo.js';
import { formatNumber, say } from '../words/catalogue.js';
import { CardMenu } from './menus/CardMenu.js';
import { useBoard } from './boardContext.js';
import { CardCover } from './boardParts.js';

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
  const viewers = (open.viewers.value.get(card.id) ?? []).flatMap((id) => open.memberOf(id) ?? []);
  // A copy of an older version has none.
  const cover = { ...card.cover } as { readonly color?: string; readonly attachment_id?: string };
  const { color } = cover;
  const picture = (cover.attachment_id && card.attachments.find(({ id }) => id === cover.attachment_id)) || undefined;
  return (
    <article class={`card${isLifted ? ' is-lifted' : ''}`}>
      {color !== undefined && <div class="card-cover" style={{ background: color }} />}
      {picture !== undefined && (
        <div class="card-cover is-picture">
          <CardCover key={picture.id} attachment={picture} />
        </div>
      )}
      {open.renaming.value === card.id ? (
        <InlineText
          class="card-rename"
          wraps
          isOpen
          value={card.title}
          label={say('card.title')}
          isDisabled={!open.mayChange.value}
          onChange={(title, isOvertaken) => open.saveText(isOvertaken, 'card.update', { card_id: card.id }, { title })}
          onEnd={() => {
            open.renaming.value = null;
            open.wanted.value = { id: card.id, focus: true };
          }}
        />
      ) : (
        <a class="card-title" href={cardPath(card.board_id, card.id)} dir="auto" draggable={false} aria-describedby="card-help">
          {card.title}
        </a>
      )}
      {open.changed.value.has(card.id) && (
        <span class="changed-mark" title={say('card.changedSince')}>
          <span class="only-spoken">{say('card.changedSince')}</span>
        </span>
      )}
      {open.mayChange.value && <CardMenu card={card} />}
      <div class="card-facts">
        {card.labels.length > 0 && (
          <ul class="chips" aria-label={say('card.labels')}>
            {card.labels.map((label) => (
              <li key={label.id}>
                <LabelChip label={label} />
              </li>
            ))}
          </ul>
        )}
        <DueDate card={card} />
        {(card.description ?? '') !== '' && (
          <span class="fact" title={say('card.hasDescription')}>
            <Icon name="text" />
            <span class="only-spoken">{say('card.hasDescription')}</span>
          </span>
        )}
        {items.length > 0 && (
          <span class={`fact${done === items.length ? ' is-done' : ''}`} title={say('card.itemsDone', { done, count: items.length })}>
            <Icon name="checklist" />
            <span aria-hidden="true">
              {formatNumber(done)}/{formatNumber(items.length)}
            </span>
            <span class="only-spoken">{say('card.itemsDone', { done, count: items.length })}</span>
          </span>
        )}
        {card.attachments.length > 0 && (
          <span class="fact" title={say('card.files', { count: card.attachments.length })}>
            <Icon name="clip" />
            <span aria-hidden="true">{formatNumber(card.attachments.length)}</span>
            <span class="only-spoken">{say('card.files', { count: card.attachments.length })}</span>
          </span>
        )}
        {card.comment_count > 0 && (
          <span class="fact" title={say('card.comments', { count: card.comment_count })}>
            <Icon name="comment" />
            <span aria-hidden="true">{formatNumber(card.comment_count)}</span>
            <span class="only-spoken">{say('card.comments', { count: card.comment_count })}</span>
          </span>
        )}
        {viewers.length > 0 && (
          <span class="viewers">
            <Icon name="eye" />
            {viewers.map(({ user_id, user }) => (
              <span key={user_id} class="viewer" title={say('card.hasItOpen', { name: nameOf(user) })}>
                <Avatar id={user_id} user={user} isSmall />
              </span>
            ))}
          </span>
        )}
        <span class="faces">
          {card.assignees.slice(0, MAX_FACES).map((user) => (
            <Avatar key={user.id} id={user.id} user={user} isSmall />
          ))}
          {card.assignees.length > MAX_FACES && <span class="fact">+{card.assignees.length - MAX_FACES}</span>}
        </span>
      </div>
    </article>
  );
});
