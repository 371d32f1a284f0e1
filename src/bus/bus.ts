/** Publish and subscribe, in this process and between instances. */
import type { FeedMessage } from '../domain/feed.js';
import type { NewRole } from '../domain/commands/decide.js';
import type { PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { ConnectionState, PresenceMessage } from '../domain/ports/presence.js';
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { SessionMessage } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';

/** Messages about one board, in the order in which they happened. */
export type BoardMessage =
  | { readonly kind: 'events'; readonly epoch: string; readonly events: readonly PublishedEvent[] }
  /** These users are no longer members. */
  | { readonly kind: 'left'; readonly user_ids: readonly Uuid[] }
  /** These members got a role that changes nothing, or lost one. */
  | { readonly kind: 'roles'; readonly roles: readonly NewRole[] }
  | { readonly kind: 'gone' }
  /** A user joined or left; the id names the connection. */
  | { readonly kind: 'presence'; readonly connection_id: number; readonly message: PresenceMessage }
  | { readonly kind: 'state'; readonly change: ConnectionState }
  | { readonly kind: 'signal'; readonly signal: Signal };

/** A message of one connection to the others on the board, which nothing stores. */
export interface Signal {
  readonly user_id: Uuid;
  readonly connection_id: number;
  /** As JSON. */
  readonly data: string;
}

/** Publishing never throws and never waits; the bus handles failed deliveries itself. */
export interface Bus {
  publishToBoard(boardId: Uuid, message: BoardMessage): void;
  subscribeToBoard(boardId: Uuid, receive: (message: BoardMessage) => void): Subscription;
  /** A user changed: every cache drops its copy. */
  publishUser(user: PublicUser): void;
  subscribeToUsers(receive: (user: PublicUser) => void): Subscription;
  /** Sessions of a user ended or were renewed. */
  publishSessions(message: SessionMessage): void;
  subscribeToSessions(receive: (message: SessionMessage) => void): Subscription;
  publishToFeeds(message: FeedMessage): void;
  subscribeToFeeds(receive: (message: FeedMessage) => void): Subscription;
  status(): PubsubStatus;
  close(): Promise<void>;
}

export interface Subscription {
  stop(): void;
}
