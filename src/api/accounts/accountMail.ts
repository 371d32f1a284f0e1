/** The mails about an account. What they say is read when they are sent, because it may have changed until then. */
import type { AccountTokenKind } from '../../auth/accountTokens.js';
import { networkOf } from '../../auth/guessing/network.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { MailContent, MailPort, MailRefusal, PreparedMail } from '../../domain/ports/mail.js';
import type { PublicUser, User } from '../../domain/account/user.js';
import type { AuditClient } from '../operation/audited.js';
import { pageLink, type LinkedPage } from '../pageLinks.js';
import type { Operation, RawCall, Services } from '../operation/operation.js';

/** For an operation that only makes sense with mail. Refuses its caller before the input is checked. */
export function needingMail(operation: Operation): Operation {
  return {
    ...operation,
    async invoke(call: RawCall, services: Services) {
      requireMail(services);
      return operation.invoke(call, services);
    },
  };
}

/** Refused with `forbidden`. */
export function requireMail({ mail }: Services): MailPort {
  if (mail === null) throw new AppError('forbidden', 'This service sends no mail; ask its operator');
  return mail;
}

/** The link to set a new password, if there is such an account. Returns before anything about the account is read. */
export function mailReset(services: Services, email: string, client: AuditClient): MailRefusal | null {
  const mail = requireMail(services);
  const refusal = mail.admit('reset', email, networkOf(client.address()));
  if (refusal !== null) return refusal;
  mail.post('reset', async () => {
    const [found] = await services.directory.ask('user.findByEmail', { emails: [email] });
    services.audit.record({ kind: 'password.reset_requested', user: found ?? null, client });
    return found == null ? null : prepareLink(services, found.id, 'reset');
  });
  return null;
}

/** The link that proves the address of a user. `address`: of the client, who may have registered with any e-mail address. */
export function mailVerification(services: Services, { id, email }: PublicUser, address: string): MailRefusal | null {
  const mail = requireMail(services);
  const refusal = mail.admit('verification', email, networkOf(address));
  if (refusal === null) mail.post('verification', () => prepareLink(services, id, 'verification'));
  return refusal;
}

/** The link that proves the new address of a user and makes it theirs. */
export async function mailNewAddress(services: Services, { id, username }: PublicUser, to: string): Promise<MailRefusal | null> {
  const mail = requireMail(services);
  const refusal = mail.admit('verification', to, id);
  if (refusal !== null) return refusal;
  mail.post('verification', async () => {
    const user = await services.directory.ask('user.getWithHash', { id });
    if (user?.is_active !== true) return null;
    const token = services.accountTokens.issueForAddress(to, user, services.now());
    const language = await languageOf(services, id);
    return { to, language, content: { kind: 'verification', username, link: pageLink(publicUrlOf(services), 'verify-email', token) } };
  });
  return null;
}

/** Tells the old address of a new one, in case another person has set it. Nothing without mail. */
export function tellOldAddress(services: Services, { id, email, username }: PublicUser): void {
  const { mail } = services;
  if (mail === null || mail.admit('address', email, null) !== null) return;
  mail.post('address', async () => ({ to: email, language: await languageOf(services, id), content: { kind: 'address', username } }));
}

/** Tells a user of a new password, in case another person has set it. Nothing without mail. */
export function mailPasswordChange({ mail, directory }: Services, { id, email }: PublicUser): void {
  if (mail === null || mail.admit('password', email, null) !== null) return;
  mail.post('password', async () => {
    const user = await directory.ask('user.get', { id, with: 'sessions' });
    return user && { to: user.email, language: user.language ?? null, content: { kind: 'password', username: user.username } };
  });
}

const LINKS = {
  reset: { token: 'mailed reset', page: 'reset-password' },
  verification: { token: 'verification', page: 'verify-email' },
} as const satisfies Partial<Record<MailContent['kind'], { token: Exclude<AccountTokenKind, 'new address'>; page: LinkedPage }>>;

/** To the stored address: the spelling of a request may be another user's address. */
async function prepareLink(services: Services, id: Uuid, kind: keyof typeof LINKS): Promise<PreparedMail | null> {
  const user = await services.directory.ask('user.getWithHash', { id });
  if (!isAddressee(user, kind)) return null;
  const { token, page } = LINKS[kind];
  const link = pageLink(publicUrlOf(services), page, services.accountTokens.issue(token, user, services.now()));
  return { to: user.email, language: await languageOf(services, id), content: { kind, username: user.username, link } };
}

/** As the user chose it. Null: not known, also where the directory is an older program's. */
export async function languageOf({ directory }: Services, id: Uuid): Promise<string | null> {
  // Only an answer with the sessions has the locale.
  return (await directory.ask('user.get', { id, with: 'sessions' }))?.language ?? null;
}

function isAddressee(user: User | null, kind: keyof typeof LINKS): user is User {
  return user !== null && user.is_active && !(kind === 'verification' && user.is_verified);
}

/** With mail it is set, see the configuration. */
export function publicUrlOf({ config }: Services): string {
  if (config.publicUrl === null) throw new Error('PUBLIC_URL is not set');
  return config.publicUrl;
}

/** A refusal that the caller may see: the limit is one of their own. */
export function tooManyMails({ by, retryAfter }: MailRefusal): AppError {
  if (by === 'queue') return new AppError('unavailable', 'Too many mails are waiting to be sent; try again later', { retryAfter });
  const whose = by === 'address' ? 'to this address' : 'by you or from your network';
  return new AppError('too_many', `Too many mails were sent ${whose}; try again later`, { retryAfter });
}
