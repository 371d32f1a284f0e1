/** Every message of a board's WebSocket. */
import type { Attachment, Board, BoardMember, Card, Checklist } from './resources.js';
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
                  : never;

type EventOf<Type extends EventType> = Omit<NumberedEvent, 'type' | 'data'> & {
  readonly type: Type;
  readonly data: EventData<Type>;
};

/** One change of a board; `seq` rises by one. */
export type BoardEvent = { [Type in EventType]: EventOf<Type> }[EventType];

export type OnlineUser = Presence['online_users'][number];

export interface PresenceMessage extends OnlineUser {
  readonly type: 'user_joined' | 'user_left';
}

/** Replaces events that are no longer kept, or one that is too large: the board must be read again. */
export interface Resync {
  readonly type: 'resync';
  readonly seq: number;
  /** Absent while the history of the board was never cut. */
  readonly epoch?: string;
}

export type ServerMessage =
  | BoardEvent
  | PresenceMessage
  | { readonly type: 'ping'; readonly board_id: string }
  | Resync;
