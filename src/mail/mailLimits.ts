/** Limits that keep anyone from flooding an inbox through this service. In memory, for each instance. */
// It counts mails here.
import { RecentFailures as RecentTimes } from '../auth/guessing/recentFailures.js';
import { DAY_MS, HOUR_MS } from '../domain/content/time.js';
import type { MailKind, MailRefusal } from '../domain/ports/mail.js';

export interface Limit {
  readonly limit: number;
  readonly windowMs: number;
}

interface KindLimits {
  /** Of one e-mail address, or of a user; all must allow it. */
  readonly address: readonly Limit[];
  /** Of the one who causes the mail. */
  readonly source: Limit | null;
}

const MINUTE_MS = 60_000;
/** About 5 MB for each limit when full. */
const MAX_KEYS = 20_000;

/**
 * A reset has no limit a day: with one, an anonymous client could use it up and so keep a user from setting a new password. The
 * others go to addresses whose holder may never have asked for a mail.
 */
export const MAIL_LIMITS: Readonly<Record<MailKind, KindLimits>> = {
  reset: { address: [{ limit: 1, windowMs: 5 * MINUTE_MS }], source: { limit: 20, windowMs: 10 * MINUTE_MS } },
  verification: {
    address: [
      { limit: 1, windowMs: 5 * MINUTE_MS },
      { limit: 5, windowMs: DAY_MS },
    ],
    source: { limit: 50, windowMs: HOUR_MS },
  },
  invitation: {
    address: [
      { limit: 3, windowMs: HOUR_MS },
      { limit: 10, windowMs: DAY_MS },
    ],
    source: { limit: 100, windowMs: DAY_MS },
  },
  password: { address: [{ limit: 1, windowMs: 5 * MINUTE_MS }], source: null },
  // As often as the address of an account changes.
  address: { address: [{ limit: 20, windowMs: HOUR_MS }], source: null },
  // Of a user, as all that have been asked for: what is beyond waits for the mail of the day.
  notices: {
    address: [
      { limit: 12, windowMs: HOUR_MS },
      { limit: 60, windowMs: DAY_MS },
    ],
    source: null,
  },
};

/** Mails about what one user did, to another: the others of that one get through. */
export const SENDER_LIMIT: Limit = { limit: 6, windowMs: HOUR_MS };

interface Counters {
  readonly address: readonly RecentTimes[];
  readonly source: RecentTimes | null;
}

export class MailLimits {
  readonly #counters: Readonly<Record<MailKind, Counters>>;
  readonly #senders = counterFor(SENDER_LIMIT);
  /** Monotonic, in milliseconds. */
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#counters = {
      reset: countersFor(MAIL_LIMITS.reset),
      verification: countersFor(MAIL_LIMITS.verification),
      invitation: countersFor(MAIL_LIMITS.invitation),
      password: countersFor(MAIL_LIMITS.password),
      address: countersFor(MAIL_LIMITS.address),
      notices: countersFor(MAIL_LIMITS.notices),
    };
  }

  /** Counts one; false if it is refused, and then it is not counted. */
  takeSender(sender: string, recipient: string): boolean {
    const [key, now] = [`${sender} ${recipient}`, this.#now()];
    if (this.#senders.wait(key, now) > 0) return false;
    this.#senders.add(key, now);
    return true;
  }

  /** Counts one; null if it is allowed. A refused one is not counted. */
  take(kind: MailKind, address: string, source: string | null): MailRefusal | null {
    const counters = this.#counters[kind];
    const now = this.#now();
    const key = addressKey(address);
    const sourceMs = source === null ? 0 : (counters.source?.wait(source, now) ?? 0);
    if (sourceMs > 0) return refusal('source', sourceMs);
    const addressMs = Math.max(...counters.address.map((each) => each.wait(key, now)));
    if (addressMs > 0) return refusal('address', addressMs);
    if (source !== null) counters.source?.add(source, now);
    for (const each of counters.address) each.add(key, now);
    return null;
  }
}

function countersFor({ address, source }: KindLimits): Counters {
  return { address: address.map(counterFor), source: source && counterFor(source) };
}

function counterFor(limit: Limit): RecentTimes {
  return new RecentTimes({ ...limit, maxKeys: MAX_KEYS });
}

/** Equal for all spellings that mean one account, as in the directory. */
function addressKey(address: string): string {
  return address.normalize('NFC').toLowerCase();
}

function refusal(by: MailRefusal['by'], waitMs: number): MailRefusal {
  return { by, retryAfter: Math.ceil(waitMs / 1000) };
}
