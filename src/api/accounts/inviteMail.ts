/** Mails with an invitation. They say the same whether or not the address has an account, in the language of its user if it has. */
import { AppError } from '../../domain/errors.js';
import type { Invitation } from '../../domain/account/invitation.js';
import type { PreparedMail } from '../../domain/ports/mail.js';
import { bodyOf } from '../../domain/ports/boardsPort.js';
import type { PublicUser } from '../../domain/account/user.js';
import { languageOf, publicUrlOf, requireMail, tooManyMails } from './accountMail.js';
import { pageLink } from '../pageLinks.js';
import type { Services } from '../operation/operation.js';

/** Before the invitation is created, so that a refused mail leaves none. Superusers may invite any number of people. */
export function admitInviteMail(services: Services, inviter: PublicUser, to: string): void {
  const refusal = requireMail(services).admit('invitation', to, inviter.is_superuser ? null : inviter.id);
  if (refusal !== null) throw tooManyMails(refusal);
}

export function mailInvitation(services: Services, inviter: PublicUser, to: string, invitation: Invitation, token: string): void {
  requireMail(services).post('invitation', async (): Promise<PreparedMail | null> => {
    const { token_hash, board_id } = invitation;
    const found = await services.directory.ask('invitation.find', { token_hash, now: services.now().toISOString() });
    const board = board_id === null ? null : await titleOf(services, inviter, board_id);
    // Revoked or used up, or the inviter is no longer on the board.
    if (found === null || (board === null) !== (board_id === null)) return null;
    const link = pageLink(publicUrlOf(services), 'invitation', token);
    return { to, language: await languageFor(services, inviter, to), content: { kind: 'invitation', inviter: inviter.username, board, link } };
  });
}

/** Of the account with this address, else of the inviter. Only who reads the mail learns which. */
async function languageFor(services: Services, inviter: PublicUser, to: string): Promise<string | null> {
  const [invited] = await services.directory.ask('user.findByEmail', { emails: [to] });
  return (invited == null ? null : await languageOf(services, invited.id)) ?? languageOf(services, inviter.id);
}

/** As the inviter sees it. Null if the inviter is no longer on the board, or the board is gone. */
export async function titleOf({ boards }: Services, { id }: PublicUser, target: string): Promise<string | null> {
  const outcome = await boards.ask({ op: 'board.summary', caller: { user_id: id }, target, input: {} });
  if (!outcome.ok) {
    if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return null;
    throw AppError.from(outcome.error);
  }
  const body = bodyOf(outcome) ?? 'null';
  const { title } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()) as { readonly title: string };
  return title;
}
