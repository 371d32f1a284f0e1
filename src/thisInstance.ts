/** The description of this process for operators and other instances. */
import { hostname } from 'node:os';
import type { InstanceInfo } from './partitions/ownership.js';
import { VERSION } from './version.js';

type Description = Omit<InstanceInfo, 'partitions' | 'leaving'>;

export class ThisInstance {
  readonly id: string;
  readonly #startedAt = new Date().toISOString();
  /** Null until it listens. */
  #serving: { readonly url: string; readonly sockets: () => number } | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** From here on it serves clients at this address. */
  serves(url: string, sockets: () => number): void {
    this.#serving = { url, sockets };
  }

  describe(): Description {
    return {
      id: this.id,
      host: hostname(),
      pid: process.pid,
      url: this.#serving?.url ?? '',
      version: VERSION,
      startedAt: this.#startedAt,
      sockets: this.#serving?.sockets() ?? 0,
    };
  }
}
