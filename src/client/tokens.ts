/** The token of a client, and how a new one is obtained. */
import type { Clock } from './clock.js';

export type GetToken = () => Promise<string> | string;

/** In milliseconds before the end of a token: enough for a slow request for the next one. */
const RENEWAL_MARGIN_MS = 30_000;
/** The margin of a short-lived token is this part of its remaining life. */
const RENEWAL_PART = 1 / 4;

export interface TokensOptions {
  readonly token: string | null;
  readonly getToken: GetToken | null;
  readonly clock: Clock;
}

export class Tokens {
  readonly #getToken: GetToken | null;
  readonly #clock: Clock;
  readonly #listeners = new Set<(token: string) => void>();
  #token: string | null = null;
  /** When to ask for the next one, in milliseconds since 1970. */
  #renewAt = Infinity;
  /** All that need a new token wait for the same question. */
  #question: Promise<string> | null = null;

  constructor({ token, getToken, clock }: TokensOptions) {
    this.#getToken = getToken;
    this.#clock = clock;
    this.set(token);
  }

  get current(): string | null {
    return this.#token;
  }

  /** Whether a token can be obtained from the caller. */
  get canAsk(): boolean {
    return this.#getToken !== null;
  }

  set(token: string | null): void {
    this.#token = token;
    const expiresAt = claimsOf(token).exp;
    this.#renewAt = typeof expiresAt === 'number' ? renewalTime(this.#clock.now(), expiresAt * 1000) : Infinity;
    if (token !== null) this.#listeners.forEach((listener) => listener(token));
  }

  /** Reports every new token. Returns a function that removes the listener. */
  onNew(listener: (token: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The token to use now: the current one, or a new one if there is none or it soon expires. */
  async forUse(): Promise<string | null> {
    const token = this.#token;
    if (!this.canAsk || (token !== null && this.#clock.now() < this.#renewAt)) return token;
    if (token === null) return this.#ask();
    // The current token is still valid. If it is not, its refusal leads to the same question.
    return this.#ask().catch(() => token);
  }

  /** Another token than the refused one. */
  async insteadOf(refused: string | null): Promise<string> {
    return this.#token !== null && this.#token !== refused ? this.#token : this.#ask();
  }

  #ask(): Promise<string> {
    this.#question ??= this.#answered().finally(() => {
      this.#question = null;
    });
    return this.#question;
  }

  async #answered(): Promise<string> {
    if (this.#getToken === null) throw new Error('The client has no `getToken`');
    const token = await this.#getToken();
    this.set(token);
    return token;
  }
}

/** `Infinity` if the token has expired by our clock: then the clock may be wrong, and only the service knows. */
export function renewalTime(now: number, expiresAt: number): number {
  const remaining = expiresAt - now;
  return remaining > 0 ? expiresAt - Math.min(RENEWAL_MARGIN_MS, remaining * RENEWAL_PART) : Infinity;
}

/** The user of a token; null if the token is opaque. */
export function userOf(token: string | null): string | null {
  const { sub } = claimsOf(token);
  return typeof sub === 'string' ? sub : null;
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
