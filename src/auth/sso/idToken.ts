/** Checks of an ID token beyond those of openid-client: for whom it was issued, and when. */
import type { Claims } from './claims.js';
import { PENDING_SECONDS } from './pendingLogin.js';
import { SsoRefusal } from './providerErrors.js';

/** How far the clocks of the provider and of this machine may differ. */
export const CLOCK_SKEW_SECONDS = 300;
/** The token answers a login that began here, and is not older than that. */
export const MAX_TOKEN_AGE_SECONDS = PENDING_SECONDS;

/**
 * Throws `SsoRefusal`. The library compares `azp` only if there are several audiences, and `iat` not at all. `now`: seconds
 * since the epoch.
 */
export function requireOwnToken({ azp, iat }: Claims, clientId: string, now: number): void {
  if (azp !== undefined && azp !== clientId) throw new SsoRefusal('failed', 'the ID token was issued to another client (azp)');
  if (typeof iat !== 'number' || !Number.isFinite(iat)) throw new SsoRefusal('failed', 'the ID token does not say when it was issued (iat)');
  if (iat > now + CLOCK_SKEW_SECONDS) throw new SsoRefusal('failed', 'the ID token was issued in the future (iat); compare the clocks');
  if (iat < now - MAX_TOKEN_AGE_SECONDS - CLOCK_SKEW_SECONDS) {
    throw new SsoRefusal('failed', 'the ID token was issued before this login (iat); compare the clocks');
  }
}
