/** Publishes changes of users' lists of boards to their feeds. */
import type { BoardListChange } from '../domain/commands/directoryCommands.js';
import type { FeedMessage } from '../domain/feed.js';
import type { Uuid } from '../domain/ids.js';
import type { Notice } from '../partitions/messages.js';

/**
 * A board publishes at most one change in this time, the latest at its end: its members get it whether they follow the
 * board or not, and were perhaps invited only to get it.
 */
const QUIET_MS = 1_000;

type Listed = Extract<Notice, { kind: 'board.listed' }>;

export class BoardLists {
  readonly #publish: (message: FeedMessage) => void;
  /** The boards that published in the last `QUIET_MS`, each with the change that waits, if any. */
  readonly #quiet = new Map<Uuid, { timer: NodeJS.Timeout; waiting: Listed | null }>();

  constructor(publish: (message: FeedMessage) => void) {
    this.#publish = publish;
  }

  /** One message for each board and kind of change. */
  changed(changes: readonly BoardListChange[]): void {
    const groups = new Map<string, FeedMessage & { readonly user_ids: Uuid[] }>();
    for (const { user_id, board_id, change } of changes) {
      const type = `user.board_${change}` as const;
      const key = `${type} ${board_id}`;
      const group = groups.get(key) ?? { user_ids: [], event: { type, board_id } };
      groups.set(key, group);
      group.user_ids.push(user_id);
    }
    for (const group of groups.values()) this.#publish(group);
  }

  listed(notice: Listed): void {
    const quiet = this.#quiet.get(notice.board_id);
    if (quiet === undefined) this.#send(notice);
    else quiet.waiting = notice;
  }

  /** A deleted board: a change that waits must not follow the news of its removal. */
  gone(boardId: Uuid): void {
    const quiet = this.#quiet.get(boardId);
    if (quiet !== undefined) quiet.waiting = null;
  }

  stop(): void {
    for (const { timer } of this.#quiet.values()) clearTimeout(timer);
    this.#quiet.clear();
  }

  #send({ board_id, title, user_ids }: Listed): void {
    this.#publish({ user_ids, event: { type: 'user.board_changed', board_id, title } });
    const timer = setTimeout(() => {
      const waiting = this.#quiet.get(board_id)?.waiting ?? null;
      this.#quiet.delete(board_id);
      if (waiting !== null) this.#send(waiting);
    }, QUIET_MS);
    timer.unref();
    this.#quiet.set(board_id, { timer, waiting: null });
  }
}
