/** This instance among the others: tells them that it lives and what it owns, and takes and gives stations accordingly. */
import { deserialize, serialize } from 'node:v8';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.js';
import type { LocalStations } from './localStations.js';
import type { StationName } from './messages.js';
import type { PeerNetwork } from './peerNetwork.js';
import { planPlacement, type InstanceState } from './placement.js';
import { serveRemotely, type RemoteStations } from './remoteStations.js';

const HEARTBEAT_MS = 250;
/** An instance that was silent for this long is taken for dead. It may only be frozen: then its locks still hold. */
const SILENCE_MS = 1_500;
/** How long an instance listens for others before it takes what seems to be nobody's. */
const INTRODUCTION_MS = 600;
/** After a lock turned out to be held. */
const RETRY_LOCK_MS = 400;
/** For how long a station without an owner is expected to get one any moment. */
const MOVE_MS = 3_000;

export interface InstanceInfo extends InstanceState {
  readonly host: string;
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: string;
  readonly sockets: number;
}

export interface ClusterOptions {
  readonly network: PeerNetwork;
  readonly local: LocalStations;
  readonly remote: RemoteStations;
  readonly stations: readonly StationName[];
  /** What there is to tell of this instance beside its stations. */
  readonly describe: () => Omit<InstanceInfo, 'stations' | 'leaving'>;
  /** These have another owner than before: what was known from the old one may be out of date. */
  readonly onMoved: (stations: ReadonlySet<StationName>) => void;
  readonly log: Logger;
}

interface Peer {
  readonly info: InstanceInfo;
  readonly heardAt: number;
}

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #peers = new Map<string, Peer>();
  readonly #services = new Map<StationName, { stop(): void }>();
  /** Who owned each station when last heard. */
  readonly #owners = new Map<StationName, string>();
  readonly #ownerlessSince = new Map<StationName, number>();
  readonly #retryAt = new Map<StationName, number>();
  #timer: NodeJS.Timeout | null = null;
  #leaving = false;
  #placing: Promise<void> | null = null;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Resolves when every station has an owner, or is known to be kept by someone who does not answer. */
  async start(): Promise<void> {
    const { network, stations, local, log } = this.#options;
    network.listenToPeers((bytes) => this.#hear(deserialize(bytes) as InstanceInfo));
    network.onReconnect(() => this.#beat());
    const startedAt = Date.now();
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#beat();
    const isSettled = (): boolean => stations.every((station) => local.owns(station) || this.#ownerOf(station) !== null);
    while (Date.now() - startedAt < INTRODUCTION_MS) await pause(HEARTBEAT_MS / 5);
    while (!isSettled() && Date.now() - startedAt < INTRODUCTION_MS + MOVE_MS) {
      await this.#place();
      if (!isSettled()) await pause(HEARTBEAT_MS / 5);
    }
    const missing = stations.filter((station) => !local.owns(station) && this.#ownerOf(station) === null);
    if (missing.length > 0) log.warn({ stations: missing }, 'held by a process that cannot be heard; trying on');
  }

  /** Gives everything to the others, so that they need not wait for this instance to be missed. */
  async leave(): Promise<void> {
    this.#leaving = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#placing;
    await this.#give([...this.#options.local.owned]);
    this.#tell();
  }

  /** Every living instance, this one first. */
  overview(): InstanceInfo[] {
    return [this.#self(), ...[...this.#peers.values()].map(({ info }) => info)];
  }

  /** Whether an ask for it is worth waiting: it has an owner, or is about to have one. */
  isExpected(station: StationName): boolean {
    if (!this.#options.network.isConnected()) return false;
    if (this.#ownerOf(station) !== null) return true;
    return Date.now() - (this.#ownerlessSince.get(station) ?? 0) < MOVE_MS;
  }

  #self(): InstanceInfo {
    const { describe, local } = this.#options;
    return { ...describe(), leaving: this.#leaving, stations: [...local.owned] };
  }

  #tell(): void {
    this.#options.network.tellPeers(serialize(this.#self()));
  }

  #beat(): void {
    this.#tell();
    this.#buryTheDead();
    this.#noteOwners();
    void this.#place();
  }

  #hear(info: InstanceInfo): void {
    const isNew = !this.#peers.has(info.id);
    if (info.leaving && info.stations.length === 0) this.#peers.delete(info.id);
    else this.#peers.set(info.id, { info, heardAt: Date.now() });
    if (isNew) this.#tell();
    this.#noteOwners();
    void this.#place();
  }

  #buryTheDead(): void {
    const { log, remote } = this.#options;
    for (const [id, { info, heardAt }] of this.#peers) {
      if (Date.now() - heardAt < SILENCE_MS) continue;
      this.#peers.delete(id);
      log.warn({ instance: id, url: info.url }, 'an instance fell silent');
      for (const station of info.stations) remote.abandon(station);
    }
  }

  #ownerOf(station: StationName): string | null {
    if (this.#options.local.owns(station)) return this.#options.describe().id;
    for (const { info } of this.#peers.values()) if (info.stations.includes(station)) return info.id;
    return null;
  }

  /** Compares with what was known, and tells of stations that changed hands. */
  #noteOwners(): void {
    const moved = new Set<StationName>();
    for (const station of this.#options.stations) {
      const owner = this.#ownerOf(station);
      if (owner === null) {
        if (!this.#ownerlessSince.has(station)) this.#ownerlessSince.set(station, Date.now());
        continue;
      }
      this.#ownerlessSince.delete(station);
      if (this.#owners.get(station) !== owner) moved.add(station);
      this.#owners.set(station, owner);
    }
    if (moved.size > 0) this.#options.onMoved(moved);
  }

  /** One at a time: a second call joins the one under way. */
  #place(): Promise<void> {
    this.#placing ??= this.#carryOut().finally(() => {
      this.#placing = null;
    });
    return this.#placing;
  }

  async #carryOut(): Promise<void> {
    const startedAt = Date.parse(this.#options.describe().startedAt);
    if (this.#leaving || Date.now() - startedAt < INTRODUCTION_MS) return;
    const { take, give } = planPlacement(this.#self().id, this.overview(), this.#options.stations);
    const now = Date.now();
    await this.#take(take.filter((station) => (this.#retryAt.get(station) ?? 0) <= now));
    await this.#give(give);
    if (take.length + give.length > 0) {
      this.#noteOwners();
      this.#tell();
    }
  }

  async #take(stations: readonly StationName[]): Promise<void> {
    const { local, network, log } = this.#options;
    await Promise.all(
      stations.map(async (station) => {
        try {
          await local.open(station);
          this.#services.set(station, serveRemotely(network, station, local));
        } catch (error) {
          // Held by an instance that has not said so yet, or that is frozen: its lock is stronger than our opinion.
          this.#retryAt.set(station, Date.now() + RETRY_LOCK_MS);
          if (!(error instanceof AppError)) log.error({ err: error, station }, 'a station could not be opened');
        }
      }),
    );
  }

  async #give(stations: readonly StationName[]): Promise<void> {
    for (const station of stations) {
      this.#services.get(station)?.stop();
      this.#services.delete(station);
      await this.#options.local.release(station);
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
