/** The handlers of the commands about invitations. Called within a transaction. */
import { createHash } from 'node:crypto';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { invalidInvitation, type Invitation } from '../../../domain/account/invitation.js';
import type { DirectoryHandlers } from './directoryAnswer.js';
import type { DirectoryTables } from '../tables/tables.js';

type InvitationHandlers = Pick<
  DirectoryHandlers,
  'invitation.create' | 'invitation.list' | 'invitation.find' | 'invitation.use' | 'invitation.remove'
>;

/** Counts a use, once for a user; false if it was counted before. Refused with `forbidden`. */
export type UseInvitation = (tokenHash: string, now: string, userId?: Uuid) => boolean;

/**
 * How a user stands to an invitation. `held`: a use was counted for them, and they did not leave its board since. `left`:
 * they did, by themselves or not; the invitation does not bring them back.
 */
type Standing = 'new' | 'held' | 'left';

export function invitationHandlers(tables: DirectoryTables): { handlers: InvitationHandlers; useInvitation: UseInvitation } {
  const { users, invitations, memberships, spent, deleted } = tables;

  /** Changes when the user joins or leaves the board of the invitation. */
  const versionFor = ({ board_id }: Invitation, userId: Uuid): number => (board_id === null ? 0 : (memberships.find(userId, board_id)?.version ?? 0));

  const standingOf = (invitation: Invitation, userId: Uuid): Standing => {
    if (!spent.has(useHash(invitation, userId))) return 'new';
    const { board_id } = invitation;
    if (board_id !== null && typeof memberships.find(userId, board_id)?.position === 'number') return 'held';
    return spent.has(useHash(invitation, userId, versionFor(invitation, userId))) ? 'held' : 'left';
  };

  /** Its creator must still be active and, without a board that checks this itself, a superuser. */
  const find = (tokenHash: string, now: string, userId?: Uuid): { invitation: Invitation; standing: Standing } | null => {
    const invitation = invitations.find(tokenHash, now);
    const creator = invitation && users.get(invitation.created_by);
    if (invitation === null || creator?.is_active !== true) return null;
    if (!creator.is_superuser && invitation.board_id === null) return null;
    const standing = userId === undefined ? 'new' : standingOf(invitation, userId);
    const isOpen = standing === 'held' || (standing === 'new' && invitation.uses < invitation.max_uses);
    return isOpen ? { invitation, standing } : null;
  };

  const useInvitation: UseInvitation = (tokenHash, now, userId) => {
    const found = find(tokenHash, now, userId);
    if (found === null) throw invalidInvitation();
    const { invitation, standing } = found;
    if (standing === 'held') return false;
    invitations.use(invitation);
    // A program without spent tokens may still have to read the commit: then each acceptance counts.
    if (userId === undefined) return true;
    for (const hash of [useHash(invitation, userId), useHash(invitation, userId, versionFor(invitation, userId))]) {
      spent.spend(hash, invitation.expires_at, now);
    }
    return true;
  };

  const handlers: InvitationHandlers = {
    'invitation.create': (invitation) => {
      if (deleted.get(invitation.created_by) !== null) throw new AppError('not_found', 'User not found');
      if (invitations.get(invitation.id) === null) invitations.create(invitation);
      return { value: true };
    },
    'invitation.list': ({ created_by, limit, offset }) => ({ value: invitations.list(created_by, limit, offset) }),
    'invitation.find': ({ token_hash, now, user_id }) => ({ value: find(token_hash, now, user_id)?.invitation ?? null }),
    'invitation.use': ({ token_hash, now, user_id }) => {
      const isCounted = useInvitation(token_hash, now, user_id);
      return isCounted ? { value: true } : { value: false, isRefused: true };
    },
    'invitation.remove': ({ id, created_by }) => {
      const found = invitations.get(id);
      const isMeant = found !== null && (created_by === null || found.created_by === created_by);
      if (isMeant) invitations.revoke(id);
      return isMeant ? { value: true } : { value: false, isRefused: true };
    },
  };
  return { handlers, useInvitation };
}

/**
 * A use is kept among the spent tokens, which expire with the invitation. With `version`: the membership as it was when the
 * use was counted.
 */
function useHash({ id }: Invitation, userId: Uuid, version?: number): string {
  const text = ['use of an invitation', id, userId, ...(version === undefined ? [] : [version])].join('\n');
  return createHash('sha256').update(text).digest('base64url');
}
