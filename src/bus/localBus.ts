import type { Uuid } from '../domain/ids.js';
import type { SessionMessage } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';
import type { FeedMessage } from '../domain/feed.js';
import type { BoardMessage, Bus, Subscription } from './bus.js';

type Receive = (message: BoardMessage) => void;

/** Nearly every board has one receiver, and a list of one takes a third of the memory of a set. */
type Receivers = Map<Uuid, readonly Receive[]>;

/** The bus of a single process: messages arrive at once and in order. */
export class LocalBus implements Bus {
  readonly #boards: Receivers = new Map();
  readonly #users = new Set<(user: PublicUser) => void>();
  readonly #sessions = new Set<(message: SessionMessage) => void>();
  readonly #feeds = new Set<(message: FeedMessage) => void>();

  publishToBoard(boardId: Uuid, message: BoardMessage): void {
    for (const receive of this.#boards.get(boardId) ?? []) receive(message);
  }

  subscribeToBoard(boardId: Uuid, receive: Receive): Subscription {
    this.#boards.set(boardId, (this.#boards.get(boardId) ?? []).concat([receive]));
    return new BoardSubscription(this.#boards, boardId, receive);
  }

  publishUser(user: PublicUser): void {
    for (const receive of this.#users) receive(user);
  }

  subscribeToUsers(receive: (user: PublicUser) => void): Subscription {
    this.#users.add(receive);
    return { stop: () => this.#users.delete(receive) };
  }

  publishSessions(message: SessionMessage): void {
    for (const receive of this.#sessions) receive(message);
  }

  subscribeToSessions(receive: (message: SessionMessage) => void): Subscription {
    this.#sessions.add(receive);
    return { stop: () => this.#sessions.delete(receive) };
  }

  publishToFeeds(message: FeedMessage): void {
    for (const receive of this.#feeds) receive(message);
  }

  subscribeToFeeds(receive: (message: FeedMessage) => void): Subscription {
    this.#feeds.add(receive);
    return { stop: () => this.#feeds.delete(receive) };
  }

  status(): 'embedded' {
    return 'embedded';
  }

  async close(): Promise<void> {
    this.#boards.clear();
    this.#users.clear();
    this.#sessions.clear();
    this.#feeds.clear();
  }
}

class BoardSubscription implements Subscription {
  readonly #receivers: Receivers;
  readonly #boardId: Uuid;
  readonly #receive: Receive;

  constructor(receivers: Receivers, boardId: Uuid, receive: Receive) {
    this.#receivers = receivers;
    this.#boardId = boardId;
    this.#receive = receive;
  }

  stop(): void {
    const others = this.#receivers.get(this.#boardId)?.filter((receive) => receive !== this.#receive) ?? [];
    if (others.length > 0) this.#receivers.set(this.#boardId, others);
    else this.#receivers.delete(this.#boardId);
  }
}
