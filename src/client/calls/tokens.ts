/** The token of a client, and how a new one is obtained: from the caller, or by a login that stays. */
import type { Clock } from '../clock.js';
import type { Login } from './login.js';
import type { AccessToken } from '../resources.js';

export type GetToken = () => Promise<string> | string;

/** What calls and sockets are sent with. Each new one is another object, also if its token is the same. */
export interface Credential {
  /** Null if there is none, and if a cookie carries the session. */
  readonly token: string | null;
  /** In milliseconds since 1970; infinite if it is unknown. */
  readonly expiresAt: number;
  /** Null if it is unknown. */
  readonly userId: string | null;
}

/** In milliseconds before the end of a token: enough for a slow request for the next one. */
const RENEWAL_MARGIN_MS = 30_000;
/** The margin of a short-lived token is this part of its remaining life. */
const RENEWAL_PART = 1 / 4;

export interface TokensOptions {
  readonly token: string | null;
  readonly getToken: GetToken | null;
  /** Not used with `getToken`. */
  readonly login: Login;
  readonly clock: Clock;
  /** The service refused to refresh the login. */
  readonly onEnded: (error: unknown) => void;
}

export class Tokens {
  readonly #options: TokensOptions;
  readonly #listeners = new Set<(credential: Credential) => void>();
  #credential: Credential;
  /** When to ask for the next one, in milliseconds since 1970. */
  #renewAt = Infinity;
  /** All that need a new token wait for the same question. */
  #question: Promise<Credential> | null = null;

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#credential = this.#put(credentialOf(options.token));
  }

  get current(): Credential {
    return this.#credential;
  }

  /** Whether a new token can be obtained. */
  get canAsk(): boolean {
    const { getToken, login } = this.#options;
    return getToken !== null || login.isOpen;
  }

  /** Whether calls and sockets can be sent with the current credential. */
  get isUsable(): boolean {
    return this.#credential.token !== null || this.#isByCookie;
  }

  /** A token of the caller's, which no login renews. */
  set(token: string | null): void {
    this.#options.login.end();
    this.#put(credentialOf(token));
  }

  /** The answer to a login. */
  logIn(answer: AccessToken): void {
    const { getToken, login } = this.#options;
    if (getToken === null) login.begin(answer.refresh_token);
    this.#put(this.#credentialIn(answer));
  }

  /** Reports every new credential. Returns a function that removes the listener. */
  onNew(listener: (credential: Credential) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What to use now: the current one, or a new one if there is none or it soon expires. */
  async forUse(): Promise<Credential> {
    const credential = this.#credential;
    const { isUsable } = this;
    if (!this.canAsk || (isUsable && this.#options.clock.now() < this.#renewAt)) return credential;
    if (!isUsable) return this.#ask();
    // The current one is still valid. If it is not, its refusal leads to the same question.
    return this.#ask().catch(() => credential);
  }

  /** Another one than the refused one. */
  async insteadOf(refused: Credential): Promise<Credential> {
    return this.isUsable && this.#credential !== refused ? this.#credential : this.#ask();
  }

  get #isByCookie(): boolean {
    const { getToken, login } = this.#options;
    return getToken === null && login.isByCookie;
  }

  #ask(): Promise<Credential> {
    this.#question ??= this.#answered().finally(() => {
      this.#question = null;
    });
    return this.#question;
  }

  async #answered(): Promise<Credential> {
    if (!this.canAsk) throw new Error('There is no token, and no login to renew one');
    const before = this.#credential;
    try {
      const next = await this.#next();
      return this.#credential === before ? this.#put(next) : this.#credential;
    } catch (error) {
      // Meanwhile a user logged in, or the caller set a token.
      if (this.#credential !== before && this.isUsable) return this.#credential;
      if (!this.canAsk) this.#end(error);
      throw error;
    }
  }

  async #next(): Promise<Credential> {
    const { getToken, login } = this.#options;
    if (getToken !== null) return credentialOf(await getToken());
    return this.#credentialIn(await login.refresh());
  }

  /** A token that is in a cookie is not kept. */
  #credentialIn({ access_token }: AccessToken): Credential {
    const credential = credentialOf(access_token);
    return this.#isByCookie ? { ...credential, token: null } : credential;
  }

  #end(error: unknown): void {
    this.#put(credentialOf(null));
    this.#options.onEnded(error);
  }

  #put(credential: Credential): Credential {
    this.#credential = credential;
    this.#renewAt = renewalTime(this.#options.clock.now(), credential.expiresAt);
    if (this.isUsable) this.#listeners.forEach((listener) => listener(credential));
    return credential;
  }
}

/** `Infinity` if the token has expired by our clock: then the clock may be wrong, and only the service knows. */
export function renewalTime(now: number, expiresAt: number): number {
  const remaining = expiresAt - now;
  return remaining > 0 ? expiresAt - Math.min(RENEWAL_MARGIN_MS, remaining * RENEWAL_PART) : Infinity;
}

function credentialOf(token: string | null): Credential {
  const { exp, sub } = claimsOf(token);
  return {
    token,
    expiresAt: typeof exp === 'number' ? exp * 1000 : Infinity,
    userId: typeof sub === 'string' ? sub : null,
  };
}

/** The claims of a JWT, not verified. Empty for any other token. */
function claimsOf(token: string | null): { readonly exp?: unknown; readonly sub?: unknown } {
  const [, payload] = token?.split('.') ?? [];
  if (payload === undefined) return {};
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    // An opaque token may contain anything.
    return {};
  }
}
