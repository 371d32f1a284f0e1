/** The closed list of reasons with which a login through the provider ends at the login page. */
import { SsoRefusal } from '../../auth/sso/providerErrors.js';
import { AppError } from '../../domain/errors.js';

export const SSO_ERRORS = {
  cancelled: 'the user did not log in at the provider',
  failed: 'the provider did not confirm the login',
  expired: 'the login took too long, was finished before, or began in another browser',
  unavailable: 'the provider or a part of the service cannot be reached',
  too_many: 'too many logins failed or are running',
  email_missing: 'the provider told no valid e-mail address, which a new account needs',
  email_taken: 'an account has the e-mail address, and it is not certain that both are the same person',
  invitation_needed: 'a new account needs an invitation',
  invitation_invalid: 'the invitation is not valid, was used up, or has expired',
  registration_closed: 'nobody can register',
  account_disabled: 'the account is deactivated',
} as const;

export type SsoError = keyof typeof SSO_ERRORS;

/** A login that we refuse. */
export class SsoDenied extends Error {
  override readonly name = 'SsoDenied';
  readonly code: SsoError;

  constructor(code: SsoError) {
    super(SSO_ERRORS[code]);
    this.code = code;
  }
}

/** Null for a fault of our own. */
export function ssoErrorOf(error: unknown): SsoError | null {
  if (error instanceof SsoDenied) return error.code;
  if (error instanceof SsoRefusal) return error.reason;
  if (!(error instanceof AppError)) return null;
  switch (error.code) {
    case 'unavailable':
    case 'too_many':
      return error.code;
    // The account was changed between the login and its session.
    case 'unauthenticated':
    // No username is free, or the directory of an older program refuses the one it chose.
    case 'conflict':
      return 'failed';
    default:
      return null;
  }
}
