/** The boards of each user, as the boards report them, how many boards and memberships a user may add, and what a user sees of a notice. */
import { MAX_NOTIFICATIONS, NO_CARD, type Notification, type SentNotification, type StoredNotification } from '../account/notification.js';
import { isSameProfile, toPublicUser } from '../account/user.js';
import type { BoardListChange, MembershipChange, PendingProfile } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { FeedMessage } from '../feed.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';
import { addPending, shownProfile } from './outbox.js';
import type { DirectoryRows } from './rows.js';

/** A board without a member after this time was never created: its request ended without releasing the place. */
const UNMADE_AFTER_MS = 3_600_000;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

export const membershipHandlers: DirectoryHandlersOf<'membership' | 'board' | 'grant'> = {
  'membership.apply': {
    effect: 'idempotent',
    run(rows, { board_id, version, members, notifications = [] }) {
      if (members === 'none left') return { value: true, ...listsOf(removeBoard(rows, board_id)) };
      const added: PendingProfile[] = [];
      const lists: BoardListChange[] = [];
      if (wasDeleted(rows, board_id)) return { value: true };
      const current = members.filter((member) => applyChange(rows, board_id, version, member, lists));
      for (const { user_id, profile } of current) {
        // The profile changed, or the user was deleted, after the board copied it and before this change made the board
        // known here.
        const shown = profile && shownProfile(rows, user_id);
        if (shown !== null && profile !== null && !isSameProfile(shown, profile)) added.push(addPending(rows, user_id, shown));
      }
      const messages = notifications.flatMap((each) => addNotification(rows, each));
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
      if (hasNoPlace(rows, user_id, board_id, max)) {
        const before = new Date(Date.parse(now) - UNMADE_AFTER_MS).toISOString();
        for (const unmade of rows.unmadeBoards(user_id, before)) release(rows, unmade);
        if (hasNoPlace(rows, user_id, board_id, max)) {
          throw new AppError('limit', `A user can create at most ${max} boards (MAX_BOARDS_PER_USER); delete one first`);
        }
      }
      rows.write({ op: 'created.add', board_id, user_id, at: now });
      return { value: true };
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
  const members = rows.list('membership', { board_id }, { order: ['user_id'] }).filter(({ position }) => position !== null);
  rows.write({ op: 'board.delete', board_id });
  return members.map(({ user_id }) => ({ user_id, board_id, change: 'removed' }));
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

/** Keeps a notice: here, because some come with a membership and what a user sees of one depends on it. Returns the message to the user; none if it is here already, or the user is gone or not on the board. */
export function addNotification(rows: DirectoryRows, notification: SentNotification): FeedMessage[] {
  const { id, user_id, board_id } = notification;
  if (findUser(rows, user_id) === null || rows.get('notification', { id }) !== null) return [];
  const row: StoredNotification = { ...notification, read_at: null };
  rows.write({ op: 'notification.add', notification: row });
  const excess = rows.count('notification', { user_id }) - MAX_NOTIFICATIONS;
  if (excess > 0) {
    const oldest = rows.list('notification', { user_id }, { order: ['created_at', 'id'], limit: excess });
    rows.write({ op: 'notification.remove', ids: oldest.map((old) => old.id) });
  }
  if (!isMember(rows, user_id, board_id)) return [];
  return [{ user_ids: [user_id], event: { type: 'user.notification', board_id, notification: shownNotification(rows, row, true) } }];
}

export function isMember(rows: DirectoryRows, user_id: Uuid, board_id: Uuid): boolean {
  return (rows.get('membership', { user_id, board_id })?.position ?? null) !== null;
}

/** Of a board that the user has left only kind and time remain. */
export function shownNotification(rows: DirectoryRows, row: StoredNotification, isMember: boolean): Notification {
  const { id, kind, created_at, read_at, is_late } = row;
  const own = { id, kind, created_at, read_at, is_late };
  if (!isMember) return { ...own, board_id: null, card_id: null, comment_id: null, user: null, title: null, due_at: null };
  const { board_id, comment_id, actor_id, title, due_at } = row;
  const card_id = row.card_id === NO_CARD ? null : row.card_id;
  const actor = actor_id === null ? null : findUser(rows, actor_id);
  return { ...own, board_id, card_id, comment_id, user: actor && toPublicUser(actor), title, due_at };
}
