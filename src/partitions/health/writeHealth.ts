/**
 * Tracks whether the partitions of a store thread can be written. A full disk fails every commit, and logging each
 * failure would fill it further, so only the beginning and the end of the trouble are reported, with the number of
 * failures.
 */
import type { FromThread, PartitionName } from '../messages.js';

/** How often a partition that cannot be written is probed. */
const PROBE_MS = 1_000;
/**
 * On a nearly full disk small writes succeed between large ones that fail, so trouble ends after this long without a
 * failure.
 */
const QUIET_MS = 3_000;

interface Trouble {
  failures: number;
  lastFailureAt: number;
}

export interface WriteHealthOptions {
  readonly send: (message: Extract<FromThread, { readonly partition: PartitionName }>) => void;
  /** Writes something to the partition, or throws. `busy`: not now, and that says nothing. */
  readonly probe: (partition: PartitionName) => 'works' | 'busy';
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

  /** Probes the failing partitions. Public for tests, which cannot wait for the timer. */
  probeAll(): void {
    for (const [partition, trouble] of this.#troubles) {
      try {
        if (this.#options.probe(partition) === 'busy') continue;
      } catch {
        // The cause was reported when the trouble began.
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
