/**
 * Slows down guesses at one account from many addresses without locking out the user who knows the password.
 *
 * A few password checks of an account run at a time. After a number of failures within a window the account is under
 * attack: from then on checks start at intervals. Waiting checks are admitted by the number of tries from their
 * network, fewest first, newest first among equals. So a network's first try overtakes every guesser that has tried
 * before, however many networks they have.
 *
 * Under attack a new network is admitted every 200 ms and a known one every 3 s. A botnet of N networks gets at most N
 * guesses an hour at an account and 1,200 more, never above 19,200.
 */
import { AppError } from '../../domain/errors.js';
import { networkOf, siteOf } from './network.js';
import { BoundedMap } from '../../flow/boundedMap.js';
import { RecentFailures } from './recentFailures.js';

export interface GuessGate {
  /** Resolves when the check may begin; rejects with `too_many`. Each resolved call must `leave`. */
  enter(account: string, address: string): Promise<void>;
  leave(account: string, address: string, outcome: 'succeeded' | 'failed' | 'unknown'): void;
  /** Admits everything that waits for the account from that address, because another result now decides it. */
  release(account: string, address: string): void;
  /** Refuses everything that waits, and all later calls. */
  close(): void;
  readonly waiting: number;
}

export interface GuessGateOptions {
  /** Failures within the window that count as an attack. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly maxWaitingPerAccount?: number;
  readonly maxWaiting?: number;
  /** Bound of remembered accounts with failures, and of pairs of account and network with tries. */
  readonly maxKeys?: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  /** Calls back once; returns a function that cancels. */
  readonly schedule?: (milliseconds: number, callback: () => void) => () => void;
}

/** Checks of one account at once: more would take the password threads from other users. */
const CHECKS_AT_ONCE = 2;
const NEWCOMER_INTERVAL_MS = 200;
const REPEAT_INTERVAL_MS = 3_000;
/** How long a try is remembered. */
const MEMORY_MS = 3_600_000;
/** A few turns of the slower lane; a client would soon give up. */
const PATIENCE_MS = 10_000;
const RETRY_AFTER_SECONDS = REPEAT_INTERVAL_MS / 1000;
/** Each is a request without an answer, a few kilobytes. A program may log in this often at once to one account. */
const MAX_WAITING_PER_ACCOUNT = 100;
const MAX_WAITING = 1_000;
/** About 10 MB of each kind when full. */
const MAX_KEYS = 50_000;

interface Waiting {
  readonly network: string;
  /** From the same site within an hour, before this one. */
  readonly tries: number;
  readonly admit: () => void;
  readonly refuse: (error: AppError) => void;
}

/** An account with running or waiting checks. */
interface Account {
  running: number;
  /** In order of arrival. */
  readonly waiting: Waiting[];
  callOffWake: () => void;
}

/** When the latest check of each kind began, during an attack. */
interface Pace {
  readonly newcomer: number;
  readonly repeat: number;
}

export function createGuessGate(options: GuessGateOptions): GuessGate {
  return new Gate(options);
}

class Gate implements GuessGate {
  readonly #maxWaitingPerAccount: number;
  readonly #maxWaiting: number;
  readonly #now: () => number;
  readonly #schedule: (milliseconds: number, callback: () => void) => () => void;
  readonly #failures: RecentFailures;
  readonly #accounts = new Map<string, Account>();
  /** By account and site, the least recently used first. */
  readonly #tries: BoundedMap<string, { readonly count: number; readonly since: number }>;
  readonly #paces: BoundedMap<string, Pace>;
  #waiting = 0;
  #isClosed = false;

  constructor(options: GuessGateOptions) {
    this.#maxWaitingPerAccount = options.maxWaitingPerAccount ?? MAX_WAITING_PER_ACCOUNT;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this.#now = options.now ?? (() => performance.now());
    this.#schedule = options.schedule ?? startTimer;
    const { limit, windowSeconds } = options;
    const maxKeys = options.maxKeys ?? MAX_KEYS;
    this.#failures = new RecentFailures({ limit, windowMs: windowSeconds * 1000, maxKeys });
    this.#tries = new BoundedMap(maxKeys);
    this.#paces = new BoundedMap(maxKeys);
  }

  get waiting(): number {
    return this.#waiting;
  }

  enter(key: string, address: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(stopping());
    const account = this.#accounts.get(key) ?? { running: 0, waiting: [], callOffWake: () => undefined };
    this.#accounts.set(key, account);
    const tries = this.#countTry(tryKey(key, address));
    return new Promise((resolve, reject) => {
      const callOff = this.#schedule(PATIENCE_MS, () => {
        this.#remove(account, waiting);
        waiting.refuse(tooManyGuesses());
        this.#forgetIdle(key, account);
      });
      const waiting: Waiting = {
        network: networkOf(address),
        tries,
        admit: () => {
          callOff();
          account.running += 1;
          resolve();
        },
        refuse: (error) => {
          callOff();
          reject(error);
        },
      };
      account.waiting.push(waiting);
      this.#waiting += 1;
      this.#admitDue(key, account);
      this.#keepBounds(account);
    });
  }

  leave(key: string, address: string, outcome: 'succeeded' | 'failed' | 'unknown'): void {
    const account = this.#accounts.get(key);
    if (account === undefined) return;
    account.running -= 1;
    if (outcome === 'failed') this.#failures.add(key, this.#now());
    if (outcome === 'succeeded') this.#tries.delete(tryKey(key, address));
    this.#admitDue(key, account);
    this.#forgetIdle(key, account);
  }

  release(key: string, address: string): void {
    const account = this.#accounts.get(key);
    if (account === undefined) return;
    const network = networkOf(address);
    for (const waiting of account.waiting.filter((each) => each.network === network)) {
      this.#remove(account, waiting);
      waiting.admit();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const [key, account] of this.#accounts) {
      for (const waiting of account.waiting.splice(0)) waiting.refuse(stopping());
      this.#forgetIdle(key, account);
    }
    this.#waiting = 0;
  }

  #admitDue(key: string, account: Account): void {
    account.callOffWake();
    while (account.running < CHECKS_AT_ONCE && account.waiting.length > 0) {
      const delay = this.#delay(key, account);
      if (delay > 0) {
        account.callOffWake = this.#schedule(delay, () => this.#admitDue(key, account));
        return;
      }
      const next = this.#next(key, account);
      this.#remove(account, next);
      next.admit();
    }
  }

  /** Milliseconds until a waiting check may begin. */
  #delay(key: string, { waiting }: Account): number {
    const { newcomer, repeat } = this.#dueTimes(key);
    const due = Math.min(...waiting.map(({ tries }) => (tries === 0 ? newcomer : repeat)));
    return Math.max(0, due - this.#now());
  }

  /** The next check: the fewest tries, then the newest. Records its start. */
  #next(key: string, { waiting }: Account): Waiting {
    const now = this.#now();
    const due = this.#dueTimes(key);
    const isDue = ({ tries }: Waiting): boolean => (tries === 0 ? due.newcomer : due.repeat) <= now;
    const next = waiting.filter(isDue).reduce((best, each) => (each.tries <= best.tries ? each : best));
    if (this.#failures.wait(key, now) > 0) {
      const before = this.#paces.get(key) ?? NO_PACE;
      this.#paces.set(key, next.tries === 0 ? { ...before, newcomer: now } : { ...before, repeat: now });
    }
    return next;
  }

  #dueTimes(key: string): Pace {
    if (this.#failures.wait(key, this.#now()) === 0) return NO_PACE;
    const { newcomer, repeat } = this.#paces.get(key) ?? NO_PACE;
    return { newcomer: newcomer + NEWCOMER_INTERVAL_MS, repeat: repeat + REPEAT_INTERVAL_MS };
  }

  /** Evicts the most tries first, then the longest waiting, so that first tries find room. */
  #keepBounds(account: Account): void {
    if (account.waiting.length > this.#maxWaitingPerAccount) this.#refuseWorst(account);
    if (this.#waiting <= this.#maxWaiting) return;
    let fullest = account;
    for (const each of this.#accounts.values()) if (each.waiting.length > fullest.waiting.length) fullest = each;
    this.#refuseWorst(fullest);
  }

  #refuseWorst(account: Account): void {
    const worst = account.waiting.reduce((found, each) => (each.tries > found.tries ? each : found));
    this.#remove(account, worst);
    worst.refuse(tooManyGuesses());
  }

  #remove(account: Account, waiting: Waiting): void {
    account.waiting.splice(account.waiting.indexOf(waiting), 1);
    this.#waiting -= 1;
  }

  #forgetIdle(key: string, account: Account): void {
    if (account.running > 0 || account.waiting.length > 0) return;
    account.callOffWake();
    this.#accounts.delete(key);
  }

  #countTry(key: string): number {
    const now = this.#now();
    const known = this.#tries.get(key);
    const before = known !== undefined && known.since + MEMORY_MS > now ? known : { count: 0, since: now };
    this.#tries.set(key, { count: before.count + 1, since: before.since });
    return before.count;
  }
}

const NO_PACE: Pace = { newcomer: -Infinity, repeat: -Infinity };

function tryKey(account: string, address: string): string {
  return `${account}\n${siteOf(address)}`;
}

function startTimer(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timer);
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping', { retryAfter: 1 });
}

function tooManyGuesses(): AppError {
  return new AppError('too_many', 'Too many wrong passwords for this account; try again in a moment', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
}
