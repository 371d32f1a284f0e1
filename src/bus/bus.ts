/** Publish and subscribe, in this process and between instances. */
import type { PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { PresenceMessage } from '../domain/ports/presence.js';
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { PublicUser } from '../domain/user.js';

/** What is told of one board, in the order in which it happened. */
export type BoardMessage =
  | { readonly kind: 'events'; readonly events: readonly PublishedEvent[] }
  /** These users are no longer on the board. */
  | { readonly kind: 'left'; readonly user_ids: readonly Uuid[] }
  | { readonly kind: 'gone' }
  /** Someone came or went; the id is that of the connection which did it. */
  | { readonly kind: 'presence'; readonly connection_id: number; readonly message: PresenceMessage };

/** Telling never throws and never waits: what cannot be delivered is the bus's own trouble. */
export interface Bus {
  publishToBoard(boardId: Uuid, message: BoardMessage): void;
  subscribeToBoard(boardId: Uuid, receive: (message: BoardMessage) => void): Subscription;
  /** A user changed: whoever keeps a copy drops it. */
  publishUser(user: PublicUser): void;
  subscribeToUsers(receive: (user: PublicUser) => void): Subscription;
  status(): PubsubStatus;
  close(): Promise<void>;
}

export interface Subscription {
  stop(): void;
}
