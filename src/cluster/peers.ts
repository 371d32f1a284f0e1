/** The other instances, as far as they are heard. */
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';

/** An instance that was silent for this long is taken for dead. It may only be frozen: then its locks still hold. */
export const SILENCE_MS = 1_500;
/** As many as there can be shards: more instances would have nothing to own. Forged heartbeats take no more memory. */
export const MAX_PEERS = 1_024;

/** What an instance tells the others, several times a second. */
export interface Heartbeat {
  readonly info: InstanceInfo;
  /** Grows. A server that was frozen may deliver an old one after a newer one. */
  readonly number: number;
  /** How often the instance connected to the network. When it grows, something that it told may have been lost. */
  readonly connections: number;
}

interface Peer {
  readonly heartbeat: Heartbeat;
  readonly heardAt: number;
}

export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #now: () => number;

  /** `now` in milliseconds, from a clock that nobody sets back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get all(): InstanceInfo[] {
    return [...this.#peers.values()].map(({ heartbeat }) => heartbeat.info);
  }

  /** Whether it is one that was not known. */
  hear(heartbeat: Heartbeat): boolean {
    const { id, leaving, partitions } = heartbeat.info;
    const known = this.#peers.get(id);
    if (known !== undefined && known.heartbeat.number > heartbeat.number) return false;
    if (leaving && partitions.length === 0) this.#peers.delete(id);
    else if (known === undefined && this.#peers.size >= MAX_PEERS) return false;
    else this.#peers.set(id, { heartbeat, heardAt: this.#now() });
    return known === undefined;
  }

  /** Whoever has the partition, or had it when last heard. */
  ownerOf(partition: PartitionName): Heartbeat | null {
    for (const { heartbeat } of this.#peers.values()) if (heartbeat.info.partitions.includes(partition)) return heartbeat;
    return null;
  }

  /** Forgets those that fell silent, and names them. */
  bury(): InstanceInfo[] {
    const dead: InstanceInfo[] = [];
    for (const [id, { heartbeat, heardAt }] of this.#peers) {
      if (this.#now() - heardAt < SILENCE_MS) continue;
      this.#peers.delete(id);
      dead.push(heartbeat.info);
    }
    return dead;
  }

  /** It was us who did not listen: what they said meanwhile is yet to be read. */
  excuseSilence(): void {
    for (const [id, { heartbeat }] of this.#peers) this.#peers.set(id, { heartbeat, heardAt: this.#now() });
  }
}
