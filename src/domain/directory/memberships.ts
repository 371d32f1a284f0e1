/** The boards of each user, as the boards report them, and how many boards and memberships a user may add. */
import { isDeletedUser, isSameProfile, toPublicUser } from '../account/user.js';
import type { BoardListChange, MembershipChange, MembershipChanges, PendingProfile } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';
import { addNotification, ownReminder } from './notices/notifications.js';
import { addPending, shownProfile } from './outbox.js';
import type { DirectoryRows } from './rows.js';

/** A board without a member after this time was never created: its request ended without releasing the place. */
const UNMADE_AFTER_MS = 3_600_000;
/** Boards that give way to one new board: more go with the next ones. */
const MAX_EXCESS = 20;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

export const membershipHandlers: DirectoryHandlersOf<'membership' | 'board' | 'grant'> = {
  'membership.apply': {
    effect: 'idempotent',
    run(rows, { board_id, version, members, notifications = [], trashed, is_restored, is_mailing = false }) {
      if (members === 'none left') {
        const gone = trashed === undefined ? removeBoard(rows, board_id) : trashBoard(rows, board_id, version, trashed);
        return { value: true, ...listsOf(gone) };
      }
      const added: PendingProfile[] = [];
      const lists: BoardListChange[] = [];
      if (is_restored === true) restoreBoard(rows, board_id, version);
      if (wasDeleted(rows, board_id)) return { value: true };
      const isNew = ({ user_id }: MembershipChange): boolean => rows.get('membership', { user_id, board_id }) === null;
      const isNamed = (member: MembershipChange): boolean => member.profile !== null || member.is_visitor === true || isNew(member);
      const named = new Set(members.filter(isNamed));
      const current = members.filter((member) => applyChange(rows, board_id, version, member, lists));
      for (const { user_id, profile } of current.filter((member) => named.has(member))) {
        // The profile changed, or the user was deleted, after the board copied it and before this change made the board
        // known here. Or it does not know yet when the user wants to be reminded. Who is not on the board is named by a card that
        // came from another one, also after the erasure of a deleted user was here.
        const shown = shownProfile(rows, user_id);
        if (shown === null) continue;
        const mayDiffer = ownReminder(rows, user_id) !== null || (is_restored === true && rows.get('notice_settings', { user_id }) !== null);
        const isOutdated = profile === null ? isDeletedUser(shown) : mayDiffer || !isSameProfile(shown, profile);
        if (isOutdated) added.push(addPending(rows, user_id, shown));
      }
      const messages = notifications.flatMap((each) => addNotification(rows, each, is_mailing));
      return { value: true, ...(added.length > 0 ? { added } : {}), ...(messages.length > 0 ? { messages } : {}), ...listsOf(lists) };
    },
  },
  'membership.list': {
    effect: 'read',
    run(rows, { user_id, boards, limit, offset = 0 }) {
      if (boards !== undefined) return { value: rows.boardsAmong(user_id, boards) };
      const inOrder = { order: ['position'], after: 0 } as const;
      const page = limit === undefined ? inOrder : { ...inOrder, limit, offset };
      const listed = rows.list('membership', { user_id }, page).map(({ board_id }) => board_id);
      return { value: limit === undefined ? listed.slice(offset) : listed };
    },
  },
  'board.reserve': {
    effect: 'idempotent',
    run(rows, { user_id, board_id, max, now }) {
      const trashed = rows.get('trashed_board', { board_id });
      if (hasNoPlace(rows, user_id, board_id, max)) {
        const before = new Date(Date.parse(now) - UNMADE_AFTER_MS).toISOString();
        for (const unmade of rows.unmadeBoards(user_id, before)) release(rows, unmade);
        if (hasNoPlace(rows, user_id, board_id, max)) {
          throw new AppError('limit', `A user can create at most ${max} boards (MAX_BOARDS_PER_USER); delete one first`);
        }
      }
      rows.write({ op: 'created.add', board_id, user_id, at: now });
      // A board that is about to be restored leaves the trash.
      const excess = excessTrash(rows, user_id, max, trashed === null ? 0 : 1);
      return { value: excess.length === 0 ? true : { excess } };
    },
  },
  'board.wasDeleted': { effect: 'read', run: (rows, { board_id }) => ({ value: wasDeleted(rows, board_id) }) },
  'board.release': {
    effect: 'idempotent',
    run(rows, { board_id }) {
      release(rows, board_id);
      return { value: true };
    },
  },
  'grant.reserve': {
    effect: 'write',
    run(rows, { user_id, wanted, max, now, invited }) {
      const found = invited === undefined ? null : findUser(rows, invited);
      if (invited !== undefined && found === null) return { value: { count: 0, user: null } };
      const { day, granted } = grantedOn(rows, user_id, now);
      const count = Math.max(0, Math.min(wanted, max - granted));
      if (count > 0) rows.write({ op: 'granted.set', user_id, day, count: granted + count });
      return { value: found === null ? count : { count, user: toPublicUser(found) } };
    },
  },
  'grant.release': {
    effect: 'write',
    run(rows, { user_id, count, now }) {
      // None if they were reserved on another day.
      const { day, granted } = grantedOn(rows, user_id, now);
      if (granted > 0) rows.write({ op: 'granted.set', user_id, day, count: Math.max(0, granted - count) });
      return { value: true };
    },
  },
};

/** False if the change is outdated. */
function applyChange(
  rows: DirectoryRows,
  board_id: Uuid,
  version: number,
  { user_id, profile }: MembershipChange,
  lists: BoardListChange[],
): boolean {
  const known = rows.get('membership', { user_id, board_id });
  if (known !== null && known.version >= version) return false;
  const before = known?.position ?? null;
  // A user who is on the board keeps the position. Outboxes of earlier versions also hold changed roles.
  const position = profile === null ? null : (before ?? nextPosition(rows, user_id));
  rows.write({ op: 'membership.put', membership: { user_id, board_id, version, position } });
  if ((before === null) !== (position === null)) lists.push({ user_id, board_id, change: position === null ? 'removed' : 'added' });
  return true;
}

function removeBoard(rows: DirectoryRows, board_id: Uuid): BoardListChange[] {
  release(rows, board_id);
  rows.write({ op: 'trashed.remove', board_id });
  const members = rows.list('membership', { board_id }, { order: ['user_id'] }).filter(({ position }) => position !== null);
  rows.write({ op: 'board.delete', board_id });
  return members.map(({ user_id }) => ({ user_id, board_id, change: 'removed' }));
}

/** The versions of its memberships stay, so that what is late is known after it was restored, and so that a deleted user is erased there. */
function trashBoard(
  rows: DirectoryRows,
  board_id: Uuid,
  version: number,
  { title, deleted_at, owners }: NonNullable<MembershipChanges['trashed']>,
): BoardListChange[] {
  if (wasDeleted(rows, board_id) || latestVersion(rows, board_id) >= version) return [];
  const creator_id = rows.get('created_board', { board_id })?.user_id ?? null;
  const known = rows.list('membership', { board_id }, { order: ['user_id'] });
  const gone = removeBoard(rows, board_id);
  for (const { user_id } of known) rows.write({ op: 'membership.put', membership: { user_id, board_id, version, position: null } });
  const there = owners.filter((id) => findUser(rows, id) !== null);
  rows.write({ op: 'trashed.put', trashed: { board_id, title, deleted_at, version, creator_id }, owners: there });
  return gone;
}

/** Nothing if this is late: the board was restored before, or can be restored no longer. */
function restoreBoard(rows: DirectoryRows, board_id: Uuid, version: number): void {
  const trashed = rows.get('trashed_board', { board_id });
  if (trashed === null || trashed.version >= version) return;
  const { creator_id, deleted_at } = trashed;
  rows.write({ op: 'board.undelete', board_id });
  rows.write({ op: 'trashed.remove', board_id });
  if (creator_id !== null && findUser(rows, creator_id) !== null) rows.write({ op: 'created.add', board_id, user_id: creator_id, at: deleted_at });
  for (const { id } of rows.list('invitation', { board_id }, { order: ['id'] })) rows.write({ op: 'invitation.remove', id });
}

function latestVersion(rows: DirectoryRows, board_id: Uuid): number {
  const [latest] = rows.list('membership', { board_id }, { order: ['version'], isFalling: true, limit: 1 });
  return latest?.version ?? 0;
}

/** The longest deleted boards of a user that have no place beside those that are there. `leaving`: of those in the trash. */
function excessTrash(rows: DirectoryRows, creator_id: Uuid, max: number, leaving: number): Uuid[] {
  const trashed = rows.count('trashed_board', { creator_id }) - leaving;
  const excess = trashed + rows.count('created_board', { user_id: creator_id }) - max;
  if (trashed <= 0 || excess <= 0) return [];
  return rows
    .list('trashed_board', { creator_id }, { order: ['deleted_at'], limit: MAX_EXCESS })
    .slice(0, excess)
    .map(({ board_id }) => board_id);
}

function nextPosition(rows: DirectoryRows, user_id: Uuid): number {
  const [last] = rows.list('membership', { user_id }, { order: ['position'], isFalling: true, limit: 1 });
  return (last?.position ?? 0) + 1;
}

function listsOf(lists: readonly BoardListChange[]): { lists?: readonly BoardListChange[] } {
  return lists.length > 0 ? { lists } : {};
}

function wasDeleted(rows: DirectoryRows, board_id: Uuid): boolean {
  return rows.get('deleted_board', { board_id }) !== null;
}

function release(rows: DirectoryRows, board_id: Uuid): void {
  rows.write({ op: 'created.remove', board_id });
}

/** A repeated reservation does not count against itself. */
function hasNoPlace(rows: DirectoryRows, user_id: Uuid, board_id: Uuid, max: number): boolean {
  const boards = rows.count('created_board', { user_id });
  return boards >= max && boards - rows.count('created_board', { user_id, board_id }) >= max;
}

function grantedOn(rows: DirectoryRows, user_id: Uuid, now: string): { day: string; granted: number } {
  const day = now.slice(0, DAY_CHARACTERS);
  return { day, granted: rows.get('granted_membership', { user_id, day })?.count ?? 0 };
}
