/**
 * Whether a store thread's partitions can be written. A disk that is full fails every commit, and each failure in the log
 * would fill it further: so what is reported is when the trouble begins and when it is over, with the number of failures.
 */
import type { FromThread, PartitionName } from './messages.js';

/** How often a partition that cannot be written is tried. */
const PROBE_MS = 1_000;
/** On a disk that is nearly full small writes succeed between large ones that fail: it is over when none has for a while. */
const QUIET_MS = 3_000;

interface Trouble {
  failures: number;
  lastFailureAt: number;
}

export interface WriteHealthOptions {
  readonly send: (message: Extract<FromThread, { readonly partition: PartitionName }>) => void;
  /** Writes something to the partition, or throws. */
  readonly probe: (partition: PartitionName) => void;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

export class WriteHealth {
  readonly #options: WriteHealthOptions;
  readonly #troubles = new Map<PartitionName, Trouble>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: WriteHealthOptions) {
    this.#options = options;
  }

  failed(partition: PartitionName, error: Error): void {
    const known = this.#troubles.get(partition);
    const lastFailureAt = this.#options.now();
    if (known !== undefined) {
      known.failures += 1;
      known.lastFailureAt = lastFailureAt;
      return;
    }
    this.#troubles.set(partition, { failures: 1, lastFailureAt });
    this.#timer ??= setInterval(() => this.probeAll(), PROBE_MS).unref();
    this.#options.send({ kind: 'failing', partition, error });
  }

  /** Tries those that failed. Public for tests, which cannot wait for the timer. */
  probeAll(): void {
    for (const [partition, trouble] of this.#troubles) {
      try {
        this.#options.probe(partition);
      } catch {
        // Why was reported when it began.
        trouble.failures += 1;
        trouble.lastFailureAt = this.#options.now();
        continue;
      }
      if (this.#options.now() - trouble.lastFailureAt >= QUIET_MS) this.#end(partition, 'working');
    }
  }

  /** The partition is about to be closed. */
  release(partition: PartitionName): void {
    this.#end(partition, 'released');
  }

  #end(partition: PartitionName, kind: 'working' | 'released'): void {
    const trouble = this.#troubles.get(partition);
    if (trouble === undefined) return;
    this.#troubles.delete(partition);
    if (this.#troubles.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    this.#options.send({ kind, partition, failures: trouble.failures });
  }
}
