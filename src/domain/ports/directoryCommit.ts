/** A commit of the directory as a value; see `shardCommit.ts`. */
import type { AuditEntry, AuditPosition } from '../audit.js';
import type { Factor } from '../account/factor.js';
import type { StoredKey } from '../account/apiKey.js';
import type { AnswerWrite } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { Identity } from '../account/identity.js';
import type { Invitation } from '../account/invitation.js';
import type { Session } from '../account/session.js';
import type { User } from '../account/user.js';

export interface DirectoryCommit {
  /** From 1 and without gaps. */
  readonly number: number;
  /** In the order in which they are to be applied. */
  readonly writes: readonly DirectoryWrite[];
}

export type DirectoryWrite =
  | AnswerWrite
  /** The keys are what makes e-mail and username unique. */
  | { readonly op: 'user.insert'; readonly user: User; readonly email_key: string; readonly username_key: string }
  | { readonly op: 'user.update'; readonly user: User }
  /** The user is gone. */
  | { readonly op: 'user.remove'; readonly id: Uuid }
  | { readonly op: 'deleted.put'; readonly deleted: DeletedUser }
  | { readonly op: 'session.put'; readonly session: Session }
  | { readonly op: 'session.remove'; readonly ids: readonly Uuid[] }
  | { readonly op: 'session.seen'; readonly ids: readonly Uuid[]; readonly at: string }
  | { readonly op: 'token.put'; readonly hash: string; readonly expires_at: string }
  | { readonly op: 'token.remove'; readonly hashes: readonly string[] }
  /** Set up, or changed by the use of a code. */
  | { readonly op: 'factor.put'; readonly factor: Factor }
  | { readonly op: 'factor.remove'; readonly user_id: Uuid }
  | { readonly op: 'audit.add'; readonly entries: readonly AuditEntry[] }
  | { readonly op: 'audit.remove'; readonly entries: readonly AuditPosition[] }
  /** Names and addresses of a deleted user. */
  | { readonly op: 'audit.forget'; readonly user_id: Uuid }
  | { readonly op: 'identity.put'; readonly identity: Identity }
  /** All of the user. */
  | { readonly op: 'identity.remove'; readonly user_id: Uuid }
  | { readonly op: 'key.put'; readonly key: StoredKey }
  | { readonly op: 'key.remove'; readonly ids: readonly Uuid[] }
  | { readonly op: 'key.used'; readonly ids: readonly Uuid[]; readonly at: string }
  /** `position` is the board's place in the user's list; null when the user has left the board. */
  | { readonly op: 'membership.put'; readonly membership: MembershipRow }
  /** The board is deleted: it has no members, and later changes of it are old. */
  | { readonly op: 'board.delete'; readonly board_id: Uuid }
  | { readonly op: 'created.add'; readonly board_id: Uuid; readonly user_id: Uuid; readonly at: string }
  | { readonly op: 'created.remove'; readonly board_id: Uuid }
  | { readonly op: 'granted.set'; readonly user_id: Uuid; readonly day: string; readonly count: number }
  /** Replaces an earlier entry of the user. */
  | { readonly op: 'pending.add'; readonly id: number; readonly user_id: Uuid }
  | { readonly op: 'pending.remove'; readonly id: number }
  /** Created, or used once more. */
  | { readonly op: 'invitation.put'; readonly invitation: Invitation }
  | { readonly op: 'invitation.remove'; readonly id: Uuid };

/** The schema of the file with which each kind of write came: a program that knows only older ones cannot read it. */
export const WRITTEN_SINCE: { readonly [Op in DirectoryWrite['op']]: number } = {
  'user.insert': 1,
  'user.update': 1,
  'membership.put': 1,
  'board.delete': 1,
  'created.add': 1,
  'created.remove': 1,
  'granted.set': 1,
  'pending.add': 1,
  'pending.remove': 1,
  'answer.add': 10,
  'answer.remove': 10,
  'invitation.put': 11,
  'invitation.remove': 11,
  'session.put': 12,
  'session.remove': 12,
  'session.seen': 12,
  'token.put': 13,
  'token.remove': 13,
  'identity.put': 14,
  'identity.remove': 14,
  'key.put': 15,
  'key.remove': 15,
  'key.used': 15,
  'user.remove': 16,
  'deleted.put': 16,
  'factor.put': 17,
  'factor.remove': 17,
  'audit.add': 18,
  'audit.remove': 18,
  'audit.forget': 18,
};

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

export interface MembershipRow {
  readonly user_id: Uuid;
  readonly board_id: Uuid;
  readonly version: number;
  readonly position: number | null;
}
