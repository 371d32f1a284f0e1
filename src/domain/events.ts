/** Every kind of event of the contract, and its envelope. */
import type { Uuid } from './ids.js';
import { FIRST_EPOCH, type Position } from './position.js';
import { holdsMark } from './board/marks.js';

export const EVENT_TYPES = [
  'board.updated',
  'board.deleted',
  'board.member_added',
  'board.member_removed',
  'column.created',
  'column.updated',
  'column.deleted',
  'column.moved',
  'column.archived',
  'column.restored',
  'card.created',
  'card.updated',
  'card.deleted',
  'card.moved',
  'card.labeled',
  'card.unlabeled',
  'card.assigned',
  'card.unassigned',
  'card.archived',
  'card.restored',
  'label.created',
  'label.updated',
  'label.deleted',
  'checklist.created',
  'checklist.updated',
  'checklist.deleted',
  'checklist.moved',
  'checklist_item.created',
  'checklist_item.updated',
  'checklist_item.deleted',
  'checklist_item.moved',
  'checklist_item.assigned',
  'checklist_item.unassigned',
  'attachment.created',
  'attachment.deleted',
  'comment.created',
  'comment.updated',
  'comment.deleted',
  'rule.created',
  'rule.updated',
  'rule.deleted',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** In the contract a change of a rule has no event: clients that know nothing but the contract, and have no numbers, get none. */
export function isSentUnnumbered({ type }: Pick<BoardEvent, 'type'>): boolean {
  return !type.startsWith('rule.');
}

export const EVENT_VERSION = '1.0';

/** An event as it is stored and sent: `json` is the finished message without its number. */
export interface BoardEvent {
  readonly seq: number;
  readonly type: EventType;
  readonly json: string;
}

/** When the content of a board changed by these events of one commit; null if only the board itself or its members did. */
export function activityIn(events: ReadonlyArray<Pick<BoardEvent, 'type'>>, at: string): string | null {
  return events.some(({ type }) => !type.startsWith('board.')) ? at : null;
}

/**
 * The size in characters from which an event counts as large. Events about a column carry its cards; one of many
 * megabytes, copied for every thread, log and socket, would delay everything else.
 */
export const LARGE_EVENT_CHARACTERS = 1024 * 1024;
/**
 * The maximum that one event may add to the unread data of a board's sockets, in characters times sockets. They are copied in
 * one turn of the I/O thread, at 1.4 ms a mebibyte.
 */
export const MAX_FAN_OUT_CHARACTERS = 12 * 1024 * 1024;

/**
 * A large event on its way to the sockets: the finished message without its number, encoded once. The log keeps a stub,
 * so a client that missed it must read the board again.
 */
export interface LargeEvent {
  readonly seq: number;
  readonly type: EventType;
  readonly bytes: Uint8Array;
}

/** Stored in the log in the place of a large event. */
export const LARGE_EVENT_STUB = '';

/** The events as the log stores them. */
export function forLog(events: readonly BoardEvent[], hasMarks: boolean): readonly BoardEvent[] {
  const isSmall = ({ json }: BoardEvent): boolean => json.length < LARGE_EVENT_CHARACTERS && !(hasMarks && holdsMark(json));
  if (events.every(isSmall)) return events;
  return events.map((event) => (isSmall(event) ? event : { ...event, json: LARGE_EVENT_STUB }));
}

/** An event as it is published to subscribers of the board. */
export type PublishedEvent = BoardEvent | LargeEvent;

export function isLarge(event: PublishedEvent): event is LargeEvent {
  return 'bytes' in event;
}

export function renderEvent(type: EventType, dataJson: string, userId: Uuid | null, timestamp: string): string {
  const user = userId === null ? 'null' : `"${userId}"`;
  const origin = `"user_id":${user},"timestamp":"${timestamp}","version":"${EVENT_VERSION}"`;
  return `{"type":"${type}","data":${dataJson},${origin}}`;
}

/** The message for clients that requested numbers. */
export function withSeq(event: BoardEvent, epoch: string): string {
  return `{${renderPosition({ epoch, seq: event.seq })},${event.json.slice(1)}`;
}

/** The message for clients that follow several boards on one socket. */
export function withBoard(event: BoardEvent, boardId: Uuid, epoch: string): string {
  return `{"board_id":"${boardId}",${renderPosition({ epoch, seq: event.seq })},${event.json.slice(1)}`;
}

/** The fields of a message that give its place in the history of the board. */
export function renderPosition({ epoch, seq }: Position): string {
  return epoch === FIRST_EPOCH ? `"seq":${seq}` : `"epoch":"${epoch}","seq":${seq}`;
}
