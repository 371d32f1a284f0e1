/** Tracks the partitions of this process that cannot be written, for the log and for readiness. */
import type { Logger } from 'pino';
import type { PartitionName } from '../messages.js';

export class WriteTrouble {
  readonly #log: Logger;
  readonly #failing = new Set<PartitionName>();
  /** Every partition that failed since the first of them did. */
  readonly #met = new Set<PartitionName>();
  #failures = 0;
  #since = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get partitions(): ReadonlySet<PartitionName> {
    return this.#failing;
  }

  /** All files are on one disk, so only the first failure is logged. */
  begin(partition: PartitionName, error: unknown): void {
    if (this.#failing.size === 0) {
      this.#since = performance.now();
      this.#log.error({ err: error, partition }, 'changes cannot be stored');
    }
    this.#failing.add(partition);
    this.#met.add(partition);
  }

  /** `released`: the partition was closed while its writes failed. */
  end(partition: PartitionName, failures: number, how: 'working' | 'released'): void {
    this.#failing.delete(partition);
    this.#failures += failures;
    if (this.#failing.size > 0) return;
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    const message = how === 'working' ? 'changes can be stored again' : 'closed while changes could not be stored';
    this.#log.warn({ failures: this.#failures, seconds, partitions: [...this.#met] }, message);
    this.#met.clear();
    this.#failures = 0;
  }
}
