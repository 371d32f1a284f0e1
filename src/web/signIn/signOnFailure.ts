/** Why a single sign-on ended at the login, for people. */
import { say, type PlainKey } from '../words/catalogue.js';

const REASONS: ReadonlyMap<string, PlainKey> = new Map<string, PlainKey>([
  ['cancelled', 'signOn.cancelled'],
  ['failed', 'signOn.failed'],
  ['expired', 'signOn.expired'],
  ['unavailable', 'signOn.unavailable'],
  ['too_many', 'signOn.tooMany'],
  ['email_missing', 'signOn.emailMissing'],
  ['email_taken', 'signOn.emailTaken'],
  ['invitation_needed', 'signIn.openInvitation'],
  ['invitation_invalid', 'signOn.invitationInvalid'],
  ['registration_closed', 'signIn.closed'],
  ['account_disabled', 'signOn.accountDisabled'],
]);

/** Null if there was none. The code comes from the address, so only known ones count. */
export function signOnFailure(hash: string): string | null {
  const code = new URLSearchParams(hash.slice(1)).get('error');
  return code === null ? null : say(REASONS.get(code) ?? 'signOn.other');
}
