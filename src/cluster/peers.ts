/** The other instances, as known from their heartbeats. */
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';

/** An instance that was silent for this long counts as dead. If it is only frozen, its locks still hold. */
export const SILENCE_MS = 1_500;
/** As many as there can be shards: further instances would own nothing. Bounds the memory of forged heartbeats. */
export const MAX_PEERS = 1_024;

/** The message that an instance publishes several times a second. */
export interface Heartbeat {
  readonly info: InstanceInfo;
  /** Rises. A frozen server may deliver an old heartbeat after a newer one. */
  readonly number: number;
  /**
   * How often the instance has connected to the network. When it rises, messages of the instance may have been lost.
   */
  readonly connections: number;
}

interface Peer {
  readonly heartbeat: Heartbeat;
  readonly receivedAt: number;
}

export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #now: () => number;

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get all(): InstanceInfo[] {
    return [...this.#peers.values()].map(({ heartbeat }) => heartbeat.info);
  }

  /** Returns whether the instance is new. */
  receive(heartbeat: Heartbeat): boolean {
    const { id, leaving, partitions } = heartbeat.info;
    const known = this.#peers.get(id);
    if (known !== undefined && known.heartbeat.number > heartbeat.number) return false;
    if (leaving && partitions.length === 0) this.#peers.delete(id);
    else if (known === undefined && this.#peers.size >= MAX_PEERS) return false;
    else this.#peers.set(id, { heartbeat, receivedAt: this.#now() });
    return known === undefined;
  }

  /** The heartbeat of the partition's last known owner. */
  ownerOf(partition: PartitionName): Heartbeat | null {
    for (const { heartbeat } of this.#peers.values()) if (heartbeat.info.partitions.includes(partition)) return heartbeat;
    return null;
  }

  /** Forgets silent instances and returns them. */
  removeSilent(): InstanceInfo[] {
    const dead: InstanceInfo[] = [];
    for (const [id, { heartbeat, receivedAt }] of this.#peers) {
      if (this.#now() - receivedAt < SILENCE_MS) continue;
      this.#peers.delete(id);
      dead.push(heartbeat.info);
    }
    return dead;
  }

  /** This process was frozen, and the heartbeats of the others are still to be read. */
  excuseSilence(): void {
    for (const [id, { heartbeat }] of this.#peers) this.#peers.set(id, { heartbeat, receivedAt: this.#now() });
  }
}
