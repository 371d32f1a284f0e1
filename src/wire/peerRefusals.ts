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
  readonly #counts = new Map<RefusalReason, OwnerCounts>();

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** `subject`: where the message arrived. Errors other than refusals are faults of ours and logged as such. */
  note(error: unknown, subject: string): void {
    const reason = error instanceof Refusal ? error.reason : 'fault';
    const counts = this.#countsOf(reason);
    counts.total += 1;
    counts.unlogged += 1;
    if (this.#now() - counts.loggedAt < LOG_INTERVAL_MS) return;
    const { unlogged: refused } = counts;
    if (error instanceof Refusal) {
      this.#log.warn({ reason, why: error.message, subject, refused }, 'refused a message of another instance');
    } else {
      this.#log.error({ err: error, subject, refused }, 'a message of another instance could not be handled');
    }
    counts.unlogged = 0;
    counts.loggedAt = this.#now();
  }

  collect(): Metric[] {
    return [
      {
        kind: 'counter',
        name: 'switchboard_peer_messages_refused_total',
        help: 'Messages of other instances that were refused, by reason.',
        samples: REFUSAL_REASONS.map((reason) => ({ labels: { reason }, value: this.#counts.get(reason)?.total ?? 0 })),
      },
    ];
  }

  #countsOf(reason: RefusalReason): OwnerCounts {
    const known = this.#counts.get(reason);
    if (known !== undefined) return known;
    const counts: OwnerCounts = { total: 0, unlogged: 0, loggedAt: -Infinity };
    this.#counts.set(reason, counts);
    return counts;
  }
}
