/**
 * A login between its start here and the return from the provider. It is kept in a sealed cookie of the browser, so a
 * visitor costs no memory, and the answer for one browser is of no use in another.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { SealedTexts } from './sealedText.js';

export interface PendingLogin {
  /** Comes back in the address. */
  readonly state: string;
  /** Comes back in the token. */
  readonly nonce: string;
  /** Proves to the provider that the code is redeemed by the client that asked for it. */
  readonly verifier: string;
  /** The provider that was asked, as in the settings. */
  readonly issuer: string;
  readonly returnTo: string;
  /** The token of an invitation. */
  readonly invitation: string | null;
  readonly expiresAt: string;
}

/** Enough for a login with a second factor at the provider. */
export const PENDING_SECONDS = 600;

export class PendingLogins {
  readonly #sealed: SealedTexts;
  readonly #issuer: string;

  constructor(secret: string, issuer: string) {
    this.#sealed = new SealedTexts(secret, 'pending single sign-on');
    this.#issuer = issuer;
  }

  seal(fields: Omit<PendingLogin, 'issuer' | 'expiresAt'>, now: Date): string {
    const expiresAt = new Date(now.getTime() + PENDING_SECONDS * 1000).toISOString();
    return this.#sealed.seal(JSON.stringify({ ...fields, issuer: this.#issuer, expiresAt } satisfies PendingLogin));
  }

  /** Null if the cookie is not ours, has expired, or belongs to another login than the state in the address. */
  read(cookie: string | undefined, state: string | undefined, now: Date): PendingLogin | null {
    const text = cookie === undefined ? null : this.#sealed.open(cookie);
    if (text === null || state === undefined) return null;
    const login = JSON.parse(text) as PendingLogin;
    const isCurrent = login.issuer === this.#issuer && login.expiresAt > now.toISOString();
    return isCurrent && isSame(login.state, state) ? login : null;
  }
}

/** By which the directory knows that the login was finished. */
export function stateHash(state: string): string {
  return createHash('sha256').update(`single sign-on\n${state}`).digest('base64url');
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
