/**
 * Who watches a card: who made it or is on it, and who chose to watch it, its column or its board. What a user chose about the
 * card itself counts most, then that it is theirs, then its column, then the board. Who writes a comment chooses the card by it.
 */
import type { Draft } from '../draft.js';
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Card, Watch, WatchedKind } from '../../model.js';
import { MAX_WATCHES_OF_BOARD, MAX_WATCHES_OF_USER, watchId } from './watchesOnDisk.js';

/** Notices to watchers that one command makes: a batch may move a hundred cards. */
const MAX_TOLD = 1_000;

type Mine = Pick<Card, 'id' | 'created_by' | 'assignee_ids'>;

/** Members and others: who made the card may have left. `chosen`: of the card, of the columns and of the board. */
export function watchersOf({ id, created_by, assignee_ids }: Mine, board: Uuid, chosen: readonly Watch[]): Uuid[] {
  const watching = new Map<Uuid, boolean>();
  for (const { user_id, is_on, target_id } of chosen) if (target_id === board) watching.set(user_id, is_on);
  const onColumns = chosen.filter(({ target_kind }) => target_kind === 'column');
  // A card that moves concerns those who watch one of its columns.
  for (const isOn of [false, true]) for (const each of onColumns) if (each.is_on === isOn) watching.set(each.user_id, isOn);
  for (const user of assignee_ids) watching.set(user, true);
  if (created_by !== null) watching.set(created_by, true);
  for (const { user_id, is_on, target_id } of chosen) if (target_id === id) watching.set(user_id, is_on);
  return [...watching].filter(([, isOn]) => isOn).map(([user]) => user);
}

interface About {
  /** The column that the card has left. */
  readonly from?: Uuid;
  readonly comment?: Uuid;
  /** Null if a rule acted. */
  readonly actor?: Uuid | null;
}

/** Sends those who watch the card a notice. Who is mentioned in the comment has one already. */
export function tellWatchers(draft: Draft, kind: 'commented' | 'moved', card: Card, { from, comment, actor }: About): void {
  if (!draft.tellsWatchers) return;
  const targets = [draft.id, card.column_id, card.id, ...(from === undefined ? [] : [from])];
  for (const user of watchersOf(card, draft.id, draft.isWatched ? draft.watches.of(targets) : [])) {
    if (draft.notificationCount >= MAX_TOLD) return;
    if (draft.get('member', user) === undefined) continue;
    if (comment !== undefined && draft.hasNotified('mentioned', user, comment)) continue;
    draft.notify(kind, user, card, comment ?? null, actor);
  }
}

/** Whether the caller watches a board, column or card. */
export function isWatching(draft: Draft, kind: WatchedKind, id: Uuid): boolean {
  return chosenBy(draft, id) ?? isWatchingAnyway(draft, kind, id);
}

/** The same without what the caller chose about the very thing. */
function isWatchingAnyway(draft: Draft, kind: WatchedKind, id: Uuid): boolean {
  const card = kind === 'card' ? draft.get('card', id) : undefined;
  if (card !== undefined && draft.caller !== null && (card.created_by === draft.caller || card.assignee_ids.includes(draft.caller))) return true;
  const ofColumn = card === undefined ? undefined : chosenBy(draft, card.column_id);
  return ofColumn ?? (kind === 'board' ? false : (chosenBy(draft, draft.id) ?? false));
}

function chosenBy(draft: Draft, id: Uuid): boolean | undefined {
  return draft.caller === null ? undefined : draft.get('watch', watchId(id, draft.caller))?.is_on;
}

/** What is so anyway needs no row, except for a choice to watch: what makes it so may end. */
export function watch(draft: Draft, kind: WatchedKind, id: Uuid, isOn: boolean): void {
  if (draft.caller === null || chosenBy(draft, id) === isOn) return;
  const row = watchId(id, draft.caller);
  if (!isOn && !isWatchingAnyway(draft, kind, id)) {
    // Who wrote on the card, and chooses not to hear of it, hears of nothing after the next comment either.
    const hasWritten = kind === 'card' && chosenBy(draft, id) === true;
    if (!hasWritten) return draft.remove('watch', row);
  }
  if (draft.get('watch', row) === undefined) requireRoom(draft, draft.caller);
  draft.put('watch', newWatch(draft, draft.caller, kind, id, isOn));
}

/** Who writes on a card watches it, unless they chose something about it before. Without room the comment counts all the same. */
export function watchWritten(draft: Draft, { id }: Card): void {
  const { caller } = draft;
  if (caller === null || !draft.keepsWatches || draft.get('watch', watchId(id, caller)) !== undefined) return;
  if (roomOf(draft, caller) === null) draft.put('watch', newWatch(draft, caller, 'card', id, true));
}

/** With the membership. */
export function forgetWatches(draft: Draft, user: Uuid): void {
  for (const id of draft.watches.idsOf(user)) draft.remove('watch', id);
}

function newWatch(draft: Draft, user_id: Uuid, target_kind: WatchedKind, target_id: Uuid, is_on: boolean): Watch {
  return { id: watchId(target_id, user_id), user_id, target_id, target_kind, is_on, created_at: draft.now, updated_at: draft.now };
}

function requireRoom(draft: Draft, user: Uuid): void {
  const full = roomOf(draft, user);
  if (full !== null) throw new AppError('limit', full);
}

/** Null if there is room for one more. */
function roomOf(draft: Draft, user: Uuid): string | null {
  if (draft.watches.idsOf(user).length >= MAX_WATCHES_OF_USER) return `A user can watch at most ${MAX_WATCHES_OF_USER} things on a board`;
  if (draft.watches.count() >= MAX_WATCHES_OF_BOARD) return `At most ${MAX_WATCHES_OF_BOARD} watches can be on a board`;
  return null;
}
