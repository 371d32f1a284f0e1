/** The commands of the directory, as plain data that travels in asks. */
import type { AuditEntry, AuditKind, AuditPosition } from '../audit.js';
import type { FactorProof, FactorView, ProofOutcome } from '../account/factor.js';
import type { ApiKey, FoundKey, StoredKey } from '../account/apiKey.js';
import type { Uuid } from '../ids.js';
import type { IdentityEntry, IdentityNewcomer, ProvidedIdentity } from '../account/identity.js';
import type { Invitation } from '../account/invitation.js';
import type { EndReason, LiveSession, LiveSessions, Session } from '../account/session.js';
import type { NoticeLetter, TakenNotices } from '../account/noticeMail.js';
import type { NoticeSettings } from '../account/noticeSettings.js';
import type { Notification, NotificationPlace, SentNotification } from '../account/notification.js';
import type { SetupView, Setup } from '../account/setup.js';
import type { Account, Locale, PublicUser, User } from '../account/user.js';

export interface DirectoryCommands {
  /** Refused with `conflict` if the e-mail or the username is taken, ignoring case, or is another user's login name. */
  'user.create': {
    input: {
      id: Uuid;
      email: string;
      username: string;
      hashed_password: string;
      firstname: string | null;
      lastname: string | null;
      is_superuser: boolean;
      now: string;
      /** The hash of the secret of an invitation, which is used once more. Refused with `forbidden` if it is not valid. */
      invitation?: string;
    };
    output: PublicUser;
  };
  /** An instance tells the hash of the token in its data folder; the answer is whether it may be used. */
  'setup.offer': { input: { token_hash: string; now: string }; output: Setup['kind'] };
  'setup.read': { input: Record<string, never>; output: SetupView };
  /** Refused as `setup.create` is, before a password is hashed. */
  'setup.check': { input: { token_hash: string | null }; output: true };
  /**
   * The first superuser. Refused with `conflict` if a user is or was a superuser, or a name is taken, and with `forbidden`
   * if the token is not known. A null hash: the instance answers for the caller.
   */
  'setup.create': { input: NewSuperuser; output: PublicUser };
  /** With `with`, the answer has `live`. */
  'user.get': { input: { id: Uuid; with?: 'sessions' }; output: (PublicUser & Partial<Locale> & { live?: LiveSessions }) | null };
  /** With the hash, for a password check. `login` is an e-mail address or else a username, or with `by` only that. */
  'user.findForLogin': { input: { login: string; by?: 'username' }; output: UserForLogin | null };
  /** The user for each address, or null; ignoring case. */
  'user.findByEmail': { input: { emails: readonly string[] }; output: Array<PublicUser | null> };
  'user.getWithHash': { input: { id: Uuid }; output: User | null };
  /**
   * With `visibleTo` only users who share a board with that user, that user, and the one who has exactly the searched
   * e-mail address or username. With `boards` only these boards count. With `with`, the answer says who has a second factor.
   */
  'user.search': {
    input: { search: string | null; limit: number; offset: number; visibleTo?: Uuid; boards?: readonly Uuid[]; with?: 'factors' };
    output: Array<PublicUser & { has_second_factor?: boolean }>;
  };
  /** Whether the two are on a common board; with `boards`, on one of these. */
  'user.sharesBoard': { input: { user_id: Uuid; other_id: Uuid; boards?: readonly Uuid[] }; output: boolean };
  /**
   * Refused with `not_found`. An absent field stays unchanged. A new password ends the sessions of the user except
   * `keep_session`; deactivation and demotion end all.
   */
  'user.update': {
    input: { id: Uuid; now: string; changes: UserChanges; keep_session?: Uuid };
    output: PublicUser;
  };
  /** By the user. A name of its own, because an older owner would carry `user.update` out without the locale. */
  'user.configure': { input: { id: Uuid; now: string; changes: UserChanges; locale: Partial<Locale> }; output: Account };
  /**
   * Another e-mail address or username; with `link` by a token that works once, which is spent. All sessions but
   * `keep_session` end if the address changes. Refused with `conflict` if the name is taken, and with `forbidden` if the
   * token was spent or has expired, or the user differs from `expected`.
   */
  'user.rename': { input: Renaming; output: PublicUser };
  /** Refused as `user.rename` would be for these names, before a link is sent. */
  'user.mayRename': { input: { id: Uuid; names: { email: string } | { username: string } }; output: true };
  /**
   * Changes a user by a token that works once and spends it, both or neither. Refused with `forbidden` if the token was
   * spent or has expired, or the user is inactive or differs from `expected`. A new password ends all sessions, and all API
   * keys as well if the address was not verified before.
   */
  'user.redeem': { input: Redemption; output: PublicUser };
  /**
   * The user is gone at once, with sessions and invitations; the boards follow through the outbox. A board whose last
   * owner it was goes to the heir. Refused with `not_found`, and with `conflict` if the heir is not an active user.
   * Repeated, it visits the boards again, for the heir that is given now.
   */
  'user.delete': { input: { id: Uuid; heir_id: Uuid | null; now: string }; output: true };
  /** Of a user who was deleted; null for any other. By login name only until all boards were visited. */
  'user.deletion': { input: { user: string; by: 'id' | 'login' }; output: UserDeletion | null };
  /**
   * Carries a change out once: with the same scope and key it answers what it answered first. `scope` is the caller, or
   * the fingerprint if there is none. Refused with `invalid` if the key was used for another request. The answer `false`
   * says that nothing was done, and is not kept.
   */
  once: { input: KeyedRequest & { command: OnceCommand }; output: { value: OnceValue; isReplayed: boolean } };
  /** What `once` has answered, or null. */
  'once.find': { input: KeyedRequest; output: { value: OnceValue } | null };
  /** The ids that belong to no active user. */
  'user.inactive': { input: { ids: readonly Uuid[] }; output: Uuid[] };
  /** The ids that belong to no user. */
  'user.missing': { input: { ids: readonly Uuid[] }; output: Uuid[] };
  /**
   * After a login. `revoked_at`: of the user whose password was checked. Refused with `unauthenticated` if it has another
   * value by now, because the password may have changed. The oldest session ends if there are too many.
   */
  'session.create': {
    input: Pick<Session, 'id' | 'user_id' | 'device' | 'address' | 'expires_at'> & { revoked_at: string | null; now: string };
    output: true;
  };
  /** Null if the refresh token of this generation is good no longer. One that was replaced earlier ends the session. */
  'session.refresh': { input: { id: Uuid; generation: number; now: string }; output: RefreshedSession | null };
  /** Oldest first, without expired ones. */
  'session.list': { input: { user_id: Uuid; now: string }; output: Session[] };
  /** Null if there is no such session, it goes on, or it is forgotten why it ended. */
  'session.endReason': { input: { id: Uuid; now: string }; output: EndReason | null };
  /** With `ended_at` the client that has the session is told that it ended elsewhere. */
  'session.end': { input: { user_id: Uuid; id: Uuid; ended_at?: string }; output: true };
  /** With `keep`, also tokens without a session end. */
  'session.endOthers': { input: { user_id: Uuid; keep: Uuid | null; now: string }; output: true };
  /** These sessions and API keys were used in the last minute. */
  'session.seen': { input: { ids: readonly Uuid[]; now: string }; output: true };
  /** For each user, in order. */
  'session.live': { input: { user_ids: readonly Uuid[] }; output: LiveSessions[] };
  /** Of a token that works once, by its hash. False if it was spent before, or has expired. */
  'token.spend': { input: { hash: string; expires_at: string; now: string }; output: boolean };
  'factor.get': { input: { user_id: Uuid }; output: FactorView | null };
  /** A new secret, which replaces one that was not confirmed. Refused with `conflict` if the factor is on. */
  'factor.begin': { input: { user_id: Uuid; sealed_secret: string; now: string }; output: true };
  /**
   * Turns the factor on with a code of the new secret; `step` is null for a wrong one. All sessions of the user but
   * `keep_session` end.
   */
  'factor.confirm': {
    input: {
      user_id: Uuid;
      sealed_secret: string;
      step: number | null;
      recovery_hashes: readonly string[];
      keep_session: Uuid | null;
      now: string;
    };
    output: ProofOutcome;
  };
  /** Uses a code up, or counts a wrong one. */
  'factor.prove': { input: { user_id: Uuid; proof: FactorProof; now: string }; output: ProofOutcome };
  /** Replaces all recovery codes. */
  'factor.renewCodes': {
    input: { user_id: Uuid; proof: FactorProof; recovery_hashes: readonly string[]; now: string };
    output: ProofOutcome;
  };
  /** Without `proof` on the word of the operator. All sessions of the user but `keep_session` end. */
  'factor.remove': {
    input: { user_id: Uuid; proof: FactorProof | null; keep_session: Uuid | null; now: string };
    output: ProofOutcome;
  };
  /** For what the directory itself does not do; other commands carry their entry along. */
  'audit.add': { input: { entries: readonly AuditEntry[] }; output: true };
  /** The latest first. `user_id`: what the user did, and what was done to the user. */
  'audit.list': {
    input: { before: AuditPosition | null; limit: number; user_id: Uuid | null; kind: AuditKind | null };
    output: AuditEntry[];
  };
  /**
   * A login through a provider of single sign-on. An identity that is not known is linked to the user with its e-mail
   * address if both sides have verified it; else `newcomer` is created if given. Refused with `forbidden` if its
   * invitation is not valid.
   */
  'identity.enter': {
    input: ProvidedIdentity & { newcomer?: IdentityNewcomer; now: string };
    output: IdentityEntry;
  };
  /**
   * Refused with `limit` if the user has too many, and with `forbidden` if they may not have these scopes. A repeated
   * creation changes nothing.
   */
  'key.create': { input: Omit<StoredKey, 'created_at' | 'last_used'> & { now: string }; output: true };
  /** For each hash, in order, also if the key has expired. */
  'key.find': { input: { hashes: readonly string[] }; output: Array<FoundKey | null> };
  /** Oldest first, also expired ones. */
  'key.list': { input: { user_id: Uuid }; output: ApiKey[] };
  /** Revokes it; false if the user has no such key. */
  'key.remove': { input: { user_id: Uuid; id: Uuid }; output: boolean };
  /** From a board's outbox: its members as of `version`. Applied if newer than the known version of the pair. */
  'membership.apply': { input: MembershipChanges & Mailing; output: true };
  /** The boards of a user in order of joining; all of them unless limited. With `boards` only these, neither limited. */
  'membership.list': { input: { user_id: Uuid; limit?: number; offset?: number; boards?: readonly Uuid[] }; output: Uuid[] };
  /**
   * Before a board is created or restored. Refused with `limit` if the user has created `max` boards that still exist. Deleted boards of the user count as well, and give way:
   * `excess` are those that must go, the longest deleted first.
   */
  'board.reserve': { input: { user_id: Uuid; board_id: Uuid; max: number; now: string }; output: true | { excess: readonly Uuid[] } };
  /** The deleted boards that the user may restore, of those deleted since this time: the latest first. */
  'trash.list': { input: { user_id: Uuid; since: string; before: TrashPlace | null; limit: number }; output: DeletedBoard[] };
  /** Null if the user may not restore the board. */
  'trash.find': { input: { user_id: Uuid; board_id: Uuid }; output: FoundDeletedBoard | null };
  /** Whether there was a board with this id. No other board can have it: late reports about it are ignored. */
  'board.wasDeleted': { input: { board_id: Uuid }; output: boolean };
  /** The board was not created. */
  'board.release': { input: { board_id: Uuid }; output: true };
  /**
   * Before memberships are granted: how many of them the user may grant today, of `max` in a day. These are counted. With
   * `invited` the answer has that user too, and without such a user nothing is counted; an owner of the directory that is an
   * older program ignores it.
   */
  'grant.reserve': {
    input: { user_id: Uuid; wanted: number; max: number; now: string; invited?: Uuid };
    output: number | { count: number; user: PublicUser | null };
  };
  /** This many were not granted; `now` is the time of their reservation. */
  'grant.release': { input: { user_id: Uuid; count: number; now: string }; output: true };
  /** Refused with `limit` if its creator has too many. */
  'invitation.create': { input: Invitation; output: true };
  /** The latest first; of one user, or of all. */
  'invitation.list': { input: { created_by: Uuid | null; limit: number; offset: number }; output: Invitation[] };
  /** By the hash of its secret. Null if it is not valid any more (with `user_id`: for this user), or its creator is not active. */
  'invitation.find': { input: { token_hash: string; now: string; user_id?: Uuid }; output: Invitation | null };
  /**
   * Counts a use, with `user_id` once for this user: false if it was counted before. Refused with `forbidden` if it is not
   * valid. An owner of the directory that is an older program ignores the user.
   */
  'invitation.use': { input: { token_hash: string; now: string; user_id?: Uuid }; output: boolean };
  /** Revokes it; false if there is none, or `created_by` is given and is another user. */
  'invitation.remove': { input: { id: Uuid; created_by: Uuid | null }; output: boolean };
  /** From a board's outbox. Those that are known, and those of users who are gone, are left out. */
  'notification.add': { input: { notifications: readonly SentNotification[] } & Mailing; output: true };
  /** The newest first, before this place. `unread`: only those. `next`: the place of the last one, if older ones follow. */
  'notification.list': {
    input: { user_id: Uuid; unread: boolean; before: NotificationPlace | null; limit: number };
    output: { notifications: Notification[]; unread: number; next: NotificationPlace | null };
  };
  /** Null: all. Answers how many are left unread. */
  'notification.read': { input: { user_id: Uuid; ids: readonly Uuid[] | null; now: string }; output: number };
  /** What is due, of at most `limit` users: for the caller alone to mail. */
  'noticeMail.take': { input: { now: string; limit: number }; output: TakenNotices[] };
  /** What was taken and not mailed waits for the mail of the day. */
  'noticeMail.postpone': { input: { ids: readonly Uuid[]; now: string }; output: true };
  /** What a mail about these notices says now; null for none. */
  'noticeMail.read': { input: { user_id: Uuid; ids: readonly Uuid[] }; output: NoticeLetter | null };
  'noticeSettings.get': { input: { user_id: Uuid }; output: NoticeSettings };
  /** Replaces all of them. Refused with `invalid` for a board that the user is not on. */
  'noticeSettings.put': { input: { user_id: Uuid; settings: NoticeSettings }; output: NoticeSettings };
  /** How long before a date the user is reminded; null: as by default. */
  'noticeSettings.reminder': { input: { user_id: Uuid }; output: number | null };
  /** No notice is mailed to the user any more, if there is such a user. */
  'noticeSettings.unsubscribe': { input: { user_id: Uuid }; output: true };
  /** Publishes changed profiles that are not yet delivered, oldest first, after this id. */
  'outbox.push': { input: { after: number }; output: true };
  /** Deletes the entry of a changed profile. */
  'outbox.delivered': { input: { id: number }; output: true };
  stats: {
    input: Record<string, never>;
    output: { users: number; active_users: number; boards: number; memberships: number };
  };
  'health.check': { input: Record<string, never>; output: true };
  /**
   * Lets the instance use what it remembers about users for this long since the ask, see `cluster/userGrants.ts`, which
   * answers it: of the directory itself it is a read without a result.
   */
  'users.lease': { input: { instance: string }; output: UserGrant };
}

/** How long what is remembered about users may be used, and the instance that reports changes meanwhile. */
export interface UserGrant {
  readonly ms: number;
  readonly by: string;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly now: string;
}

/** The changes that such a request makes. Their answers have no secret. */
export type OnceOperation =
  | 'user.create'
  | 'setup.create'
  | 'user.rename'
  | 'user.update'
  | 'user.configure'
  | 'user.redeem'
  | 'user.delete'
  | 'invitation.remove'
  | 'session.end'
  | 'session.endOthers'
  | 'key.remove';
export type OnceCommand = {
  [Op in OnceOperation]: { readonly op: Op; readonly input: DirectoryCommands[Op]['input'] };
}[OnceOperation];
export type OnceValue = DirectoryCommands[OnceOperation]['output'];

/** Whether the service sends mails. Otherwise none is queued, because it would wait for ever. */
export interface Mailing {
  readonly is_mailing?: true;
}

export interface MembershipChanges {
  readonly board_id: Uuid;
  /** Rises with every change of the board's members. */
  readonly version: number;
  readonly members: 'none left' | readonly MembershipChange[];
  /** The deleted board can be restored by its owners. */
  readonly trashed?: { readonly title: string; readonly deleted_at: string; readonly owners: readonly Uuid[] };
  /** The board comes back from the trash, with these members. */
  readonly is_restored?: true;
  /** To those who joined. They come with their memberships, without which nobody is told. */
  readonly notifications?: readonly SentNotification[];
}

export interface MembershipChange {
  readonly user_id: Uuid;
  /** The profile that the board copied, or null for a user who left. */
  readonly profile: PublicUser | null;
  /** Who is no member, and named by a card that came from another board. */
  readonly is_visitor?: true;
}

/** A board joined or left the list of a user. */
export interface BoardListChange {
  readonly user_id: Uuid;
  readonly board_id: Uuid;
  readonly change: 'added' | 'removed';
}

/** An entry of the directory's outbox: a changed profile for the boards of its user. */
export interface PendingProfile {
  readonly id: number;
  readonly user: PublicUser;
}

/** Behind a deleted board in a list. */
export interface TrashPlace {
  readonly deleted_at: string;
  readonly board_id: Uuid;
}

export interface DeletedBoard extends TrashPlace {
  readonly title: string;
}

export interface FoundDeletedBoard {
  /** Null if the user is gone: the board counts for no user. */
  readonly creator_id: Uuid | null;
  /** Somebody who was on it is deleted, and not yet erased everywhere. */
  readonly isErasing: boolean;
}

export interface UserDeletion {
  readonly id: Uuid;
  readonly heir: PublicUser | null;
  /** Boards are still to be visited. */
  readonly isPending: boolean;
  /** Every board that the user was ever on. */
  readonly board_ids: readonly Uuid[];
}

export interface RefreshedSession extends LiveSession {
  readonly user_id: Uuid;
  readonly generation: number;
}

export interface UserForLogin extends User {
  /** Absent if there is none. */
  readonly has_second_factor?: true;
}

export interface UserChanges {
  readonly firstname?: string | null;
  readonly lastname?: string | null;
  readonly hashed_password?: string;
  readonly is_active?: boolean;
  readonly is_superuser?: boolean;
  /** Whether the e-mail address is known to be the user's. */
  readonly is_verified?: boolean;
}

export interface NewSuperuser {
  readonly token_hash: string | null;
  readonly id: Uuid;
  readonly email: string;
  readonly username: string;
  readonly hashed_password: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly now: string;
}

export interface Renaming {
  readonly id: Uuid;
  readonly changes: { readonly email: string; readonly is_verified: boolean } | { readonly username: string };
  /** The account as it was when its password was checked or its link was issued. */
  readonly expected: Pick<User, 'email' | 'hashed_password'>;
  /** Absent if the change was not by a link. */
  readonly link?: { readonly hash: string; readonly expires_at: string };
  readonly keep_session?: Uuid;
  readonly now: string;
}

export interface Redemption {
  readonly id: Uuid;
  /** Of the token. */
  readonly hash: string;
  readonly expires_at: string;
  /** The state for which the token was issued. */
  readonly expected: { readonly email: string; readonly hashed_password?: string };
  readonly changes: Pick<UserChanges, 'hashed_password' | 'is_verified'>;
  readonly now: string;
}

export type DirectoryOperation = keyof DirectoryCommands;

/** One command with its input. `audit` is stored in the same commit, if the command is carried out. */
export type DirectoryCommand = {
  [Op in DirectoryOperation]: { readonly op: Op; readonly input: DirectoryCommands[Op]['input']; readonly audit?: AuditEntry };
}[DirectoryOperation];

/** The directory, in another thread, in this one, or in another process. */
export interface DirectoryPort {
  ask<Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input'], audit?: AuditEntry): Promise<DirectoryCommands[Op]['output']>;
}
