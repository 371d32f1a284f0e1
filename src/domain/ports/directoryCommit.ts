/** A commit of the directory as a value; see `shardCommit.ts`. */
import type { AuditEntry, AuditPosition } from '../audit.js';
import type { Factor } from '../factor.js';
import type { AnswerWrite } from '../idempotency.js';
import type { Uuid } from '../ids.js';
import type { Identity } from '../identity.js';
import type { Invitation } from '../invitation.js';
import type { Session } from '../session.js';
import type { User } from '../user.js';

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
  | { readonly op: 'identity.put'; readonly identity: Identity }
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

export interface MembershipRow {
  readonly user_id: Uuid;
  readonly board_id: Uuid;
  readonly version: number;
  readonly position: number | null;
}
