/** What the failures of openid-client mean. Its errors carry tokens and claims, so they are never logged themselves. */
import { AppError } from '../../domain/errors.js';
import { ProviderUnreachable } from './boundedFetch.js';

export type Library = typeof import('openid-client');

/** A login that the provider did not confirm. The message is for the log and has no secret. */
export class SsoRefusal extends Error {
  override readonly name = 'SsoRefusal';
  readonly reason: 'cancelled' | 'failed';

  constructor(reason: 'cancelled' | 'failed', detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const RETRY_AFTER_SECONDS = 5;
/** A word such as `invalid_client`, by RFC 6749. */
const ERROR_WORD = /^[\w.-]{1,64}$/;
/** The user did not log in, or said no. */
const CANCELLED: ReadonlySet<string> = new Set(['access_denied', 'login_required', 'interaction_required', 'consent_required']);
const TEMPORARY: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

export function providerAway(): AppError {
  return new AppError('unavailable', 'The provider of single sign-on cannot be reached. Try again.', { retryAfter: RETRY_AFTER_SECONDS });
}

/** As `SsoRefusal`, or `unavailable`; a fault of our own stays what it is. */
export function translateFailure(library: Library, error: unknown): unknown {
  if (!isOfLibrary(library, error)) return error;
  if (error.cause instanceof ProviderUnreachable) return providerAway();
  const word = error instanceof library.AuthorizationResponseError ? error.error : '';
  if (TEMPORARY.has(word)) return providerAway();
  return new SsoRefusal(CANCELLED.has(word) ? 'cancelled' : 'failed', describeFailure(library, error));
}

/** For the log. */
export function describeFailure(library: Library, error: unknown): string {
  if (!isOfLibrary(library, error)) return String(error);
  if (error instanceof library.AuthorizationResponseError || error instanceof library.ResponseBodyError) {
    return `the provider answered ${ERROR_WORD.test(error.error) ? error.error : 'an error'}`;
  }
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

function isOfLibrary(library: Library, error: unknown): error is Error {
  const { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError } = library;
  return [AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError].some((each) => error instanceof each);
}
