import type { Draft } from '../board/draft.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import { isRestricted, type BoardRecord, type Member, type Role } from '../model.js';
import { lastOwner } from '../refusals.js';
import { dropReferencesTo } from '../board/ruleReferences.js';
import { isSameProfile, toPublicUser, type PublicUser } from '../account/user.js';
import { everyCard, itemsOfCard, need } from '../board/view.js';
import { createdLast } from '../board/creation.js';
import { unassign } from './steps/assignment.js';
import { erase, eraseAuthor, forgetName, isLastOwner, type Erasure } from './steps/erasure.js';
import { forgetWatches } from '../board/watching/watching.js';
import { announce, announceRemoval, type HandlerAnswer, type HandlersOf } from './handler.js';

/** Each removed assignment is an event, and other boards wait for their commit: this many take a few milliseconds. */
export const MAX_UNASSIGNED = 100;

export const memberHandlers: HandlersOf<'member'> = {
  'member.list': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: ['member'], isAnswerLarge: false },
    run: (draft, board) => ({ json: draft.render.list('member', board.id) }),
  },

  'member.begin': {
    target: 'board',
    access: 'owner',
    effect: 'read',
    cacheable: false,
    lists: null,
    run: () => ({ json: null }),
  },

  'member.beginRestricted': {
    target: 'board',
    access: 'owner',
    effect: 'read',
    cacheable: false,
    lists: null,
    run(draft, _board, { role }) {
      draft.requireKeptRole(role);
      return { json: null };
    },
  },

  'member.add': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: true,
    lists: null,
    run: (draft, _board, { user, is_accepted }) => add(draft, user, 'member', is_accepted),
  },

  'member.addAs': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: true,
    lists: null,
    run: (draft, _board, { user, role, is_accepted }) => add(draft, user, role, is_accepted),
  },

  'member.remove': {
    target: 'board',
    access: 'self_or_owner',
    effect: 'write',
    grows: false,
    lists: null,
    path: { user_id: 'member' },
    run(draft, _board, { user_id }) {
      const member = needRemovable(draft, user_id);
      dropAssignments(draft, user_id);
      forgetWatches(draft, user_id);
      return announceRemoval(draft, 'board.member_removed', 'member', member);
    },
  },

  'member.unassign': {
    target: 'board',
    access: 'self_or_owner',
    effect: 'idempotent',
    lists: null,
    path: { user_id: 'member' },
    run(draft, _board, { user_id }) {
      needRemovable(draft, user_id);
      unassignSome(draft, user_id, MAX_UNASSIGNED);
      return { json: JSON.stringify(draft.size.references(user_id) > 2 * MAX_UNASSIGNED), leaving: user_id };
    },
  },

  'member.setRole': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: false,
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    path: { user_id: 'member' },
    run: (draft, board, { user_id, role }) => setRole(draft, board, user_id, role),
  },

  'member.restrict': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: false,
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    path: { user_id: 'member' },
    run(draft, board, { user_id, role }) {
      needRemovable(draft, user_id);
      dropAssignments(draft, user_id);
      return setRole(draft, board, user_id, role);
    },
  },

  /** Delivered at least once, and possibly after the user has left: both must be harmless. */
  'member.refresh': {
    target: 'board',
    access: 'system',
    effect: 'idempotent',
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    run(draft, board, { user, reminder_minutes }) {
      const member = draft.get('member', user.id);
      if (member !== undefined && !isSameProfile(member.user, user)) {
        draft.revise('member', member, { user: toPublicUser(user) });
        draft.emit('board.updated', draft.render.board(board), didItThemselves(member.user, user) ? user.id : null);
      }
      // The member's own: no event.
      const now = draft.get('member', user.id);
      if (now !== undefined && reminder_minutes !== undefined && now.reminder_minutes !== reminder_minutes)
        draft.put('member', { ...now, reminder_minutes });
      return { json: null };
    },
  },

  /** Delivered at least once, like `member.refresh`. */
  'member.erase': {
    target: 'board',
    access: 'system',
    effect: 'idempotent',
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    run(draft, board, { user_id, heir }) {
      // Who was no owner when the board was deleted gets no right to restore it.
      const state = erase(draft, board, draft.get('member', user_id), draft.isTrashed ? null : heir, () => {
        unassignSome(draft, user_id, MAX_UNASSIGNED);
        return draft.size.references(user_id) > MAX_UNASSIGNED ? 'more' : 'done';
      });
      forgetName(draft, user_id);
      forgetWatches(draft, user_id);
      const comments = eraseAuthor(draft, user_id);
      return { json: JSON.stringify({ state: comments === 'more' ? 'more' : state, seq: draft.seq } satisfies Erasure) };
    },
  },
};

/**
 * Users change their own names. Other changes are made by an administrator, and a client skips changes by its own user.
 */
function didItThemselves(before: PublicUser, { firstname, lastname, ...after }: PublicUser): boolean {
  return isSameProfile({ ...before, firstname, lastname }, { ...after, firstname, lastname });
}

function add(draft: Draft, user: PublicUser | null, role: Role, isAccepted = false): HandlerAnswer {
  if (user === null) throw new AppError('not_found', 'User not found');
  if (draft.get('member', user.id) !== undefined) {
    throw new AppError('conflict', 'User is already a member of the board');
  }
  const times = createdLast(draft, 'member', draft.id);
  const member: Member = {
    id: user.id,
    role,
    user: toPublicUser(user),
    is_starred: false,
    assignable_since: draft.assignableSince,
    reminder_minutes: null,
    ...times,
  };
  draft.put('member', member);
  announce(draft, 'board.member_added', 'member', member);
  if (!isAccepted) draft.notifyInvited(user.id);
  return { json: JSON.stringify({ user_id: member.id, role: member.role }) };
}

function setRole(draft: Draft, board: BoardRecord, user: Uuid, role: Role): HandlerAnswer {
  const member = need(draft, 'member', user);
  if (role !== 'owner' && isLastOwner(draft, member)) throw lastOwner();
  const changed = draft.revise(
    'member',
    member,
    isRestricted(member.role) && !isRestricted(role) ? { role, assignable_since: draft.assignableSince } : { role },
  );
  draft.emit('board.updated', draft.render.board(board), draft.caller, { kind: 'member', record: changed });
  return { json: draft.render.member(changed) };
}

/** Of a member who leaves, or may change nothing from now on. Refused if they are too many for one commit. */
function dropAssignments(draft: Draft, user: Uuid): void {
  if (draft.size.references(user) > MAX_UNASSIGNED) {
    throw new AppError('limit', `A member with more than ${MAX_UNASSIGNED} assignments is removed step by step`);
  }
  unassignSome(draft, user, MAX_UNASSIGNED);
  dropReferencesTo(draft, user);
}

/** The last owner can neither leave nor be demoted. */
function needRemovable(draft: Draft, user: Uuid): Member {
  const member = need(draft, 'member', user);
  if (isLastOwner(draft, member)) throw lastOwner();
  return member;
}

/** From cards and items in order, up to the maximum. */
function unassignSome(draft: Draft, user: Uuid, most: number): void {
  let taken = 0;
  for (const card of everyCard(draft)) {
    if (taken >= most) return;
    if (card.assignee_ids.includes(user)) {
      taken += 1;
      unassign(draft, 'card', card, user);
    }
    for (const item of itemsOfCard(draft, card.id)) {
      if (taken >= most) return;
      if (!item.assignee_ids.includes(user)) continue;
      taken += 1;
      unassign(draft, 'item', item, user);
    }
  }
}
