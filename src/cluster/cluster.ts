/** This instance among the others: tells them what it owns, and takes and gives stations as fairness demands. */
import type { Logger } from 'pino';
import { NotServedHere } from '../partitions/askPort.js';
import type { InstanceInfo, Whereabouts } from '../partitions/ownership.js';
import { withDeadline } from '../partitions/deadline.js';
import type { LocalStations } from '../partitions/localPartitions.js';
import type { StationName } from '../partitions/messages.js';
import type { PeerNetwork } from './peerNetwork.js';
import { Peers, type Heartbeat } from './peers.js';
import { planPlacement } from './placement.js';
import type { RemoteMessages } from './remoteMessages.js';
import type { RemoteServing } from './remoteServing.js';
import type { RemoteStations } from './remotePartitions.js';
import type { PeerRefusals } from '../wire/peerRefusals.js';

const HEARTBEAT_MS = 250;
/** A heartbeat of our own this late means that we were frozen, and heard nobody meanwhile. */
const ABSENCE_MS = 1_000;
/** How long an instance listens for others before it takes what seems to be nobody's. */
const INTRODUCTION_MS = 600;
const INTRODUCTION_STEP_MS = 50;
/** After a lock turned out to be held. */
const RETRY_LOCK_MS = 400;
/** For how long a station without an owner is expected to get one any moment. */
const MOVE_MS = 3_000;
/** How long a leaving instance waits for the answers that it owes: longer than any commit, shorter than its stop. */
const LAST_ANSWERS_MS = 2_500;

export interface ClusterOptions {
  readonly network: PeerNetwork;
  readonly messages: RemoteMessages;
  readonly refusals: PeerRefusals;
  readonly local: LocalStations;
  readonly remote: RemoteStations;
  readonly serving: RemoteServing;
  readonly stations: readonly StationName[];
  /** What there is to tell of this instance beside its stations. */
  readonly describe: () => Omit<InstanceInfo, 'stations' | 'leaving'>;
  /** These have another owner than before, or one whose words may have got lost: what was heard may have a gap. */
  readonly onMoved: (stations: ReadonlySet<StationName>) => void;
  readonly log: Logger;
}

type Phase = 'introducing' | 'taking part' | 'leaving';

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #peers = new Peers(() => performance.now());
  /** Who owned each station when last heard, and by which of its connections. */
  readonly #owners = new Map<StationName, string>();
  readonly #ownerlessSince = new Map<StationName, number>();
  readonly #retryAt = new Map<StationName, number>();
  /** Why stations could not be opened, other than because of their locks. */
  readonly #failures = new Map<StationName, unknown>();
  #phase: Phase = 'introducing';
  #timer: NodeJS.Timeout | null = null;
  #placing: Promise<void> | null = null;
  #placeAgain = false;
  #heartbeats = 0;
  #connections = 0;
  #lastBeatAt = performance.now();

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Resolves when every station has an owner, or is known to be kept by someone who does not answer. */
  async start(): Promise<void> {
    const { network, stations, log } = this.#options;
    network.listenToPeers((bytes) => this.#receive(bytes));
    network.onConnect(() => this.#greet());
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#greet();
    await pause(INTRODUCTION_MS);
    this.#phase = 'taking part';
    const isOwnerless = (station: StationName): boolean => this.#ownerOf(station) === null;
    for (const end = performance.now() + MOVE_MS; performance.now() < end && stations.some(isOwnerless); ) {
      await this.#place();
      const [failure] = this.#failures.values();
      if (failure !== undefined) throw failure;
      if (stations.some(isOwnerless)) await pause(INTRODUCTION_STEP_MS);
    }
    const missing = stations.filter(isOwnerless);
    if (missing.length > 0) log.warn({ stations: missing }, 'held by a process that cannot be heard; trying on');
  }

  /** Gives everything to the others, so that they need not wait for this instance to be missed. */
  async leave(): Promise<void> {
    const { local, serving, log } = this.#options;
    this.#phase = 'leaving';
    this.#tell();
    await this.#placing;
    for (const station of [...local.owned]) {
      await this.#give(station).catch((error: unknown) => {
        log.error({ err: error, station }, 'a station could not be given away');
      });
    }
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#tell();
    await withDeadline(serving.allAnswered(), LAST_ANSWERS_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'left without having answered everything that other instances asked');
    });
  }

  /** Every living instance, this one first. */
  overview(): InstanceInfo[] {
    return [this.#self(), ...this.#peers.all];
  }

  locate(station: StationName): Whereabouts {
    if (this.#options.local.owns(station)) return 'here';
    if (!this.#options.network.isConnected()) return 'out of reach';
    if (this.#peers.ownerOf(station) !== null) return 'elsewhere';
    const since = this.#ownerlessSince.get(station);
    return since === undefined || performance.now() - since < MOVE_MS ? 'moving' : 'out of reach';
  }

  #self(): InstanceInfo {
    const { describe, local } = this.#options;
    return { ...describe(), leaving: this.#phase === 'leaving', stations: [...local.owned] };
  }

  #tell(): void {
    this.#heartbeats += 1;
    const heartbeat: Heartbeat = { info: this.#self(), number: this.#heartbeats, connections: this.#connections };
    const { network, messages } = this.#options;
    network.tellPeers(messages.encodeHeartbeat(heartbeat));
  }

  /** There is a connection: the others may be heard any moment, and with them who owns what. */
  #greet(): void {
    this.#connections += 1;
    for (const station of this.#ownerlessSince.keys()) this.#ownerlessSince.set(station, performance.now());
    this.#beat();
  }

  #beat(): void {
    const now = performance.now();
    if (now - this.#lastBeatAt > ABSENCE_MS) this.#peers.excuseSilence();
    this.#lastBeatAt = now;
    this.#tell();
    this.#buryTheDead();
    this.#noteOwners();
    void this.#place();
  }

  #receive(bytes: Uint8Array): void {
    const { messages, refusals } = this.#options;
    let heartbeat: Heartbeat;
    try {
      heartbeat = messages.decodeHeartbeat(bytes);
    } catch (error) {
      return refusals.note(error, 'instances');
    }
    this.#hear(heartbeat);
  }

  #hear(heartbeat: Heartbeat): void {
    if (this.#peers.hear(heartbeat)) this.#tell();
    this.#noteOwners();
    void this.#place();
  }

  #buryTheDead(): void {
    const { log, network, remote } = this.#options;
    for (const { id, url, stations } of this.#peers.bury()) {
      // Without a network everyone is silent, and that has been said.
      if (network.isConnected()) log.warn({ instance: id, url }, 'an instance fell silent');
      for (const station of stations) if (this.#peers.ownerOf(station) === null) remote.abandon(station);
    }
  }

  #ownerOf(station: StationName): string | null {
    if (this.#options.local.owns(station)) return 'here';
    const owner = this.#peers.ownerOf(station);
    return owner && `${owner.info.id} ${owner.connections}`;
  }

  /** Compares with what was known, and tells of stations that changed hands. */
  #noteOwners(): void {
    const moved = new Set<StationName>();
    for (const station of this.#options.stations) {
      const owner = this.#ownerOf(station);
      if (owner === null) {
        if (!this.#ownerlessSince.has(station)) this.#ownerlessSince.set(station, performance.now());
        continue;
      }
      this.#ownerlessSince.delete(station);
      if (this.#owners.get(station) !== owner) moved.add(station);
      this.#owners.set(station, owner);
    }
    if (moved.size > 0) this.#options.onMoved(moved);
  }

  /** One at a time. Whatever is heard while one is under way is considered by the same one. */
  #place(): Promise<void> {
    this.#placeAgain = true;
    this.#placing ??= this.#placeUntilSettled()
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'stations could not be placed'))
      .finally(() => {
        this.#placing = null;
      });
    return this.#placing;
  }

  async #placeUntilSettled(): Promise<void> {
    while (this.#placeAgain && this.#phase === 'taking part') {
      this.#placeAgain = false;
      const { take, give } = planPlacement(this.#self().id, this.overview(), this.#options.stations);
      const due = take.filter((station) => (this.#retryAt.get(station) ?? 0) <= performance.now());
      await Promise.all(due.map((station) => this.#take(station)));
      // One by one, so that each is without an owner only as long as it takes the other side to open it.
      const [first] = give;
      if (first === undefined || this.#isLeaving()) continue;
      await this.#give(first);
      this.#placeAgain = true;
    }
  }

  async #take(station: StationName): Promise<void> {
    const { local, serving, log } = this.#options;
    try {
      await local.open(station);
    } catch (error) {
      this.#retryAt.set(station, performance.now() + RETRY_LOCK_MS);
      // Held by an instance that has not said so yet, or that is frozen: its lock is stronger than our opinion.
      if (error instanceof NotServedHere) return;
      if (!this.#failures.has(station)) log.error({ err: error, station }, 'a station could not be opened; trying on');
      this.#failures.set(station, error);
      return;
    }
    this.#failures.delete(station);
    serving.start(station);
    this.#noteOwners();
    this.#tell();
  }

  async #give(station: StationName): Promise<void> {
    const { local, serving } = this.#options;
    await serving.stop(station);
    await local.release(station);
    this.#noteOwners();
    this.#tell();
  }

  /** A method, because the phase changes while something is awaited. */
  #isLeaving(): boolean {
    return this.#phase === 'leaving';
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
