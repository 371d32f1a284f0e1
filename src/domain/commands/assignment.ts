/** Assigning users: the same rules for cards and for checklist items. */
import type { Draft } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { EventType } from '../events.js';
import type { Uuid } from '../ids.js';
import { NotOnBoardError } from '../refusals.js';

/** Each event of a request lists all assignees and the whole card: without a bound, gigabytes. */
const MAX_EVENT_CHARACTERS = 32 * 1024 * 1024;

/** Each named user once; refused as a whole if one of them is not on the board. */
export function requireMembers(draft: Draft, userIds: readonly Uuid[]): readonly Uuid[] {
  const users = [...new Set(userIds)];
  const strangers = users.filter((id) => draft.get('member', id) === undefined);
  if (strangers.length > 0) throw new NotOnBoardError(strangers);
  return users;
}

/** The users who are not assigned yet, in the order named. */
export function newAssignees(assigned: readonly Uuid[], users: readonly Uuid[]): readonly Uuid[] {
  const known = new Set(assigned);
  return users.filter((id) => !known.has(id));
}

/** One event for each named user, all with the final resource. */
export function tellAssigned(draft: Draft, type: EventType, json: string, users: readonly Uuid[]): void {
  if (users.length > 1 && users.length * json.length > MAX_EVENT_CHARACTERS) {
    throw new AppError('invalid', `user_ids: ${users.length} at once are too many for this card or item; name fewer at a time`);
  }
  users.forEach(() => draft.emit(type, json));
}
