/** The other instances, as known from their heartbeats. */
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';
import type { SettingDigests } from './settingDigests.js';
import type { CopyReport, OtherInstance } from './replicas.js';

/** An instance that was silent for this long counts as dead. If it is only frozen, its locks still hold. */
export const SILENCE_MS = 1_500;
/**
 * An instance that was heard within this time is reported to others. Less than the silence of a dead one: two instances
 * must not keep it alive for each other.
 */
const HEARD_MS = 700;
/** As many as there can be shards: further instances would own nothing. Bounds the memory of forged heartbeats. */
export const MAX_PEERS = 1_024;

/** What an instance says of another that it hears. */
export interface HeardInstance {
  readonly id: string;
  readonly url: string;
  readonly partitions: readonly PartitionName[];
}

/** A live instance and those that it hears; null if it is an older program, which does not say. */
export interface Listener {
  readonly id: string;
  readonly heard: readonly HeardInstance[] | null;
}

/** The message that an instance publishes several times a second. */
export interface Heartbeat {
  readonly info: InstanceInfo;
  /** Rises. A frozen server may deliver an old heartbeat after a newer one. */
  readonly number: number;
  /**
   * How often the instance has connected to the network. When it rises, messages of the instance may have been lost.
   */
  readonly connections: number;
  /** The clock of the instance when it sent this, and the time of day there. Older programs do not say the latter. */
  readonly clock: number;
  readonly time?: number;
  /** The copies of replicated partitions. */
  readonly copies: readonly CopyReport[];
  readonly tokens?: string;
  readonly settings?: SettingDigests;
  /** The instances that it hears. Only if partitions are replicated. */
  readonly heard?: readonly HeardInstance[];
}

/** The last heartbeat of another instance, for a comparison with this one. */
export interface PeerReading {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly tokens: string | null;
  readonly settings: SettingDigests | null;
  /** Its clock, and ours when the heartbeat came. */
  readonly clock: number;
  readonly receivedAt: number;
  /** How much later it is there than here, less the time that the heartbeat took; null if it does not say. */
  readonly aheadMs: number | null;
}

interface Peer {
  readonly heartbeat: Heartbeat;
  readonly receivedAt: number;
  readonly aheadMs: number | null;
  readonly clock: ClockOffset;
}

/** How long an offset between two clocks is trusted: they drift by less than a millisecond in this time. */
const OFFSET_MS = 30_000;

export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #now: () => number;
  readonly #timeOfDay: () => number;

  /** `now`: monotonic, in milliseconds. */
  constructor(now: () => number, timeOfDay: () => number = Date.now) {
    this.#now = now;
    this.#timeOfDay = timeOfDay;
  }

  get all(): InstanceInfo[] {
    return [...this.#peers.values()].map(({ heartbeat }) => heartbeat.info);
  }

  /** The copies of every live instance. */
  get copies(): OtherInstance[] {
    return [...this.#peers.values()].map(({ heartbeat: { info, copies } }) => ({ id: info.id, copies }));
  }

  get readings(): PeerReading[] {
    return [...this.#peers.values()].map(({ heartbeat: { info, clock, tokens, settings }, receivedAt, aheadMs }) => {
      const { id, host, version } = info;
      return { id, host, version, tokens: tokens ?? null, settings: settings ?? null, clock, receivedAt, aheadMs };
    });
  }

  /** The instances that are heard, for our heartbeat. */
  get heard(): HeardInstance[] {
    const since = this.#now() - HEARD_MS;
    const lately = [...this.#peers.values()].filter(({ receivedAt }) => receivedAt > since);
    return lately.map(({ heartbeat: { info } }) => ({ id: info.id, url: info.url, partitions: info.partitions }));
  }

  /** The live instances, and whom they hear. */
  get listeners(): Listener[] {
    return [...this.#peers.values()].map(({ heartbeat: { info, heard } }) => ({ id: info.id, heard: heard ?? null }));
  }

  /** What to add to our clock to get the clock of the instance, at most as much as its heartbeats were delayed too little. */
  clockOffset(id: string): number {
    return this.#peers.get(id)?.clock.value ?? 0;
  }

  /** Returns whether the instance is new. */
  receive(heartbeat: Heartbeat): boolean {
    const { id, leaving, partitions } = heartbeat.info;
    const known = this.#peers.get(id);
    if (known !== undefined && known.heartbeat.number > heartbeat.number) return false;
    if (leaving && partitions.length === 0) this.#peers.delete(id);
    else if (known === undefined && this.#peers.size >= MAX_PEERS) return false;
    else this.#peers.set(id, { heartbeat, receivedAt: this.#now(), aheadMs: this.#aheadMs(heartbeat), clock: this.#offset(known, heartbeat) });
    return known === undefined;
  }

  /** The heartbeat of the partition's last known owner. */
  ownerOf(partition: PartitionName): Heartbeat | null {
    let owner: Heartbeat | null = null;
    for (const { heartbeat } of this.#peers.values()) {
      if (!heartbeat.info.partitions.includes(partition)) continue;
      // An owner that was replaced may not know it yet.
      if (owner === null || termOf(heartbeat, partition) > termOf(owner, partition)) owner = heartbeat;
    }
    return owner;
  }

  /** The last heartbeat of the instance. */
  lastOf(id: string): Heartbeat | null {
    return this.#peers.get(id)?.heartbeat ?? null;
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
    for (const [id, peer] of this.#peers) this.#peers.set(id, { ...peer, receivedAt: this.#now() });
  }

  #aheadMs({ time }: Heartbeat): number | null {
    return time === undefined ? null : time - this.#timeOfDay();
  }

  #offset(known: Peer | undefined, { clock }: Heartbeat): ClockOffset {
    const offset = known?.clock ?? new ClockOffset();
    offset.note(clock - this.#now(), this.#now());
    return offset;
  }
}

/** A message is never early, so the largest of the differences that were seen lately is the closest to the truth. */
class ClockOffset {
  #since = 0;
  #earlier = -Infinity;
  #current = -Infinity;

  get value(): number {
    return Math.max(this.#earlier, this.#current);
  }

  note(difference: number, now: number): void {
    if (now - this.#since > OFFSET_MS) {
      this.#since = now;
      this.#earlier = this.#current;
      this.#current = -Infinity;
    }
    this.#current = Math.max(this.#current, difference);
  }
}

function termOf({ copies }: Heartbeat, partition: PartitionName): number {
  return copies.find((copy) => copy.partition === partition)?.term ?? 0;
}
