import type { ComponentChildren } from 'preact';
import type { Notification } from '../../client/index.js';
import { formatDate } from '../dates/dates.js';
import { nameOf } from '../state/people.js';
import { exactTime, relativeTime } from '../state/relativeTime.js';
import { boardPath, cardPath, NOTICES_PATH } from '../state/route.js';
import { Button } from '../ui/form/Button.js';
import { say, sayWith } from '../words/catalogue.js';
import { markAsRead } from './markAsRead.js';
import { latest, unreadCount } from './notifications.js';

/** Loaded when the bell is first opened. */
export function NotificationList({ onLeave }: { readonly onLeave: () => void }) {
  const notifications = latest.value;
  return (
    <section class="notifications" aria-label={say('bell.title')}>
      <div class="page-title">
        <h2>{say('bell.title')}</h2>
        {unreadCount.value > 0 && (
          <Button kind="quiet" onClick={() => void markAsRead()}>
            {say('bell.markAll')}
          </Button>
        )}
      </div>
      {notifications === null || notifications.length === 0 ? (
        <p class="hint">{notifications === null ? say('common.loading') : say('bell.none')}</p>
      ) : (
        <ul aria-label={say('bell.title')}>
          {notifications.map((each) => (
            <Row key={each.id} notification={each} onLeave={onLeave} />
          ))}
        </ul>
      )}
      <a class="lone-link" href={NOTICES_PATH} onClick={onLeave}>
        {say('bell.settings')}
      </a>
    </section>
  );
}

function Row({ notification, onLeave }: { readonly notification: Notification; readonly onLeave: () => void }) {
  const { id, board_id, card_id, created_at, read_at } = notification;
  const isUnread = read_at === null;
  const follow = (): void => {
    if (isUnread) void markAsRead([id]);
    onLeave();
  };
  return (
    <li class={isUnread ? 'is-unread' : ''}>
      {board_id === null ? (
        <span>{say('bell.lost')}</span>
      ) : (
        <a class="lone-link" href={card_id === null ? boardPath(board_id) : cardPath(board_id, card_id)} onClick={follow}>
          {sentenceOf(notification)}
        </a>
      )}
      <span class="hint">
        {isUnread && <span class="only-spoken">{say('bell.isUnread')} · </span>}
        <time dateTime={created_at} title={exactTime(created_at)}>
          {relativeTime(created_at)}
        </time>
      </span>
    </li>
  );
}

function sentenceOf({ kind, user, title, due_at }: Notification): ComponentChildren {
  const card = <bdi>{title}</bdi>;
  const who = <bdi>{user === null ? '' : nameOf(user)}</bdi>;
  switch (kind) {
    case 'assigned':
      return user === null ? sayWith('bell.assignedByRule', { card }) : sayWith('bell.assigned', { who, card });
    case 'mentioned':
      return sayWith('bell.mentioned', { who, card });
    case 'commented':
      return sayWith('bell.commented', { who, card });
    case 'moved':
      return user === null ? sayWith('bell.movedByRule', { card }) : sayWith('bell.moved', { who, card });
    case 'invited':
      return sayWith('bell.invited', { who, board: <bdi>{title}</bdi> });
    case 'due':
      return sayWith('bell.due', { card, date: due_at === null ? '' : formatDate(due_at) });
  }
}
