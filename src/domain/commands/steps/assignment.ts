/** Assigning users: the same rules for cards and for checklist items. */
import type { About } from '../../board/activity/facts.js';
import type { Draft } from '../../board/draft.js';
import { AppError } from '../../errors.js';
import type { EventType } from '../../events.js';
import type { Uuid } from '../../ids.js';
import { need } from '../../board/view.js';
import { isRestricted, type Card, type ChecklistItem, type Entities, type Member } from '../../model.js';
import { isBeingRemoved, notAssignable, NotOnBoardError } from '../../refusals.js';
import { isDeletedUser } from '../../account/user.js';
import { about, announce, type HandlerAnswer } from '../handler.js';

type Assignable = 'card' | 'item';

const EVENTS: Readonly<Record<Assignable, { readonly assigned: EventType; readonly unassigned: EventType }>> = {
  card: { assigned: 'card.assigned', unassigned: 'card.unassigned' },
  item: { assigned: 'checklist_item.assigned', unassigned: 'checklist_item.unassigned' },
};

/** Each event of a request lists all assignees and the whole card: without a bound, gigabytes. */
const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024;

/** Answers with the resource, also if every named user was assigned before. */
export function assign<K extends Assignable>(draft: Draft, kind: K, record: Entities[K], userIds: readonly Uuid[]): HandlerAnswer {
  const users = requireMembers(draft, userIds);
  const added = newAssignees(record.assignee_ids, users);
  const assigned = added.length === 0 ? record : withAssignees(draft, kind, record, [...record.assignee_ids, ...added]);
  const card = cardOf(draft, kind, record);
  for (const user of added) draft.notify('assigned', user, card);
  const json = draft.render.record(kind, assigned);
  tellAssigned(draft, EVENTS[kind].assigned, json, users, about(kind, assigned));
  return { json, shows: { kind, id: record.id } };
}

/** Kind and record agree, which TypeScript cannot derive for a generic kind. */
function cardOf(draft: Draft, kind: Assignable, record: Entities[Assignable]): Card {
  if (kind === 'card') return record as Card;
  return need(draft, 'card', need(draft, 'checklist', (record as ChecklistItem).checklist_id).card_id);
}

export function requireAssigned(kind: Assignable, { assignee_ids }: Entities[Assignable], user: Uuid): void {
  if (!assignee_ids.includes(user)) throw new AppError('not_found', `User is not assigned to the ${kind}`);
}

export function unassign<K extends Assignable>(draft: Draft, kind: K, record: Entities[K], user: Uuid): void {
  const assigneeIds = record.assignee_ids.filter((id) => id !== user);
  announce(draft, EVENTS[kind].unassigned, kind, withAssignees(draft, kind, record, assigneeIds));
}

function withAssignees<K extends Assignable>(draft: Draft, kind: K, record: Entities[K], assignee_ids: readonly Uuid[]): Entities[K] {
  // Both kinds have this field, but TypeScript cannot derive that for a generic kind.
  return draft.revise(kind, record, { assignee_ids } as Partial<Entities[K]>);
}

/** Each named user once; refused as a whole if one of them is not on the board, only views it or is being removed from it. */
function requireMembers(draft: Draft, userIds: readonly Uuid[]): readonly Uuid[] {
  const users = [...new Set(userIds)];
  const missing = users.filter((id) => memberOf(draft, id) === null);
  if (missing.length > 0) throw new NotOnBoardError(missing);
  if (!users.every((id) => canBeAssigned(draft, id))) throw notAssignable();
  if (users.some((id) => draft.isLeaving(id))) throw isBeingRemoved();
  return users;
}

/**
 * Neither a deleted user who is still on the board nor a member who is being removed: their assignments are removed step
 * by step, and who adds more of them in between would keep that from ending.
 */
export function isAssignable(draft: Draft, user: Uuid): boolean {
  return canBeAssigned(draft, user) && !draft.isLeaving(user);
}

function canBeAssigned(draft: Draft, user: Uuid): boolean {
  const member = memberOf(draft, user);
  return member !== null && !isRestricted(member.role);
}

/** Null for a deleted user who is still on the board. */
function memberOf(draft: Draft, user: Uuid): Member | null {
  const member = draft.get('member', user);
  return member === undefined || isDeletedUser(member.user) ? null : member;
}

/** The users who are not assigned yet, in the order named. */
function newAssignees(assigned: readonly Uuid[], users: readonly Uuid[]): readonly Uuid[] {
  const known = new Set(assigned);
  return users.filter((id) => !known.has(id));
}

/** One event for each named user, all with the final resource. */
function tellAssigned(draft: Draft, type: EventType, json: string, users: readonly Uuid[], record: About): void {
  if (users.length > 1 && users.length * json.length > MAX_EVENT_CHARACTERS) {
    throw new AppError('invalid', `user_ids: ${users.length} at once are too many for this card or item; name fewer at a time`);
  }
  users.forEach(() => draft.emit(type, json, draft.caller, record));
}
