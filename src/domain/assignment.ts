/** Assigning users: the same rules for cards and for checklist items. */
import type { Draft } from './draft.js';
import type { Uuid } from './ids.js';
import { NotOnBoardError } from './refusals.js';

/** Each named user once; refused as a whole when one of them is not on the board. */
export function requireMembers(draft: Draft, userIds: readonly Uuid[]): readonly Uuid[] {
  const users = [...new Set(userIds)];
  const strangers = users.filter((id) => draft.get('member', id) === undefined);
  if (strangers.length > 0) throw new NotOnBoardError(strangers);
  return users;
}

/** Those of the users who are not assigned yet, in the order in which they were named. */
export function newAssignees(assigned: readonly Uuid[], users: readonly Uuid[]): readonly Uuid[] {
  const known = new Set(assigned);
  return users.filter((id) => !known.has(id));
}
