/** Asks for the state of all logs regularly, so that health and readiness cost no request to NATS. */
import { LEADERLESS, type LogHealth } from '../log/logHealth.js';
import type { PartitionName } from '../partitions/messages.js';

const INTERVAL_MS = 2_000;

export interface LogWatchOptions {
  readonly partitions: readonly PartitionName[];
  /** Rejects if no server answers for the log. */
  readonly ask: (partition: PartitionName) => Promise<LogHealth>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly close: () => Promise<void>;
}

interface Seen {
  readonly health: LogHealth;
  /** Since when it has no quorum; null while it has one. */
  readonly lostAt: number | null;
}

export class LogWatch {
  readonly #options: LogWatchOptions;
  readonly #seen = new Map<PartitionName, Seen>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(options: LogWatchOptions) {
    this.#options = options;
  }

  /** Resolves after the first answers. */
  async start(): Promise<void> {
    await this.look();
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#options.close();
  }

  /** Asks once. */
  async look(): Promise<void> {
    await Promise.all(this.#options.partitions.map((partition) => this.#ask(partition)));
  }

  healthOf(partition: PartitionName): LogHealth {
    return this.#seen.get(partition)?.health ?? LEADERLESS;
  }

  /** The partitions whose log has had no quorum for this long. */
  withoutQuorum(milliseconds: number): PartitionName[] {
    const limit = this.#options.now() - milliseconds;
    return this.#options.partitions.filter((partition) => (this.#seen.get(partition)?.lostAt ?? Infinity) <= limit);
  }

  async #ask(partition: PartitionName): Promise<void> {
    const { ask, now } = this.#options;
    // Every failure means the same: nothing can be stored through the servers that this instance reaches.
    const health = await ask(partition).catch(() => LEADERLESS);
    const lostAt = health.hasQuorum ? null : (this.#seen.get(partition)?.lostAt ?? now());
    this.#seen.set(partition, { health, lostAt });
  }
}
