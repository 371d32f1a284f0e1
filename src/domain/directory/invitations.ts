/** Links with which a person registers or joins a board, and other tokens that work once. */
import { createHash } from 'node:crypto';
import { invalidInvitation, MAX_INVITATIONS_PER_USER, type Invitation } from '../account/invitation.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { findUser } from './names.js';
import type { DirectoryRows } from './rows.js';

/** With each spent token, up to this many expired ones go. */
const SWEEP_TOKENS = 16;

/**
 * How a user stands to an invitation. `held`: a use was counted for them, and they did not leave its board since. `left`:
 * they did, by themselves or not; the invitation does not bring them back.
 */
type Standing = 'new' | 'held' | 'left';

export const invitationHandlers: DirectoryHandlersOf<'invitation' | 'token'> = {
  'invitation.create': {
    effect: 'idempotent',
    run(rows, invitation) {
      const { id, created_by, created_at } = invitation;
      if (rows.get('deleted_user', { id: created_by }) !== null) throw new AppError('not_found', 'User not found');
      if (rows.get('invitation', { id }) !== null) return { value: true };
      const own = invitationsOf(rows, created_by);
      const expired = own.filter(({ expires_at }) => expires_at <= created_at);
      for (const { id } of expired) rows.write({ op: 'invitation.remove', id });
      if (own.length - expired.length >= MAX_INVITATIONS_PER_USER) {
        throw new AppError('limit', `A user has at most ${MAX_INVITATIONS_PER_USER} invitations; revoke one first`);
      }
      rows.write({ op: 'invitation.put', invitation });
      return { value: true };
    },
  },
  'invitation.list': {
    effect: 'read',
    run: (rows, { created_by, limit, offset }) => ({
      value: rows.list('invitation', created_by === null ? {} : { created_by }, { order: ['created_at', 'id'], isFalling: true, limit, offset }),
    }),
  },
  'invitation.find': {
    effect: 'read',
    run: (rows, { token_hash, now, user_id }) => ({ value: find(rows, token_hash, now, user_id)?.invitation ?? null }),
  },
  'invitation.use': {
    effect: 'write',
    run(rows, { token_hash, now, user_id }) {
      const isCounted = useInvitation(rows, token_hash, now, user_id);
      return isCounted ? { value: true } : { value: false, isRefused: true };
    },
  },
  'invitation.remove': {
    effect: 'write',
    run(rows, { id, created_by }) {
      const found = rows.get('invitation', { id });
      const isMeant = found !== null && (created_by === null || found.created_by === created_by);
      if (!isMeant) return { value: false, isRefused: true };
      rows.write({ op: 'invitation.remove', id });
      return { value: true };
    },
  },
  'token.spend': { effect: 'write', run: (rows, { hash, expires_at, now }) => ({ value: spend(rows, hash, expires_at, now) }) },
};

/** The latest first. */
export function invitationsOf(rows: DirectoryRows, created_by: Uuid): Invitation[] {
  return rows.list('invitation', { created_by }, { order: ['created_at', 'id'], isFalling: true });
}

/** Counts a use, once for a user; false if it was counted before. Refused with `forbidden`. */
export function useInvitation(rows: DirectoryRows, tokenHash: string, now: string, userId?: Uuid): boolean {
  const found = find(rows, tokenHash, now, userId);
  if (found === null) throw invalidInvitation();
  const { invitation, standing } = found;
  if (standing === 'held') return false;
  rows.write({ op: 'invitation.put', invitation: { ...invitation, uses: invitation.uses + 1 } });
  if (userId === undefined) return true;
  for (const hash of [useHash(invitation, userId), useHash(invitation, userId, versionFor(rows, invitation, userId))]) {
    spend(rows, hash, invitation.expires_at, now);
  }
  return true;
}

/** Of a token that works once. False if it was spent before, or has expired. */
export function spend(rows: DirectoryRows, hash: string, expires_at: string, now: string): boolean {
  if (expires_at <= now || isSpent(rows, hash)) return false;
  const expired = rows.list('spent_token', {}, { order: ['expires_at', 'hash'], upTo: now, limit: SWEEP_TOKENS });
  if (expired.length > 0) rows.write({ op: 'token.remove', hashes: expired.map((each) => each.hash) });
  rows.write({ op: 'token.put', hash, expires_at });
  return true;
}

function isSpent(rows: DirectoryRows, hash: string): boolean {
  return rows.get('spent_token', { hash }) !== null;
}

/** Its creator must still be active and, without a board that checks this itself, a superuser. */
function find(rows: DirectoryRows, token_hash: string, now: string, userId?: Uuid): { invitation: Invitation; standing: Standing } | null {
  const invitation = rows.get('invitation', { token_hash });
  if (invitation === null || invitation.expires_at <= now) return null;
  const creator = findUser(rows, invitation.created_by);
  if (creator?.is_active !== true) return null;
  if (!creator.is_superuser && invitation.board_id === null) return null;
  const standing = userId === undefined ? 'new' : standingOf(rows, invitation, userId);
  const isOpen = standing === 'held' || (standing === 'new' && invitation.uses < invitation.max_uses);
  return isOpen ? { invitation, standing } : null;
}

function standingOf(rows: DirectoryRows, invitation: Invitation, user_id: Uuid): Standing {
  if (!isSpent(rows, useHash(invitation, user_id))) return 'new';
  const { board_id } = invitation;
  if (board_id !== null && typeof rows.get('membership', { user_id, board_id })?.position === 'number') return 'held';
  return isSpent(rows, useHash(invitation, user_id, versionFor(rows, invitation, user_id))) ? 'held' : 'left';
}

/** Changes when the user joins or leaves the board of the invitation. */
function versionFor(rows: DirectoryRows, { board_id }: Invitation, user_id: Uuid): number {
  return board_id === null ? 0 : (rows.get('membership', { user_id, board_id })?.version ?? 0);
}

/**
 * A use is kept among the spent tokens, which expire with the invitation. With `version`: the membership as it was when the
 * use was counted.
 */
function useHash({ id }: Invitation, userId: Uuid, version?: number): string {
  const text = ['use of an invitation', id, userId, ...(version === undefined ? [] : [version])].join('\n');
  return createHash('sha256').update(text).digest('base64url');
}
