/** Mails that are being sent: a bounded number, a few at a time, each tried again while the mail server is away. */
import type { Logger } from 'pino';
import { FairQueue } from '../flow/fairQueue.js';
import type { MailKind, PreparedMail } from '../domain/ports/mail.js';
import { isFinalRefusal, safeReason } from './smtpFailure.js';

export interface MailQueueOptions {
  /** Rejects if the mail was not taken. */
  readonly deliver: (mail: PreparedMail) => Promise<void>;
  /** Makes running deliveries reject. */
  readonly hangUp: () => void;
  readonly log: Logger;
  readonly maxWaiting?: number;
  readonly firstRetryMs?: number;
  readonly drainMs?: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

export interface MailStats {
  readonly sent: number;
  /** The mail server refused it, or was away too long. */
  readonly failed: number;
  /** The queue was full, or the service stopped. */
  readonly dropped: number;
  readonly waiting: number;
}

interface Entry {
  readonly kind: MailKind;
  readonly prepare: () => Promise<PreparedMail | null>;
  readonly since: number;
  attempts: number;
}

/**
 * Mails of one kind. Each is a few hundred bytes. Kinds have places of their own and take turns: users who invite many
 * addresses that do not answer keep no password reset from being sent.
 */
const MAX_WAITING = 500;
const AT_ONCE = 4;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** The user has given up waiting for the mail, or has asked again. */
const MAX_AGE_MS = 3_600_000;
/** Less than a stop may take in all, see `serve`. */
const DRAIN_MS = 3_000;

export class MailQueue {
  readonly #options: MailQueueOptions;
  readonly #log: Logger;
  readonly #now: () => number;
  /** A line for each kind. */
  readonly #ready = new FairQueue<Entry>({ max: Infinity, maxPerClient: Infinity });
  readonly #running = new Set<Entry>();
  /** Those that failed, and when they are tried again. */
  readonly #delayed = new Map<Entry, NodeJS.Timeout>();
  /** Mails of each kind that are ready, running or delayed. */
  readonly #waiting = new Map<MailKind, number>();
  readonly #counts = { sent: 0, failed: 0, dropped: 0 };
  #state: 'open' | 'closing' | 'closed' = 'open';
  readonly #full = new Set<MailKind>();
  #onIdle: () => void = () => undefined;

  constructor(options: MailQueueOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#now = options.now ?? (() => performance.now());
  }

  get stats(): MailStats {
    return { ...this.#counts, waiting: this.#size };
  }

  /** False if the places of this kind are taken, or the queue is closed; then a mail is counted as dropped. */
  hasRoom(kind: MailKind): boolean {
    const isFull = (this.#waiting.get(kind) ?? 0) >= (this.#options.maxWaiting ?? MAX_WAITING);
    if (isFull && !this.#full.has(kind)) {
      this.#log.warn({ mail: kind }, 'too many mails of this kind are waiting; further ones are dropped until there is room');
    }
    if (isFull) this.#full.add(kind);
    else this.#full.delete(kind);
    if (!isFull && this.#state === 'open') return true;
    this.#counts.dropped += 1;
    return false;
  }

  /** Places of this kind that are free. */
  room(kind: MailKind): number {
    const places = this.#options.maxWaiting ?? MAX_WAITING;
    return this.#state === 'open' ? Math.max(0, places - (this.#waiting.get(kind) ?? 0)) : 0;
  }

  post(kind: MailKind, prepare: () => Promise<PreparedMail | null>): void {
    if (!this.hasRoom(kind)) return;
    this.#waiting.set(kind, (this.#waiting.get(kind) ?? 0) + 1);
    this.#makeReady({ kind, prepare, since: this.#now(), attempts: 0 });
    this.#start();
  }

  /** Tries everything once more, for a short time. What is left then is lost. */
  async close(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    for (const [entry, timer] of this.#delayed) {
      clearTimeout(timer);
      this.#makeReady(entry);
    }
    this.#delayed.clear();
    this.#start();
    await this.#idle(this.#options.drainMs ?? DRAIN_MS);
    this.#state = 'closed';
    const lost = [...this.#running, ...this.#ready.drain()];
    this.#running.clear();
    this.#options.hangUp();
    if (lost.length === 0) return;
    this.#counts.dropped += lost.length;
    this.#log.warn({ mails: lost.map(({ kind }) => kind) }, 'the service stopped before these mails were sent');
  }

  get #size(): number {
    return this.#ready.size + this.#running.size + this.#delayed.size;
  }

  #start(): void {
    while (this.#running.size < AT_ONCE) {
      const entry = this.#ready.take();
      if (entry === undefined) break;
      this.#running.add(entry);
      void this.#attempt(entry);
    }
    if (this.#running.size === 0 && this.#ready.size === 0) this.#onIdle();
  }

  async #attempt(entry: Entry): Promise<void> {
    entry.attempts += 1;
    let failure: unknown = null;
    let isSent = false;
    try {
      const mail = await entry.prepare();
      if (mail !== null && this.#state !== 'closed') {
        await this.#options.deliver(mail);
        isSent = true;
      }
    } catch (error) {
      failure = error;
    }
    // Otherwise it is among the lost.
    if (!this.#running.delete(entry)) return;
    if (isSent) this.#counts.sent += 1;
    if (failure === null || !this.#isTriedAgain(entry, failure)) this.#waiting.set(entry.kind, (this.#waiting.get(entry.kind) ?? 1) - 1);
    this.#start();
  }

  #isTriedAgain(entry: Entry, failure: unknown): boolean {
    const facts = { mail: entry.kind, attempts: entry.attempts, ...safeReason(failure) };
    const isLast = isFinalRefusal(failure) || this.#state !== 'open' || this.#now() - entry.since > MAX_AGE_MS;
    if (isLast) {
      this.#counts.failed += 1;
      this.#log.warn(facts, 'a mail could not be sent');
      return false;
    }
    this.#log[entry.attempts === 1 ? 'warn' : 'debug'](facts, 'a mail could not be sent; it is tried again');
    const timer = setTimeout(() => {
      this.#delayed.delete(entry);
      this.#makeReady(entry);
      this.#start();
    }, this.#retryMs(entry.attempts));
    this.#delayed.set(entry, timer.unref());
    return true;
  }

  #makeReady(entry: Entry): void {
    this.#ready.add(entry.kind, entry);
  }

  /** Doubles with each attempt; the random part keeps mails from coming back all at once. */
  #retryMs(attempts: number): number {
    const first = this.#options.firstRetryMs ?? FIRST_RETRY_MS;
    return Math.min(MAX_RETRY_MS, first * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);
  }

  #idle(patienceMs: number): Promise<void> {
    if (this.#running.size === 0 && this.#ready.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
