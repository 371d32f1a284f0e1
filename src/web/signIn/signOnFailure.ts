/** Why a single sign-on ended at the login, for people. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'You did not log in there.'],
  ['failed', 'The login was not confirmed. Try again.'],
  ['expired', 'The login took too long. Try again.'],
  ['unavailable', 'The login service cannot be reached at the moment.'],
  ['too_many', 'There were too many attempts. Wait a minute.'],
  ['email_missing', 'The login service told no e-mail address, which a new account needs.'],
  ['email_taken', 'There is an account with your e-mail address already. Log in with its password, and confirm the address.'],
  ['invitation_needed', 'You need an invitation: open the link that you were sent.'],
  ['invitation_invalid', 'The invitation is no longer valid.'],
  ['registration_closed', 'The operator of this service makes the accounts.'],
  ['account_disabled', 'The account is deactivated.'],
]);

/** Null if there was none. The code comes from the address, so only known ones count. */
export function signOnFailure(hash: string): string | null {
  const code = new URLSearchParams(hash.slice(1)).get('error');
  return code === null ? null : (REASONS.get(code) ?? 'The login failed.');
}
