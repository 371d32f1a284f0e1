/** The tables of the directory: their rows, and the writes of its commits. The encoded form of a write never changes. */
import type { AuditEntry, AuditPosition } from '../audit.js';
import type { StoredKey } from '../account/apiKey.js';
import type { Factor } from '../account/factor.js';
import type { Identity } from '../account/identity.js';
import type { Invitation } from '../account/invitation.js';
import type { EndedSession, Session } from '../account/session.js';
import type { Setup } from '../account/setup.js';
import type { Locale, User } from '../account/user.js';
import type { AnswerWrite } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { SentNoticeMail } from '../account/noticeMail.js';
import type { KindWishes, NoticeWish } from '../account/noticeSettings.js';
import type { StoredNotification } from '../account/notification.js';
import type { Table } from '../table.js';

/** The keys make e-mail and username unique. */
export interface UserRow extends User {
  readonly email_key: string;
  readonly username_key: string;
}

/** Stays for ever: a board that adds the user late is visited again. */
export interface DeletedUser {
  readonly id: Uuid;
  /** Gets the boards whose last owner the user was. */
  readonly heir_id: Uuid | null;
  readonly deleted_at: string;
  /** The folded names, so that an interrupted command finds the user again; null when all boards were visited. */
  readonly email_key: string | null;
  readonly username_key: string | null;
}

export interface DirectoryRowTypes {
  user: UserRow;
  /** Absent as long as the user has set nothing. */
  locale: Locale & { readonly user_id: Uuid };
  deleted_user: DeletedUser;
  session: Session;
  ended_session: EndedSession;
  /** A token that works once and was used. */
  spent_token: { readonly hash: string; readonly expires_at: string };
  factor: Factor;
  audit: AuditEntry;
  identity: Identity;
  api_key: StoredKey;
  /** `position` is the board's place in the user's list; null when the user has left the board. */
  membership: { readonly user_id: Uuid; readonly board_id: Uuid; readonly version: number; readonly position: number | null };
  deleted_board: { readonly board_id: Uuid };
  /** A deleted board that can be restored. `version`: of its deletion. `creator_id`: among whose boards it counts. */
  trashed_board: {
    readonly board_id: Uuid;
    readonly title: string;
    readonly deleted_at: string;
    readonly version: number;
    readonly creator_id: Uuid | null;
  };
  /** Who may restore it. */
  trashed_owner: { readonly user_id: Uuid; readonly board_id: Uuid; readonly deleted_at: string };
  /** Reserved or created, and not deleted. */
  created_board: { readonly board_id: Uuid; readonly user_id: Uuid; readonly reserved_at: string };
  /** Memberships that a user has granted on the latest day with any. */
  granted_membership: { readonly user_id: Uuid; readonly day: string; readonly count: number };
  /** The outbox: users whose changed profile is not yet on all boards. Ids rise, and none is used twice. */
  pending_profile: { readonly id: number; readonly user_id: Uuid };
  invitation: Invitation;
  notification: StoredNotification;
  /** A notice that is still to be mailed, by its id. */
  notice_mail: { readonly id: Uuid; readonly user_id: Uuid; readonly mail: SentNoticeMail; readonly due_at: string };
  /** Absent as long as the user has the defaults. */
  notice_settings: { readonly user_id: Uuid; readonly reminder_minutes: number; readonly kinds: KindWishes };
  board_notices: NoticeWish & { readonly user_id: Uuid; readonly board_id: Uuid };
  /** One row at most. Hashes of the tokens that may still make the first superuser. */
  setup: { readonly id: number; readonly token_hashes: readonly string[]; readonly done_at: string | null };
}

export type TableName = keyof DirectoryRowTypes;

interface Writes {
  user:
    | { readonly op: 'user.insert'; readonly user: User; readonly email_key: string; readonly username_key: string }
    | { readonly op: 'user.update'; readonly user: User }
    /** With another e-mail address or username. */
    | { readonly op: 'user.rename'; readonly user: User; readonly email_key: string; readonly username_key: string }
    | { readonly op: 'user.remove'; readonly id: Uuid };
  locale: { readonly op: 'locale.put'; readonly locale: DirectoryRowTypes['locale'] } | { readonly op: 'locale.remove'; readonly user_id: Uuid };
  deleted_user: { readonly op: 'deleted.put'; readonly deleted: DeletedUser };
  session:
    | { readonly op: 'session.put'; readonly session: Session }
    | { readonly op: 'session.remove'; readonly ids: readonly Uuid[] }
    | { readonly op: 'session.seen'; readonly ids: readonly Uuid[]; readonly at: string };
  ended_session:
    | { readonly op: 'ended.put'; readonly sessions: readonly EndedSession[] }
    | { readonly op: 'ended.remove'; readonly ids: readonly Uuid[] };
  spent_token:
    | { readonly op: 'token.put'; readonly hash: string; readonly expires_at: string }
    | { readonly op: 'token.remove'; readonly hashes: readonly string[] };
  factor: { readonly op: 'factor.put'; readonly factor: Factor } | { readonly op: 'factor.remove'; readonly user_id: Uuid };
  audit:
    | { readonly op: 'audit.add'; readonly entries: readonly AuditEntry[] }
    | { readonly op: 'audit.remove'; readonly entries: readonly AuditPosition[] }
    /** Names and addresses of a deleted user. */
    | { readonly op: 'audit.forget'; readonly user_id: Uuid };
  /** `identity.remove`: all of the user. */
  identity: { readonly op: 'identity.put'; readonly identity: Identity } | { readonly op: 'identity.remove'; readonly user_id: Uuid };
  api_key:
    | { readonly op: 'key.put'; readonly key: StoredKey }
    | { readonly op: 'key.remove'; readonly ids: readonly Uuid[] }
    | { readonly op: 'key.used'; readonly ids: readonly Uuid[]; readonly at: string };
  membership:
    | { readonly op: 'membership.put'; readonly membership: DirectoryRowTypes['membership'] }
    /** The board is deleted: it has no members, and later changes of it are old. */
    | { readonly op: 'board.delete'; readonly board_id: Uuid };
  /** The board is back. */
  deleted_board: { readonly op: 'board.undelete'; readonly board_id: Uuid };
  trashed_board:
    | { readonly op: 'trashed.put'; readonly trashed: DirectoryRowTypes['trashed_board']; readonly owners: readonly Uuid[] }
    | { readonly op: 'trashed.remove'; readonly board_id: Uuid };
  /** Of a deleted user. */
  trashed_owner: { readonly op: 'trashed.forget'; readonly user_id: Uuid };
  created_board:
    | { readonly op: 'created.add'; readonly board_id: Uuid; readonly user_id: Uuid; readonly at: string }
    | { readonly op: 'created.remove'; readonly board_id: Uuid };
  granted_membership: { readonly op: 'granted.set'; readonly user_id: Uuid; readonly day: string; readonly count: number };
  /** `pending.add` replaces an earlier entry of the user. */
  pending_profile:
    | { readonly op: 'pending.add'; readonly id: number; readonly user_id: Uuid }
    | { readonly op: 'pending.remove'; readonly id: number };
  /** `invitation.put`: created, or used once more. */
  invitation: { readonly op: 'invitation.put'; readonly invitation: Invitation } | { readonly op: 'invitation.remove'; readonly id: Uuid };
  notification:
    | { readonly op: 'notification.add'; readonly notification: StoredNotification }
    | { readonly op: 'notification.remove'; readonly ids: readonly Uuid[] }
    /** Null: all of the user. */
    | { readonly op: 'notification.read'; readonly user_id: Uuid; readonly ids: readonly Uuid[] | null; readonly at: string }
    | { readonly op: 'notification.forget'; readonly user_id: Uuid };
  notice_mail:
    | { readonly op: 'noticeMail.add'; readonly pending: DirectoryRowTypes['notice_mail'] }
    | { readonly op: 'noticeMail.remove'; readonly ids: readonly Uuid[] }
    | { readonly op: 'noticeMail.forget'; readonly user_id: Uuid };
  notice_settings:
    | { readonly op: 'noticeSettings.put'; readonly settings: DirectoryRowTypes['notice_settings'] }
    | { readonly op: 'noticeSettings.forget'; readonly user_id: Uuid };
  board_notices:
    | { readonly op: 'boardNotices.put'; readonly wish: DirectoryRowTypes['board_notices'] }
    | { readonly op: 'boardNotices.remove'; readonly user_id: Uuid; readonly board_id: Uuid }
    | { readonly op: 'boardNotices.forget'; readonly user_id: Uuid };
  setup: { readonly op: 'setup.put'; readonly setup: Setup };
}

export type TableWrite = Writes[TableName];
export type DirectoryWrite = TableWrite | AnswerWrite;

/** A commit of the directory as a value; see `ports/shardCommit.ts`. */
export interface DirectoryCommit {
  /** From 1 and without gaps. */
  readonly number: number;
  /** In the order in which they are to be applied. */
  readonly writes: readonly DirectoryWrite[];
}

/** The only row of its table. */
export const SETUP_ROW = 1;

/** The schema with which kept answers came. */
export const ANSWERS_SINCE = 10;

/** The schema with which deleted boards could be restored. */
const TRASHED_BOARDS_SINCE = 24;

/** The schema with which users chose what they hear of. */
const NOTICE_SETTINGS_SINCE = 25;

export const DIRECTORY_TABLES: { readonly [Name in TableName]: Table<DirectoryRowTypes, DirectoryRowTypes[Name], Writes[Name]> } = {
  user: {
    since: 1,
    later: { 'user.remove': 16, 'user.rename': 20 },
    key: ['id'],
    columns: {
      id: 'text',
      email: 'text',
      username: 'text',
      hashed_password: 'text',
      firstname: 'text',
      lastname: 'text',
      is_active: 'boolean',
      is_verified: 'boolean',
      is_superuser: 'boolean',
      created_at: 'text',
      updated_at: 'text',
      revoked_at: 'text',
      email_key: 'text',
      username_key: 'text',
    },
    writes: {
      'user.insert': ({ user, email_key, username_key }) => [{ table: 'user', insert: { ...user, email_key, username_key } }],
      // Named one by one: a newer program may write fields that this one does not know, an older one had no `revoked_at`.
      'user.update': ({ user }) => {
        const { id, hashed_password, firstname, lastname, is_active, is_verified, is_superuser, updated_at } = user;
        const { revoked_at = null }: Partial<User> = user;
        const set = { hashed_password, firstname, lastname, is_active, is_verified, is_superuser, updated_at, revoked_at };
        return [{ table: 'user', set, where: { id } }];
      },
      'user.rename': ({ user: { id, created_at: _created, ...set }, email_key, username_key }) => [
        { table: 'user', set: { ...set, email_key, username_key }, where: { id } },
      ],
      'user.remove': ({ id }) => [{ table: 'user', remove: { id } }],
    },
  },
  locale: {
    since: 21,
    key: ['user_id'],
    columns: { user_id: 'text', language: 'text', time_zone: 'text' },
    writes: {
      'locale.put': ({ locale }) => [{ table: 'locale', put: locale }],
      'locale.remove': ({ user_id }) => [{ table: 'locale', remove: { user_id } }],
    },
  },
  deleted_user: {
    since: 16,
    key: ['id'],
    columns: { id: 'text', heir_id: 'text', deleted_at: 'text', email_key: 'text', username_key: 'text' },
    writes: { 'deleted.put': ({ deleted }) => [{ table: 'deleted_user', put: deleted }] },
  },
  session: {
    since: 12,
    key: ['id'],
    columns: {
      id: 'text',
      user_id: 'text',
      generation: 'integer',
      device: 'text',
      address: 'text',
      created_at: 'text',
      refreshed_at: 'text',
      last_seen: 'text',
      expires_at: 'text',
    },
    writes: {
      'session.put': ({ session }) => [{ table: 'session', put: session }],
      'session.remove': ({ ids }) => ids.map((id) => ({ table: 'session', remove: { id } })),
      'session.seen': ({ ids, at }) => ids.map((id) => ({ table: 'session', set: { last_seen: at }, where: { id } })),
    },
  },
  ended_session: {
    since: 22,
    // A session ends also while an older program runs; only the reason is not known then.
    isOptional: true,
    key: ['id'],
    columns: { id: 'text', user_id: 'text', reason: 'text', ended_at: 'text' },
    writes: {
      'ended.put': ({ sessions }) => sessions.map((put) => ({ table: 'ended_session', put })),
      'ended.remove': ({ ids }) => ids.map((id) => ({ table: 'ended_session', remove: { id } })),
    },
  },
  spent_token: {
    since: 13,
    key: ['hash'],
    columns: { hash: 'text', expires_at: 'text' },
    writes: {
      'token.put': ({ hash, expires_at }) => [{ table: 'spent_token', put: { hash, expires_at } }],
      'token.remove': ({ hashes }) => hashes.map((hash) => ({ table: 'spent_token', remove: { hash } })),
    },
  },
  identity: {
    since: 14,
    key: ['issuer', 'subject'],
    columns: { issuer: 'text', subject: 'text', user_id: 'text', created_at: 'text' },
    writes: {
      'identity.put': ({ identity }) => [{ table: 'identity', put: identity }],
      'identity.remove': ({ user_id }) => [{ table: 'identity', remove: { user_id } }],
    },
  },
  api_key: {
    since: 15,
    key: ['id'],
    columns: {
      id: 'text',
      user_id: 'text',
      token_hash: 'text',
      name: 'text',
      prefix: 'text',
      scopes: 'json',
      board_ids: 'json',
      created_at: 'text',
      expires_at: 'text',
      last_used: 'text',
    },
    writes: {
      'key.put': ({ key }) => [{ table: 'api_key', put: key }],
      'key.remove': ({ ids }) => ids.map((id) => ({ table: 'api_key', remove: { id } })),
      'key.used': ({ ids, at }) => ids.map((id) => ({ table: 'api_key', set: { last_used: at }, where: { id } })),
    },
  },
  factor: {
    since: 17,
    key: ['user_id'],
    columns: {
      user_id: 'text',
      sealed_secret: 'text',
      created_at: 'text',
      confirmed_at: 'text',
      last_step: 'integer',
      misses: 'integer',
      missed_at: 'text',
      recovery_hashes: 'json',
    },
    writes: {
      'factor.put': ({ factor }) => [{ table: 'factor', put: factor }],
      'factor.remove': ({ user_id }) => [{ table: 'factor', remove: { user_id } }],
    },
  },
  audit: {
    since: 18,
    key: ['at', 'id'],
    columns: {
      at: 'text',
      id: 'text',
      kind: 'text',
      user_id: 'text',
      username: 'text',
      subject_id: 'text',
      subject: 'text',
      address: 'text',
      device: 'text',
      details: 'json',
    },
    writes: {
      'audit.add': ({ entries }) => entries.map((put) => ({ table: 'audit', put })),
      'audit.remove': ({ entries }) => entries.map(({ at, id }) => ({ table: 'audit', remove: { at, id } })),
      'audit.forget': ({ user_id }) => [
        { table: 'audit', set: { username: null, address: null, device: null }, where: { user_id } },
        { table: 'audit', set: { subject: null }, where: { subject_id: user_id } },
      ],
    },
  },
  membership: {
    since: 1,
    key: ['user_id', 'board_id'],
    columns: { user_id: 'text', board_id: 'text', version: 'integer', position: 'integer' },
    writes: {
      'membership.put': ({ membership }) => [{ table: 'membership', put: membership }],
      'board.delete': ({ board_id }) => [
        { table: 'deleted_board', add: { board_id } },
        { table: 'membership', remove: { board_id } },
      ],
    },
  },
  deleted_board: {
    since: 1,
    later: { 'board.undelete': TRASHED_BOARDS_SINCE },
    key: ['board_id'],
    columns: { board_id: 'text' },
    writes: { 'board.undelete': ({ board_id }) => [{ table: 'deleted_board', remove: { board_id } }] },
  },
  trashed_board: {
    since: TRASHED_BOARDS_SINCE,
    // While an older program runs, boards are deleted for good.
    isOptional: true,
    key: ['board_id'],
    columns: { board_id: 'text', title: 'text', deleted_at: 'text', version: 'integer', creator_id: 'text' },
    writes: {
      'trashed.put': ({ trashed, owners }) => {
        const { board_id, deleted_at } = trashed;
        const added = owners.map((user_id) => ({ table: 'trashed_owner', put: { user_id, board_id, deleted_at } }) as const);
        return [{ table: 'trashed_board', put: trashed }, ...added];
      },
      'trashed.remove': ({ board_id }) => [
        { table: 'trashed_board', remove: { board_id } },
        { table: 'trashed_owner', remove: { board_id } },
      ],
    },
  },
  trashed_owner: {
    since: TRASHED_BOARDS_SINCE,
    isOptional: true,
    key: ['user_id', 'board_id'],
    columns: { user_id: 'text', board_id: 'text', deleted_at: 'text' },
    writes: { 'trashed.forget': ({ user_id }) => [{ table: 'trashed_owner', remove: { user_id } }] },
  },
  created_board: {
    since: 1,
    key: ['board_id'],
    columns: { board_id: 'text', user_id: 'text', reserved_at: 'text' },
    writes: {
      'created.add': ({ board_id, user_id, at }) => [{ table: 'created_board', add: { board_id, user_id, reserved_at: at } }],
      'created.remove': ({ board_id }) => [{ table: 'created_board', remove: { board_id } }],
    },
  },
  granted_membership: {
    since: 1,
    key: ['user_id'],
    columns: { user_id: 'text', day: 'text', count: 'integer' },
    writes: { 'granted.set': ({ user_id, day, count }) => [{ table: 'granted_membership', put: { user_id, day, count } }] },
  },
  pending_profile: {
    since: 1,
    key: ['id'],
    columns: { id: 'integer', user_id: 'text' },
    writes: {
      'pending.add': ({ id, user_id }) => [
        { table: 'pending_profile', remove: { user_id } },
        { table: 'pending_profile', put: { id, user_id } },
      ],
      'pending.remove': ({ id }) => [{ table: 'pending_profile', remove: { id } }],
    },
  },
  invitation: {
    since: 11,
    key: ['id'],
    columns: {
      id: 'text',
      token_hash: 'text',
      created_by: 'text',
      created_at: 'text',
      expires_at: 'text',
      max_uses: 'integer',
      uses: 'integer',
      board_id: 'text',
      role: 'text',
    },
    writes: {
      'invitation.put': ({ invitation }) => [{ table: 'invitation', put: invitation }],
      'invitation.remove': ({ id }) => [{ table: 'invitation', remove: { id } }],
    },
  },
  notification: {
    since: 23,
    key: ['id'],
    columns: {
      id: 'text',
      user_id: 'text',
      kind: 'text',
      created_at: 'text',
      board_id: 'text',
      card_id: 'text',
      comment_id: 'text',
      actor_id: 'text',
      title: 'text',
      due_at: 'text',
      is_late: 'boolean',
      read_at: 'text',
      // Absent in records of older programs.
      is_hidden: 'boolean',
    },
    writes: {
      'notification.add': ({ notification }) => [{ table: 'notification', add: notification }],
      'notification.remove': ({ ids }) => ids.map((id) => ({ table: 'notification', remove: { id } })),
      'notification.read': ({ user_id, ids, at }) => {
        const set = { read_at: at };
        const unread = { user_id, read_at: null, is_hidden: false };
        if (ids === null) return [{ table: 'notification', set, where: unread }];
        return ids.map((id) => ({ table: 'notification', set, where: { id, ...unread } }));
      },
      'notification.forget': ({ user_id }) => [{ table: 'notification', remove: { user_id } }],
    },
  },
  notice_mail: {
    since: NOTICE_SETTINGS_SINCE,
    // While an older program runs, nothing is mailed.
    isOptional: true,
    key: ['id'],
    columns: { id: 'text', user_id: 'text', mail: 'text', due_at: 'text' },
    writes: {
      'noticeMail.add': ({ pending }) => [{ table: 'notice_mail', add: pending }],
      'noticeMail.remove': ({ ids }) => ids.map((id) => ({ table: 'notice_mail', remove: { id } })),
      'noticeMail.forget': ({ user_id }) => [{ table: 'notice_mail', remove: { user_id } }],
    },
  },
  notice_settings: {
    since: NOTICE_SETTINGS_SINCE,
    key: ['user_id'],
    columns: { user_id: 'text', reminder_minutes: 'integer', kinds: 'json' },
    writes: {
      'noticeSettings.put': ({ settings }) => [{ table: 'notice_settings', put: settings }],
      'noticeSettings.forget': ({ user_id }) => [{ table: 'notice_settings', remove: { user_id } }],
    },
  },
  board_notices: {
    since: NOTICE_SETTINGS_SINCE,
    key: ['user_id', 'board_id'],
    columns: { user_id: 'text', board_id: 'text', app: 'boolean', mail: 'text' },
    writes: {
      'boardNotices.put': ({ wish }) => [{ table: 'board_notices', put: wish }],
      'boardNotices.remove': ({ user_id, board_id }) => [{ table: 'board_notices', remove: { user_id, board_id } }],
      'boardNotices.forget': ({ user_id }) => [{ table: 'board_notices', remove: { user_id } }],
    },
  },
  setup: {
    since: 20,
    key: ['id'],
    columns: { id: 'integer', token_hashes: 'json', done_at: 'text' },
    writes: {
      'setup.put': ({ setup }) => {
        const [token_hashes, done_at] = setup.kind === 'open' ? [setup.token_hashes, null] : [[], setup.at];
        return [{ table: 'setup', put: { id: SETUP_ROW, token_hashes, done_at } }];
      },
    },
  },
};
