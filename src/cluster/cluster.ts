/**
 * This instance in the cluster: publishes heartbeats with what it owns, and takes and gives partitions until the load
 * is even.
 */
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.js';
import { NotServedHere } from '../partitions/askPort.js';
import { namesOf } from '../partitions/partitionNames.js';
import type { InstanceInfo, Whereabouts } from '../partitions/ownership.js';
import { ELECTION_MS, withDeadline } from '../partitions/deadline.js';
import type { LocalPartitions } from '../partitions/thread/localPartitions.js';
import type { PartitionName } from '../partitions/messages.js';
import type { PeerNetwork } from '../wire/peerNetwork.js';
import { machineNow } from '../domain/machineClock.js';
import { BrokenLinks } from './brokenLinks.js';
import { Peers, type Heartbeat, type PeerReading } from './peers.js';
import { SettingWatch } from './settingWatch.js';
import { UnreadablePeers, type UnreadablePeer } from './unreadablePeers.js';
import type { SettingDigests } from './settingDigests.js';
import { planPlacement, type Candidate } from './placement.js';
import type { RemoteMessages } from './asking/remoteMessages.js';
import type { RemoteServing } from './asking/remoteServing.js';
import { unableOf, type OtherInstance, type Replicas } from './replicas.js';
import type { RemoteOwner } from './asking/askBatch.js';
import type { RemotePartitions } from './asking/remotePartitions.js';

const HEARTBEAT_MS = 250;
/** If our own heartbeat is this late, this process was frozen and received nothing meanwhile. */
const ABSENCE_MS = 1_000;
/** How long a new instance collects heartbeats before it takes partitions without an owner. */
const INTRODUCTION_MS = 600;
const INTRODUCTION_STEP_MS = 50;
/** Delay after a lock was held by another process. */
const RETRY_LOCK_MS = 400;
/** How long a partition without an owner is expected to get one, if NATS need not elect a leader of its log first. */
const MOVE_MS = 3_000;
/** After this time anyone may claim a partition: the instance whose turn it is may be unable to. */
const ANYONE_MS = 1_500;
/** How long a leaving instance waits for outstanding answers: longer than any commit, shorter than its stop. */
const LAST_ANSWERS_MS = 2_500;
/** How long an operator waits until others have the partitions of this instance. */
const DRAIN_MS = 15_000;

export interface ClusterOptions {
  readonly network: PeerNetwork;
  readonly messages: RemoteMessages;
  readonly local: LocalPartitions;
  readonly remote: RemotePartitions;
  readonly serving: RemoteServing;
  readonly partitions: readonly PartitionName[];
  /** Describes this instance, without its partitions. */
  readonly describe: () => Omit<InstanceInfo, 'partitions' | 'leaving'>;
  /** Called when partitions have a new owner, or one that reconnected: messages about them may have been lost. */
  readonly onMoved: (partitions: ReadonlySet<PartitionName>) => void;
  readonly log: Logger;
  /** The copies of replicated partitions; null if the instances share a data folder. */
  readonly replicas: Replicas | null;
  /** The digest of what access tokens are checked with here. */
  readonly tokens: string;
  readonly settings: Required<SettingDigests>;
}

type Phase = 'introducing' | 'taking part' | 'leaving';

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #peers = new Peers(machineNow);
  readonly #settings: SettingWatch;
  readonly #unreadable = new UnreadablePeers(machineNow);
  readonly #links: BrokenLinks;
  readonly #moveMs: number;
  /** The last known owner of each partition, and the number of its connection. */
  readonly #owners = new Map<PartitionName, string>();
  readonly #ownerlessSince = new Map<PartitionName, number>();
  readonly #retryAt = new Map<PartitionName, number>();
  /** Why partitions could not be opened, apart from their locks. */
  readonly #failures = new Map<PartitionName, unknown>();
  #phase: Phase = 'introducing';
  #isDrained = false;
  #timer: NodeJS.Timeout | null = null;
  #placing: Promise<void> | null = null;
  #placeAgain = false;
  #heartbeats = 0;
  #connections = 0;
  #lastBeatAt = performance.now();

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#settings = new SettingWatch(options);
    this.#links = new BrokenLinks(options.describe().id, options.log, machineNow);
    this.#moveMs = options.replicas === null ? MOVE_MS : ELECTION_MS;
    options.local.onDeposed(() => {
      this.#noteOwners();
      this.#publishHeartbeat();
    });
  }

  /** Resolves when every partition has an owner, or is known to be held by a process that does not answer. */
  async start(): Promise<void> {
    const { network, partitions, log } = this.#options;
    this.#options.serving.start();
    network.subscribeToPeers(
      (bytes) => this.#receive(bytes),
      (refusal) => this.#unreadable.note(refusal),
    );
    network.onConnect(() => this.#greet());
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#greet();
    // A thread that answers has loaded its modules, and opens partitions without delay.
    await Promise.all([pause(INTRODUCTION_MS), this.#options.local.stats()]);
    this.#compareSettings();
    this.#phase = 'taking part';
    this.#publishHeartbeat();
    const isOwnerless = (partition: PartitionName): boolean => this.#ownerOf(partition) === null && !this.#links.owns(partition);
    for (const end = performance.now() + this.#moveMs; performance.now() < end && partitions.some(isOwnerless);) {
      await this.#place();
      const [failure] = this.#failures.values();
      if (failure !== undefined) throw failure;
      if (partitions.some(isOwnerless)) await pause(INTRODUCTION_STEP_MS);
    }
    const missing = partitions.filter(isOwnerless);
    if (missing.length > 0) log.warn({ partitions: missing }, 'a process that does not answer holds the partition; trying again');
  }

  /** Gives all partitions away, so that the others need not wait for the silence limit. */
  async leave(): Promise<void> {
    const { local, serving, log } = this.#options;
    this.#phase = 'leaving';
    this.#publishHeartbeat();
    await this.#placing;
    for (const partition of [...local.owned]) {
      await this.#give(partition).catch((error: unknown) => {
        log.error({ err: error, partition }, 'a partition could not be released');
      });
    }
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#publishHeartbeat();
    await withDeadline(serving.stop(), LAST_ANSWERS_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'left before all asks of other instances were answered');
    });
  }

  /** Gives all partitions away, and takes none until `undrain`. Resolves when others own them. */
  async drain(): Promise<void> {
    if (!this.#peers.all.some(({ leaving, drained }) => !leaving && drained !== true)) {
      throw new AppError('conflict', 'There is no other instance that could take the partitions. Nothing was changed.');
    }
    this.#isDrained = true;
    this.#publishHeartbeat();
    const isElsewhere = (partition: PartitionName): boolean => this.#peers.ownerOf(partition) !== null;
    const left = (): PartitionName[] => this.#options.partitions.filter((partition) => !isElsewhere(partition));
    for (const end = performance.now() + DRAIN_MS; left().length > 0; await pause(INTRODUCTION_STEP_MS)) {
      if (performance.now() > end) throw new AppError('unavailable', `No other instance has taken ${namesOf(left())} yet. It is still tried.`);
      await this.#place();
    }
  }

  undrain(): void {
    this.#isDrained = false;
    this.#publishHeartbeat();
    void this.#place();
  }

  /** The last heartbeats of the others. */
  readings(): PeerReading[] {
    return this.#peers.readings;
  }

  /** The settings that differ on another instance, by name. */
  differingSettings(): string[] {
    return this.#settings.names;
  }

  /** The instances whose messages cannot be read here. */
  unreadable(): UnreadablePeer[] {
    return this.#unreadable.all;
  }

  /** Why this instance takes no partitions and should get no requests, or null. */
  exclusion(): string | null {
    return this.#unreadable.exclusion(this.#isAtHome()) ?? this.#links.isolation;
  }

  /** Every live instance, this one first. */
  overview(): InstanceInfo[] {
    return [this.#self(), ...this.#peers.all];
  }

  /** The other instance that owns the partition, as far as known. */
  ownerElsewhere(partition: PartitionName): RemoteOwner | null {
    const owner = this.#peers.ownerOf(partition);
    if (owner === null) return null;
    const { id } = owner.info;
    return { id, clockOffset: this.#peers.clockOffset(id) };
  }

  /** The copies of every live instance, this one first; empty if nothing is replicated. */
  copies(): OtherInstance[] {
    const { replicas, describe } = this.#options;
    return replicas === null ? [] : [{ id: describe().id, copies: replicas.reports }, ...this.#peers.copies];
  }

  locate(partition: PartitionName): Whereabouts {
    if (this.#options.local.owns(partition)) return 'here';
    if (!this.#options.network.isConnected()) return 'out of reach';
    if (this.#peers.ownerOf(partition) !== null) return 'elsewhere';
    if (this.#links.isolation !== null && this.#links.owns(partition)) return 'out of reach';
    const since = this.#ownerlessSince.get(partition);
    return since === undefined || performance.now() - since < this.#moveMs ? 'moving' : 'out of reach';
  }

  #self(): InstanceInfo {
    const { describe, local } = this.#options;
    const state = {
      leaving: this.#phase === 'leaving',
      ...(this.#phase === 'introducing' ? { joining: true } : {}),
      ...(this.#takesNone() ? { drained: true } : {}),
    };
    return { ...describe(), ...state, partitions: [...local.owned] };
  }

  #publishHeartbeat(): void {
    this.#heartbeats += 1;
    const { network, messages, replicas, tokens } = this.#options;
    const settings = this.#settings.shown;
    const heartbeat: Heartbeat = {
      info: this.#self(),
      number: this.#heartbeats,
      connections: this.#connections,
      clock: machineNow(),
      time: Date.now(),
      copies: replicas?.reports ?? [],
      tokens,
      settings,
      ...(replicas === null ? {} : { heard: this.#peers.heard }),
    };
    network.publishToPeers(messages.encodeHeartbeat(heartbeat));
  }

  /** The connection is up: heartbeats with the owners may arrive any moment. */
  #greet(): void {
    this.#connections += 1;
    for (const partition of this.#ownerlessSince.keys()) this.#ownerlessSince.set(partition, performance.now());
    this.#beat();
  }

  #beat(): void {
    const now = performance.now();
    if (now - this.#lastBeatAt > ABSENCE_MS) this.#peers.excuseSilence();
    this.#lastBeatAt = now;
    this.#publishHeartbeat();
    this.#removeSilentPeers();
    this.#compareSettings();
    this.#links.compare(this.#peers.listeners);
    this.#noteOwners();
    void this.#place();
  }

  #compareSettings(): void {
    this.#settings.compare(this.#peers.readings, this.#unreadable.all);
  }

  /** Whether this instance owns partitions, or understands another one. */
  #isAtHome(): boolean {
    return this.#options.local.owned.size > 0 || this.#peers.all.length > 0;
  }

  #receive(bytes: Uint8Array): void {
    const heartbeat = this.#options.messages.decodeHeartbeat(bytes);
    this.#noteLostMessages(heartbeat);
    const { id, leaving, partitions } = heartbeat.info;
    if (leaving && partitions.length === 0) this.#options.remote.leave(id);
    if (this.#peers.receive(heartbeat)) this.#publishHeartbeat();
    const { local, replicas } = this.#options;
    for (const { partition, applied } of heartbeat.copies) {
      // Each note wakes a thread, and between changes all copies are equal.
      if (replicas?.lacks(partition, applied) === true) local.noteRecords(partition, applied);
    }
    this.#noteOwners();
    void this.#place();
  }

  /**
   * A gap in the heartbeats: other messages of the instance may be lost too, although both stayed connected to NATS. So
   * they may when the instance has connected anew, and among them answers.
   */
  #noteLostMessages({ info, number, connections }: Heartbeat): void {
    const last = this.#peers.lastOf(info.id);
    if (last === null) return;
    const isGap = number > last.number + 1;
    if (isGap) for (const partition of info.partitions) this.#owners.delete(partition);
    if (isGap || connections > last.connections) this.#options.remote.repeat(info.id);
  }

  #removeSilentPeers(): void {
    const { log, network, remote } = this.#options;
    for (const { id, url } of this.#peers.removeSilent()) {
      // Without a network everyone is silent, and that is already logged.
      if (network.isConnected()) log.warn({ instance: id, url }, 'an instance stopped sending heartbeats');
      // Another instance may own its partitions already: what was sent to this one gets no answer all the same.
      remote.abandon(id);
    }
  }

  #ownerOf(partition: PartitionName): string | null {
    if (this.#options.local.owns(partition)) return 'here';
    const owner = this.#peers.ownerOf(partition);
    return owner && `${owner.info.id} ${owner.connections}`;
  }

  /** Compares the owners with the last known ones and reports partitions that moved. */
  #noteOwners(): void {
    const moved = new Set<PartitionName>();
    for (const partition of this.#options.partitions) {
      const owner = this.#ownerOf(partition);
      if (owner === null) {
        if (!this.#ownerlessSince.has(partition)) this.#ownerlessSince.set(partition, performance.now());
        // If the same owner returns, its messages were lost meanwhile.
        this.#owners.delete(partition);
        continue;
      }
      this.#ownerlessSince.delete(partition);
      if (this.#owners.get(partition) !== owner) moved.add(partition);
      this.#owners.set(partition, owner);
    }
    if (moved.size > 0) this.#options.onMoved(moved);
  }

  /** One placement at a time. A change during a placement makes the same run start over. */
  #place(): Promise<void> {
    this.#placeAgain = true;
    this.#placing ??= this.#placeUntilSettled()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'partitions could not be placed'))
      .finally(() => {
        this.#placing = null;
      });
    return this.#placing;
  }

  async #placeUntilSettled(): Promise<void> {
    while (this.#placeAgain && this.#phase === 'taking part') {
      this.#placeAgain = false;
      const { take, give } = planPlacement(this.#self().id, this.#candidates(), this.#options.partitions);
      const due = this.#due(take).filter((partition) => (this.#retryAt.get(partition) ?? 0) <= performance.now());
      await Promise.all(due.map((partition) => this.#take(partition)));
      // One by one, so that each is without an owner only while the other side opens it.
      const [first] = [...give, ...this.#outdated()];
      if (first === undefined || this.#isLeaving()) continue;
      await this.#give(first);
      this.#placeAgain = true;
    }
  }

  /** Every live instance, and what it cannot take. Where instances share a folder, each can take everything. */
  #candidates(): Candidate[] {
    if (this.#options.replicas === null) return this.overview();
    const { partitions } = this.#options;
    const copies = new Map(this.copies().map((instance) => [instance.id, instance.copies]));
    const heard = this.overview().map((info) => ({ ...info, unable: unableOf(copies.get(info.id) ?? [], partitions) }));
    // They own what they own, and are given nothing.
    const unheard = this.#links.unheard.map((instance) => ({ ...instance, leaving: false, unable: new Set(partitions) }));
    return [...heard, ...unheard];
  }

  /** The partitions to take now. Of replicated ones, also those that another instance should have taken. */
  #due(take: readonly PartitionName[]): readonly PartitionName[] {
    const { replicas, partitions } = this.#options;
    if (replicas === null || this.#takesNone()) return take;
    const isLeft = (partition: PartitionName): boolean =>
      this.#ownerOf(partition) === null &&
      !this.#links.owns(partition) &&
      performance.now() - (this.#ownerlessSince.get(partition) ?? Infinity) > ANYONE_MS;
    return partitions.filter((partition) => take.includes(partition) || isLeft(partition));
  }

  /** Owned partitions that are given up to be claimed for a newer schema, by this instance or another. */
  #outdated(): readonly PartitionName[] {
    const { local, replicas } = this.#options;
    return replicas === null ? [] : [...local.owned].filter((partition) => replicas.isOutdated(partition, this.#peers.copies));
  }

  async #take(partition: PartitionName): Promise<void> {
    const { local, log, replicas } = this.#options;
    const others = this.#peers.copies;
    const term = replicas?.claimable(partition, others);
    if (term === null) return;
    const schema = replicas?.commonSchema(partition, others) ?? 0;
    try {
      await local.open(partition, term === undefined ? undefined : { term, schema });
      replicas?.noteClaim(partition, schema);
    } catch (error) {
      this.#retryAt.set(partition, performance.now() + RETRY_LOCK_MS);
      // Held by an instance that has not announced it yet, or is frozen. The lock decides.
      if (error instanceof NotServedHere) return;
      if (!this.#failures.has(partition)) log.error({ err: error, partition }, 'a partition could not be opened; trying again');
      this.#failures.set(partition, error);
      return;
    }
    this.#failures.delete(partition);
    this.#noteOwners();
    this.#publishHeartbeat();
  }

  async #give(partition: PartitionName): Promise<void> {
    await this.#options.local.release(partition);
    this.#noteOwners();
    this.#publishHeartbeat();
  }

  /** An operator took the instance out of service, or it cannot work with all others. */
  #takesNone(): boolean {
    return this.#isDrained || this.exclusion() !== null;
  }

  /** A method, because the phase changes during an await and TypeScript would narrow the field. */
  #isLeaving(): boolean {
    return this.#phase === 'leaving';
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
