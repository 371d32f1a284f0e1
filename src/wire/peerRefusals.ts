/** Counts refused messages of other instances for Prometheus, and logs a few of them. */
import type { Logger } from 'pino';
import type { Metric } from '../metrics/prometheus.js';
import { Refusal, REFUSAL_REASONS, type RefusalReason } from './refusal.js';

/** A broken or hostile peer may send thousands a second. One line a minute for each reason is enough. */
const LOG_INTERVAL_MS = 60_000;

interface OwnerCounts {
  total: number;
  /** Refused since the last log line. */
  unlogged: number;
  loggedAt: number;
}

export class PeerRefusals {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #tallies = new Map<RefusalReason, OwnerCounts>();

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** `subject`: where the message arrived. Errors other than refusals are faults of ours and logged as such. */
  note(error: unknown, subject: string): void {
    const reason = error instanceof Refusal ? error.reason : 'fault';
    const tally = this.#tallyOf(reason);
    tally.total += 1;
    tally.unlogged += 1;
    if (this.#now() - tally.loggedAt < LOG_INTERVAL_MS) return;
    const { unlogged: refused } = tally;
    if (error instanceof Refusal) {
      this.#log.warn({ reason, why: error.message, subject, refused }, 'refused a message of another instance');
    } else {
      this.#log.error({ err: error, subject, refused }, 'a message of another instance could not be handled');
    }
    tally.unlogged = 0;
    tally.loggedAt = this.#now();
  }

  collect(): Metric[] {
    return [
      {
        kind: 'counter',
        name: 'switchboard_peer_messages_refused_total',
        help: 'Messages of other instances that were refused, by reason.',
        samples: REFUSAL_REASONS.map((reason) => ({ labels: { reason }, value: this.#tallies.get(reason)?.total ?? 0 })),
      },
    ];
  }

  #tallyOf(reason: RefusalReason): OwnerCounts {
    const known = this.#tallies.get(reason);
    if (known !== undefined) return known;
    const tally: OwnerCounts = { total: 0, unlogged: 0, loggedAt: -Infinity };
    this.#tallies.set(reason, tally);
    return tally;
  }
}
