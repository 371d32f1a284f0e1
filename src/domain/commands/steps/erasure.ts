/** Takes a deleted user off a board. */
import type { Draft } from '../../board/draft.js';
import { createdLast } from '../../board/creation.js';
import { dropReferencesTo } from '../../board/ruleReferences.js';
import { list } from '../../board/view.js';
import type { Uuid } from '../../ids.js';
import { isRestricted, type BoardRecord, type Member } from '../../model.js';
import { deletedUser, isSameProfile, toPublicUser, type PublicUser } from '../../account/user.js';
import { announce, announceRemoval } from '../handler.js';

/** `seq`: the board's number before; events up to it may show the user. */
export interface Erasure {
  readonly state: 'gone' | 'kept' | 'more';
  readonly seq: number;
}

/** `unassign` removes some assignments, and says whether others are left. */
export function erase(
  draft: Draft,
  board: BoardRecord,
  member: Member | undefined,
  heir: PublicUser | null,
  unassign: () => 'done' | 'more',
): Erasure['state'] {
  if (member === undefined) return 'gone';
  // First, so that no event from here on shows the user.
  const nameless = withoutName(draft, member);
  if (isLastOwner(draft, member)) {
    if (heir === null) {
      if (nameless !== member) announce(draft, 'board.updated', 'board', board);
      return 'kept';
    }
    giveTo(draft, board, heir);
  }
  if (unassign() === 'more') return 'more';
  dropReferencesTo(draft, member.id);
  announceRemoval(draft, 'board.member_removed', 'member', nameless);
  return 'gone';
}

/** Comments whose author is changed in one commit: a few milliseconds. */
const MAX_RENAMED = 100;

/** The texts stay, as texts of cards do. Clients read the names again: no event tells of it. */
export function eraseAuthor(draft: Draft, user: Uuid): 'done' | 'more' {
  const comments = draft.comments.byAuthor(user, MAX_RENAMED + 1);
  const { username: author_name } = deletedUser(user);
  for (const comment of comments.slice(0, MAX_RENAMED)) draft.put('comment', { ...comment, created_by: null, author_name });
  return comments.length > MAX_RENAMED ? 'more' : 'done';
}

/** What the user did stays in the board's activity, without a name. */
export function forgetName(draft: Draft, user: Uuid): void {
  if (draft.activityOnDisk.formerName(user) !== undefined) draft.recorder?.noteFormer(user, null);
}

export function isLastOwner(draft: Draft, member: Member): boolean {
  if (member.role !== 'owner') return false;
  return list(draft, 'member', draft.id).every(({ id, role }) => id === member.id || role !== 'owner');
}

function withoutName(draft: Draft, member: Member): Member {
  const user = deletedUser(member.id);
  return isSameProfile(member.user, user) ? member : draft.revise('member', member, { user });
}

function giveTo(draft: Draft, board: BoardRecord, heir: PublicUser): void {
  const known = draft.get('member', heir.id);
  if (known !== undefined) {
    const isRestored = isRestricted(known.role);
    const record = draft.revise('member', known, { role: 'owner', ...(isRestored ? { assignable_since: draft.assignableSince } : {}) });
    draft.emit('board.updated', draft.render.board(board), draft.caller, { kind: 'member', record });
    return;
  }
  const times = createdLast(draft, 'member', draft.id);
  const owner: Member = {
    id: heir.id,
    role: 'owner',
    user: toPublicUser(heir),
    is_starred: false,
    assignable_since: draft.assignableSince,
    reminder_minutes: null,
    ...times,
  };
  draft.put('member', owner);
  announce(draft, 'board.member_added', 'member', owner);
}
