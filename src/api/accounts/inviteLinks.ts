/** What it takes to use an invitation: a valid link, an inviter who is still entitled, and a place on the board. */
import { hashInviteToken } from '../../auth/inviteTokens.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import { invalidInvitation, type Invitation } from '../../domain/account/invitation.js';
import type { PublicUser } from '../../domain/account/user.js';
import type { AuditClient } from '../operation/audited.js';
import { cleanUp } from '../operation/cleanUp.js';
import { addition, reserveGrants, tooManyInvites } from '../operations/accounts/invitations.js';
import type { Services } from '../operation/operation.js';

/**
 * Refused with `forbidden` if the link is not valid, or the inviter is no longer entitled: by the settings, and on its board.
 * `userId`: of a user who has an account.
 */
export async function findInvitation(services: Services, token: string, userId?: Uuid): Promise<Invitation> {
  const { directory, boards, now } = services;
  const user = userId === undefined ? {} : { user_id: userId };
  const invitation = await directory.ask('invitation.find', { token_hash: hashInviteToken(token), now: now().toISOString(), ...user });
  if (invitation === null) throw invalidInvitation();
  if (invitation.board_id === null) return invitation;
  if (services.config.invitations !== 'owners') {
    const inviter = await directory.ask('user.get', { id: invitation.created_by });
    if (inviter?.is_superuser !== true) throw invalidInvitation();
  }
  const caller = { user_id: invitation.created_by };
  const begun = await boards.ask({ op: 'member.begin', caller, target: invitation.board_id, input: {} });
  if (begun.ok) return invitation;
  throw begun.error.code === 'unavailable' ? AppError.from(begun.error) : invalidInvitation();
}

/**
 * Adds the user to the board of the invitation, in the name of the inviter. Nothing happens to a member. `countUse` runs
 * once it is certain that the inviter may add a member today, so that this refusal uses nothing up.
 */
export async function joinInvitedBoard(
  services: Services,
  { id, board_id, role, created_by }: Invitation,
  user: PublicUser,
  client: AuditClient,
  countUse: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  if (board_id === null) return;
  const caller = { user_id: created_by };
  const { count, release } = await reserveGrants(services, created_by, 1);
  if (count < 1) throw tooManyInvites(services);
  const giveBack = (): Promise<void> => cleanUp(services, 'releasing a membership that was not granted', release);
  await countUse().catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  const added = await services.boards.ask({ ...addition(user, role ?? 'member', true), caller, target: board_id });
  if (!added.ok) {
    await giveBack();
    if (added.error.code === 'conflict') return;
    throw AppError.from(added.error);
  }
  const details = { user_id: user.id, role: role ?? 'member', invitation: id };
  services.audit.record({ kind: 'member.added', user, client, subject: { id: board_id }, details });
}

/** The account exists, so a board that cannot be joined now is no failure of the registration. Its owner can add the user. */
export async function joinAtLast(services: Services, invitation: Invitation, user: PublicUser, client: AuditClient): Promise<void> {
  await joinInvitedBoard(services, invitation, user, client).catch((error: unknown) => {
    services.report(error, 'an invited user could not be added to the board of the invitation');
  });
}
