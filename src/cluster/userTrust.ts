/** Until when an instance of a cluster may use what it remembers about users. */
import type { UserGrant } from '../domain/commands/directoryCommands.js';
import type { Remembrance } from '../domain/ports/remembrance.js';
import type { Whereabouts } from '../partitions/ownership.js';

/** A grant or lease with less left than this is renewed by the next request. */
const RENEW_LEFT_MS = 400;
/** Between two tries: the owner may be an older program that grants nothing. */
const RENEW_PAUSE_MS = 100;

export interface UserTrustOptions {
  /** The end of the lease of the directory, if this instance owns it; 0 else. */
  readonly ownLeaseEnd: () => number;
  /** Asks the owner of the directory for a grant. A read: it renews the owner's lease. */
  readonly ask: () => Promise<UserGrant>;
  /** Changes were not reported for a while: everything that is remembered must be read again. */
  readonly onLapse: () => void;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/** Where partitions are replicated: while the lease of the directory holds, here or by a grant of its owner. */
export class UserTrust implements Remembrance {
  readonly #options: UserTrustOptions;
  #grantEnd = 0;
  #grantedBy = '';
  /** Whether what was remembered before this instance owned the directory is in doubt: only then does its lease count. */
  #isHere = false;
  /** Rises when the owner takes grants back: one that is still on its way counts no more. */
  #revocations = 0;
  #isRenewing = false;
  #renewAt = 0;

  constructor(options: UserTrustOptions) {
    this.#options = options;
  }

  isCurrent(): boolean {
    const now = this.#options.now();
    const left = Math.max(this.#isHere ? this.#options.ownLeaseEnd() : 0, this.#grantEnd) - now;
    if (left < RENEW_LEFT_MS && !this.#isRenewing && now >= this.#renewAt) void this.#renew(now);
    return left > 0;
  }

  isUsable(): boolean {
    return false;
  }

  /** The directory has a new owner, and everything that is remembered is in doubt. */
  moved(isHere: boolean): void {
    this.#isHere = isHere;
    this.revoke();
  }

  /** The owner of the directory gives it away. */
  revoke(): void {
    this.#revocations += 1;
    this.#grantEnd = 0;
  }

  /** Never rejects: without an owner nothing is granted, and requests ask it themselves. */
  async #renew(sentAt: number): Promise<void> {
    const { ask, onLapse, now } = this.#options;
    const revocations = this.#revocations;
    this.#isRenewing = true;
    try {
      const { ms, by } = await ask();
      if (revocations !== this.#revocations || sentAt + ms <= now()) return;
      // An owner reports changes to its holders only: without a grant of the same owner some were missed.
      const isContinued = this.#grantedBy === by && now() < this.#grantEnd;
      if (!isContinued) onLapse();
      this.#grantedBy = by;
      this.#grantEnd = isContinued ? Math.max(this.#grantEnd, sentAt + ms) : sentAt + ms;
    } catch {
      // The requests that need the directory get this failure themselves.
    } finally {
      this.#isRenewing = false;
      this.#renewAt = now() + RENEW_PAUSE_MS;
    }
  }
}

/**
 * How long an instance that shares its data folder with others serves its own boards without the directory. Deactivations
 * and ended sessions are not seen meanwhile; access tokens end sooner by default.
 */
const REMEMBERED_MS = 3_600_000;
const CONTACT_MS = 1_000;

/** Where instances share a folder: for a time since the owner of the directory was in reach. */
export class ContactTime implements Remembrance {
  readonly #now: () => number;
  readonly #locate: () => Whereabouts;
  readonly #timer: NodeJS.Timeout;
  #endsAt: number;

  /** `locate`: where the directory is. */
  constructor(locate: () => Whereabouts, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#locate = locate;
    this.#endsAt = now() + REMEMBERED_MS;
    this.#timer = setInterval(() => this.note(), CONTACT_MS).unref();
  }

  note(): void {
    const where = this.#locate();
    if (where === 'here' || where === 'elsewhere') this.#endsAt = this.#now() + REMEMBERED_MS;
  }

  isCurrent(): boolean {
    return this.#now() < this.#endsAt;
  }

  isUsable(): boolean {
    return this.isCurrent();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
