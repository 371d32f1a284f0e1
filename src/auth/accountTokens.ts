/**
 * Tokens in links for one account: to set a new password, or to prove an e-mail address. A MAC shows that we issued the
 * token, and for which state of the account. So nothing is stored until it is used; see the command `user.redeem`.
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Redemption } from '../domain/commands/directoryCommands.js';
import { parseUuid, type Uuid } from '../domain/ids.js';
import type { User } from '../domain/account/user.js';

/** Only a mailed link proves the e-mail address: an operator hands a link over in any way. */
export type AccountTokenKind = 'mailed reset' | 'handed reset' | 'verification' | 'new address';

export interface AccountClaim {
  readonly kind: AccountTokenKind;
  readonly userId: Uuid;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Of the account when the token was issued. */
  readonly state: string;
  /** Stored when the token is spent. */
  readonly hash: string;
  /** Of a `new address` alone: that address. */
  readonly newEmail: string | null;
}

/** What of an account makes a token invalid when it changes. */
export type AccountState = Pick<User, 'id' | 'email' | 'hashed_password'>;

const PURPOSE = 'switchboard account tokens 1';
const SECRET_BYTES = 32;
/** 128 bits. */
const STATE_CHARACTERS = 22;

/** Recognisable by scanners of leaked secrets. */
const PREFIXES = { 'mailed reset': 'swp_', 'handed reset': 'swo_', verification: 'swv_', 'new address': 'swe_' } as const satisfies Record<
  AccountTokenKind,
  string
>;
const KINDS = Object.keys(PREFIXES) as readonly AccountTokenKind[];
/** The address is in Base64. */
const TOKEN = /^(sw[pove]_)([0-9a-f-]{36})\.([1-9]\d{9,10})\.([\w-]{22})(?:\.([\w-]{4,600}))?\.([\w-]{43})$/;

const HOUR_SECONDS = 3_600;
const LIFETIME_SECONDS = {
  'mailed reset': HOUR_SECONDS,
  'handed reset': HOUR_SECONDS,
  verification: 24 * HOUR_SECONDS,
  'new address': 24 * HOUR_SECONDS,
} as const satisfies Record<AccountTokenKind, number>;

export class AccountTokens {
  readonly #secret: Uint8Array;

  constructor(secret: string) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), PURPOSE, SECRET_BYTES));
  }

  issue(kind: Exclude<AccountTokenKind, 'new address'>, user: AccountState, now: Date): string {
    return this.#signed(this.#body(kind, user, now));
  }

  /** The token shows the new address, and is sent to that address alone. */
  issueForAddress(newEmail: string, user: AccountState, now: Date): string {
    return this.#signed(`${this.#body('new address', user, now)}.${Buffer.from(newEmail).toString('base64url')}`);
  }

  /** Null if we did not issue it, or it has expired. */
  read(token: string, now: Date): AccountClaim | null {
    const [, prefix = '', idText = '', expiryText = '', state = '', address, mac = ''] = TOKEN.exec(token) ?? [];
    const kind = KINDS.find((each) => PREFIXES[each] === prefix);
    const userId = parseUuid(idText);
    if (kind === undefined || userId === undefined) return null;
    if ((kind === 'new address') !== (address !== undefined)) return null;
    const body = token.slice(0, -(mac.length + 1));
    if (!isEqual(this.#mac('token', body), mac)) return null;
    const expiry = new Date(Number(expiryText) * 1000);
    if (expiry <= now) return null;
    const hash = createHash('sha256').update(token).digest('base64url');
    const newEmail = address === undefined ? null : Buffer.from(address, 'base64url').toString();
    return { kind, userId, expiresAt: expiry.toISOString(), state, hash, newEmail };
  }

  /** What the account must be for the token to be good; null if it is not that now. */
  expected({ kind, state }: AccountClaim, user: AccountState): Redemption['expected'] | null {
    if (!isEqual(this.#state(kind, user), state)) return null;
    const { email, hashed_password } = user;
    return kind === 'verification' ? { email } : { email, hashed_password };
  }

  #body(kind: AccountTokenKind, user: AccountState, now: Date): string {
    const expiry = Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS[kind];
    return `${PREFIXES[kind]}${user.id}.${expiry}.${this.#state(kind, user)}`;
  }

  #signed(body: string): string {
    return `${body}.${this.#mac('token', body)}`;
  }

  #state(kind: AccountTokenKind, { id, email, hashed_password }: AccountState): string {
    const parts = kind === 'verification' ? [id, email] : [id, email, hashed_password];
    return this.#mac('state', JSON.stringify(parts)).slice(0, STATE_CHARACTERS);
  }

  #mac(what: 'token' | 'state', text: string): string {
    return createHmac('sha256', this.#secret).update(`${what}\n${text}`).digest('base64url');
  }
}

/** Compared as text, because several spellings decode to the same bytes. */
function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
