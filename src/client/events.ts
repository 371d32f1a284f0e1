/** Every message of the WebSocket. */
import type { Attachment, Board, BoardMember, Card, Checklist, Comment, Notification } from './resources.js';
import type { ChecklistItem, Column, Label, NumberedEvent, Presence } from './resources.js';

type EventType = NumberedEvent['type'];

/** The resource of an event after the change, or its last state. */
type EventData<Type extends EventType> = Type extends 'board.updated'
  ? Board
  : Type extends 'board.deleted'
    ? { readonly id: string }
    : Type extends `board.${string}`
      ? BoardMember
      : Type extends `column.${string}`
        ? Column
        : Type extends `card.${string}`
          ? Card
          : Type extends `label.${string}`
            ? Label
            : Type extends `checklist.${string}`
              ? Checklist
              : Type extends `checklist_item.${string}`
                ? ChecklistItem
                : Type extends `attachment.${string}`
                  ? Attachment
                  : Type extends `comment.${string}`
                    ? Comment
                    : never;

/** One change of a board. */
export type BoardFact = { [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> } }[EventType];

/** One change of a board as the service reports it; `seq` rises by one. */
export type BoardEvent = Omit<NumberedEvent, 'type' | 'data'> & BoardFact;

export type OnlineUser = Presence['online_users'][number];

export interface PresenceMessage extends OnlineUser {
  readonly type: 'user_joined' | 'user_left';
}

/** A place in the history of a board. */
export interface BoardPosition {
  readonly seq: number;
  /** Absent while the history of the board was never cut. */
  readonly epoch?: string;
}

/** Replaces events that are no longer kept, or one that is too large: the board must be read again. */
export interface Resync extends BoardPosition {
  readonly type: 'resync';
}

/** `seq` is the number of the latest event; what was missed follows. */
interface Subscribed extends BoardPosition {
  readonly type: 'subscribed';
  readonly online_users: readonly OnlineUser[];
}

interface Unsubscribed {
  readonly type: 'unsubscribed';
  /** As the close codes of a socket. */
  readonly code: number;
  readonly reason: string;
}

/** What a connection shows of itself, such as the card that its user has open. */
export interface PeerState {
  readonly user_id: string;
  readonly connection_id: number;
  readonly state: unknown;
}

/** `state` is null if the connection shows nothing any more. */
interface StateMessage extends PeerState {
  readonly type: 'state';
}

/** A message between connections that nothing keeps. */
export interface Signal {
  readonly user_id: string;
  readonly connection_id: number;
  readonly data: unknown;
}

interface SignalMessage extends Signal {
  readonly type: 'signal';
}

interface SocketError {
  readonly type: 'error';
  readonly code: string;
  readonly detail: string;
  /** In seconds. */
  readonly retry_after?: number;
}

/** A message about one board. */
export type BoardMessage = { readonly board_id: string } & (
  | BoardEvent
  | PresenceMessage
  | Resync
  | Subscribed
  | Unsubscribed
  | StateMessage
  | SignalMessage
  | SocketError
);

/** A message about the boards of the user. */
export type FeedMessage = { readonly board_id: string } & (
  | { readonly type: 'user.board_added' | 'user.board_removed' }
  | { readonly type: 'user.board_changed'; readonly title: string }
  | { readonly type: 'user.notification'; readonly notification: Notification }
);

export type ServerMessage =
  | BoardMessage
  | FeedMessage
  | SocketError
  | { readonly type: 'ping' }
  | { readonly type: 'authenticated'; readonly expires_at: string | null };

export type ClientMessage =
  | { readonly type: 'subscribe'; readonly board_id: string; readonly since: string }
  | { readonly type: 'unsubscribe'; readonly board_id: string }
  | { readonly type: 'state'; readonly board_id: string; readonly state: unknown }
  | { readonly type: 'signal'; readonly board_id: string; readonly data: unknown }
  | { readonly type: 'auth'; readonly token: string }
  | { readonly type: 'pong' };
