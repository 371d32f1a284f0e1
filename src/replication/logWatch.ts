/** Asks the leaders of all logs regularly, so that health and readiness cost no request to NATS. */
import type { JetStream } from '../log/jetStream.js';
import { JetStreamLog } from '../log/jetStreamLog.js';
import { healthOf, LEADERLESS, type LogHealth } from '../log/logHealth.js';
import { logNames } from '../log/logNames.js';
import type { PartitionName } from '../partitions/messages.js';

const INTERVAL_MS = 2_000;

interface Seen {
  readonly health: LogHealth;
  /** Since when it has no quorum; null while it has one. */
  readonly lostAt: number | null;
}

export class LogWatch {
  readonly #server: JetStream;
  readonly #prefix: string;
  readonly #partitions: readonly PartitionName[];
  readonly #seen = new Map<PartitionName, Seen>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(server: JetStream, prefix: string, partitions: readonly PartitionName[]) {
    this.#server = server;
    this.#prefix = prefix;
    this.#partitions = partitions;
  }

  /** Resolves after the first answers. */
  async start(): Promise<void> {
    await Promise.all(this.#partitions.map((partition) => this.#ask(partition)));
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#server.close();
  }

  healthOf(partition: PartitionName): LogHealth {
    return this.#seen.get(partition)?.health ?? LEADERLESS;
  }

  /** The partitions whose log has had no quorum for this long. */
  withoutQuorum(milliseconds: number): PartitionName[] {
    const limit = performance.now() - milliseconds;
    return this.#partitions.filter((partition) => (this.#seen.get(partition)?.lostAt ?? Infinity) <= limit);
  }

  async #ask(partition: PartitionName): Promise<void> {
    const log = new JetStreamLog(this.#server, logNames(this.#prefix, partition));
    // Every failure means the same: nothing can be stored through the servers that this instance reaches.
    const health = await log.info().then(healthOf, () => LEADERLESS);
    const lostAt = health.hasQuorum ? null : (this.#seen.get(partition)?.lostAt ?? performance.now());
    this.#seen.set(partition, { health, lostAt });
  }
}
