/**
 * Sends each notice of a store thread to those it concerns. Notices arrive before the replies of their commit, so a caller that
 * reads a reply finds the caches without what it changed.
 */
import type { Bus } from '../bus/bus.js';
import type { Uuid } from '../domain/ids.js';
import type { AnswerCache } from '../partitions/cache/answerCache.js';
import type { Notice } from '../partitions/messages.js';
import type { BoardLists } from './boardLists.js';
import type { OutboxRelay } from './outboxRelay.js';

/** Notices about a board that change no answer about it. */
const WITHOUT_CHANGE: ReadonlySet<Notice['kind']> = new Set(['board.presence', 'board.state', 'board.listed', 'webhooks.changed']);

export interface NoticeRouterOptions {
  readonly answers: Pick<AnswerCache, 'forget'>;
  /** Sockets and caches of users, on all instances. */
  readonly bus: Pick<Bus, 'publishUser' | 'publishSessions' | 'publishToFeeds' | 'publishToBoard'>;
  readonly lists: Pick<BoardLists, 'gone' | 'listed' | 'changed'>;
  readonly relay: Pick<OutboxRelay, 'take' | 'takePage'>;
  /** Gets every notice. */
  readonly webhooks: { take(notice: Notice): void } | null;
  /** Instances that may use what they remember about users; null if there are none. */
  readonly grants: { changed(user: Uuid): void } | null;
}

export class NoticeRouter {
  readonly #options: NoticeRouterOptions;

  constructor(options: NoticeRouterOptions) {
    this.#options = options;
  }

  /** A function, for the threads that report. */
  readonly route = (notice: Notice): void => {
    const { answers, bus, lists, relay, grants, webhooks } = this.#options;
    webhooks?.take(notice);
    // Before the change is published: a client that learns of it must not read the older answer.
    if ('board_id' in notice && !WITHOUT_CHANGE.has(notice.kind)) answers.forget(notice.board_id);
    switch (notice.kind) {
      case 'user.changed':
        grants?.changed(notice.user.id);
        return bus.publishUser(notice.user);
      case 'sessions':
        if (notice.message.kind === 'ended') grants?.changed(notice.message.user_id);
        return bus.publishSessions(notice.message);
      case 'board.events':
        return bus.publishToBoard(notice.board_id, { kind: 'events', epoch: notice.epoch, events: notice.events });
      case 'board.changed':
      case 'webhooks.changed':
      case 'webhooks.overAll':
        return;
      case 'board.left':
        return bus.publishToBoard(notice.board_id, { kind: 'left', user_ids: notice.user_ids });
      case 'board.roles':
        return bus.publishToBoard(notice.board_id, { kind: 'roles', roles: notice.roles });
      case 'board.gone':
        lists.gone(notice.board_id);
        return bus.publishToBoard(notice.board_id, { kind: 'gone' });
      case 'board.presence': {
        const { board_id, connection_id, message } = notice;
        return bus.publishToBoard(board_id, { kind: 'presence', connection_id, message });
      }
      case 'board.state':
        return bus.publishToBoard(notice.board_id, { kind: 'state', change: notice.change });
      case 'board.listed':
        return lists.listed(notice);
      case 'memberships':
        return lists.changed(notice.changes);
      case 'notifications':
        return notice.messages.forEach((message) => bus.publishToFeeds(message));
      case 'outbox':
        return relay.take(notice.entry);
      case 'outbox.page':
        return relay.takePage(notice);
    }
  };
}
