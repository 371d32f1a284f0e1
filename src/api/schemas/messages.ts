/** Every message on the socket of a board. Tests validate all messages that they receive against these. */
import * as v from 'valibot';
import { EVENT_VERSION, type EventType } from '../../domain/events.js';
import { CLOSE } from '../closeCodes.js';
import type { Schema } from '../operation/operation.js';
import { Attachment, AutomationRule, Board, BoardMember, Card, Checklist, ChecklistItem, Column, Comment, epoch, Label } from './resources.js';
import { id, seq, timestamp } from './basics.js';

export interface MessageSpec {
  readonly schema: Schema;
  readonly meaning: string;
}

interface EventSpec {
  readonly data: Schema;
  readonly meaning: string;
}

const DeletedBoard = v.object({ id: id() });

const EVENTS: { readonly [Type in EventType]: EventSpec } = {
  'board.updated': { data: Board, meaning: 'The board’s details, a member’s role or a member’s profile changed.' },
  'board.deleted': {
    data: DeletedBoard,
    meaning: `The board was deleted. This is the last event; the server then closes the connection with ${CLOSE.boardDeleted.code}.`,
  },
  'board.member_added': { data: BoardMember, meaning: 'A user joined the board.' },
  'board.member_removed': { data: BoardMember, meaning: 'A user left the board or was removed from it.' },
  'column.created': { data: Column, meaning: 'A column was added.' },
  'column.updated': { data: Column, meaning: 'A column was renamed, recoloured, or marked as done or not.' },
  'column.deleted': { data: Column, meaning: 'A column was removed, with its cards.' },
  'column.moved': { data: Column, meaning: 'The rank of a column changed.' },
  'column.archived': {
    data: Column,
    meaning: 'A column left the board for its archive, with its cards: `card_count` of them, which are not repeated.',
  },
  'column.restored': { data: Column, meaning: 'A column came back from the archive, with its cards.' },
  'card.created': { data: Card, meaning: 'A card was added.' },
  'card.updated': { data: Card, meaning: 'A card’s title or description changed.' },
  'card.deleted': { data: Card, meaning: 'A card was removed.' },
  'card.moved': { data: Card, meaning: 'The column or the rank of a card changed.' },
  'card.labeled': { data: Card, meaning: 'A label was added to a card.' },
  'card.unlabeled': { data: Card, meaning: 'A label was removed from a card.' },
  'card.assigned': { data: Card, meaning: 'A user was assigned to a card.' },
  'card.unassigned': { data: Card, meaning: 'A user was unassigned from a card.' },
  'card.archived': { data: Card, meaning: 'A card left the board for its archive, with its `archived_at`.' },
  'card.restored': { data: Card, meaning: 'A card came back from the archive.' },
  'label.created': { data: Label, meaning: 'A label was added to the board.' },
  'label.updated': { data: Label, meaning: 'A label was renamed or recoloured, on all its cards.' },
  'label.deleted': { data: Label, meaning: 'A label was removed from the board and from every card.' },
  'checklist.created': { data: Checklist, meaning: 'A checklist was added to a card.' },
  'checklist.updated': { data: Checklist, meaning: 'A checklist was renamed.' },
  'checklist.deleted': { data: Checklist, meaning: 'A checklist was removed, with its items.' },
  'checklist.moved': { data: Checklist, meaning: 'The rank of a checklist changed.' },
  'checklist_item.created': { data: ChecklistItem, meaning: 'An item was added to a checklist.' },
  'checklist_item.updated': { data: ChecklistItem, meaning: 'An item was reworded, or marked as done or not.' },
  'checklist_item.deleted': { data: ChecklistItem, meaning: 'An item was removed.' },
  'checklist_item.moved': { data: ChecklistItem, meaning: 'The checklist or the rank of an item changed.' },
  'checklist_item.assigned': { data: ChecklistItem, meaning: 'A user was assigned to an item.' },
  'checklist_item.unassigned': { data: ChecklistItem, meaning: 'A user was unassigned from an item.' },
  'attachment.created': { data: Attachment, meaning: 'A file was attached to a card.' },
  'attachment.deleted': { data: Attachment, meaning: 'A file was removed from a card.' },
  'comment.created': { data: Comment, meaning: 'A comment was added to a card: its `comment_count` rises by one.' },
  'comment.updated': { data: Comment, meaning: 'The author changed a comment.' },
  'comment.deleted': { data: Comment, meaning: 'A comment was removed from a card: its `comment_count` falls by one.' },
  'rule.created': { data: AutomationRule, meaning: 'An automation rule was made. Like the next two not for sockets of one board without `since`.' },
  'rule.updated': { data: AutomationRule, meaning: 'An owner changed an automation rule, or switched it on or off.' },
  'rule.deleted': { data: AutomationRule, meaning: 'An automation rule was removed.' },
};

export const person = { user_id: id(), username: v.string() };

const CALLER = 'The user who made the change; null for an automation rule, and for a change of a profile by an administrator';

function eventMessage(type: string, data: Schema, place: v.ObjectEntries): Schema {
  return v.object({
    ...place,
    epoch: v.optional(epoch()),
    type: v.literal(type),
    data,
    user_id: v.pipe(v.nullable(id()), v.description(CALLER)),
    timestamp: timestamp(),
    version: v.literal(EVENT_VERSION),
  });
}

/** Every event, with the fields that give its place. */
export function eventMessages(place: v.ObjectEntries): Readonly<Record<string, MessageSpec>> {
  return Object.fromEntries(Object.entries(EVENTS).map(([type, { data, meaning }]) => [type, { schema: eventMessage(type, data, place), meaning }]));
}

/** From the server, by the `type` of the message. */
export const SERVER_MESSAGES: Readonly<Record<string, MessageSpec>> = {
  ...eventMessages({
    seq: v.optional(v.pipe(seq(), v.description('The number of the event on its board; only for clients that connected with `since`'))),
  }),
  user_joined: {
    schema: v.object({ type: v.literal('user_joined'), ...person }),
    meaning: 'A user connected to the board. Sent for every connection, to every client including the new one.',
  },
  user_left: {
    schema: v.object({ type: v.literal('user_left'), ...person }),
    meaning: 'A user’s last connection to the board ended.',
  },
  ping: {
    schema: v.object({ type: v.literal('ping'), board_id: id() }),
    meaning: `Answer with a pong at once; otherwise the server closes the connection with ${CLOSE.noPong.code}.`,
  },
  resync: {
    schema: v.object({ type: v.literal('resync'), epoch: v.optional(epoch()), seq: seq() }),
    meaning:
      'The missed events up to `seq` are no longer kept or are of another epoch, or the event with this number is too ' +
      'large to send. Read the board again; events after `seq` follow. Only for clients that connected with `since`.',
  },
};

/** From the client. Other messages are ignored. */
export const CLIENT_MESSAGES: Readonly<Record<string, MessageSpec>> = {
  pong: { schema: v.object({ type: v.literal('pong') }), meaning: 'The answer to a ping.' },
};
