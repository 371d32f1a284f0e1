/** Composition root of the data: the threads that own it, the way to stations elsewhere, and the couriers. */
import type { Logger } from 'pino';
import { CachedBoards, type ReadingRoom } from './partitions/boardCache.js';
import { NotServedHere, type Asking } from './partitions/askPort.js';
import { BoardsClient, ContentClient, ImportClient, Shards } from './partitions/boardsClient.js';
import { Cluster } from './cluster/cluster.js';
import { ClusterRouter } from './cluster/router.js';
import { DirectoryClient } from './partitions/directoryClient.js';
import { LocalStations } from './partitions/localPartitions.js';
import type { Notice, StationName } from './partitions/messages.js';
import { NewsFirst, type Deliveries } from './partitions/answerAfterDelivery.js';
import { OutboxCourier } from './delivery/outboxCourier.js';
import type { PeerNetwork } from './cluster/peerNetwork.js';
import type { InstanceInfo } from './partitions/ownership.js';
import { PresenceClient } from './partitions/presenceClient.js';
import { ProfileCourier } from './delivery/profileCourier.js';
import { readinessOf, type Readiness } from './partitions/readiness.js';
import { RemoteMessages } from './cluster/remoteMessages.js';
import { RemoteServing } from './cluster/remoteServing.js';
import { RemoteStations } from './cluster/remotePartitions.js';
import type { ThreadStats } from './partitions/partitionStats.js';
import { StoreThread, type StoreThreadOptions } from './partitions/threadClient.js';
import { WriteTrouble } from './partitions/writeTrouble.js';
import type { Bus } from './bus/bus.js';
import type { Config } from './config.js';
import type { BoardsPort } from './domain/ports/boardsPort.js';
import { AppError } from './domain/errors.js';
import type { Uuid } from './domain/ids.js';
import { stationOpener, type StoreSettings } from './threadMain.js';
import type { PeerRefusals } from './wire/peerRefusals.js';
import type { Seal } from './wire/sealing.js';

export interface DataServices {
  readonly directory: DirectoryClient;
  readonly boards: BoardsPort;
  readonly imports: ImportClient;
  readonly content: ContentClient;
  readonly presence: PresenceClient;
  /** The instances that are known to live, this one first. */
  instances(): InstanceInfo[];
  /** All that there are, on whichever instance. */
  readonly stations: readonly StationName[];
  /** Of every store thread of this process. */
  stats(): Promise<ThreadStats[]>;
  /** Whether this instance can do what a request may ask for. */
  readiness(isDiskFull: boolean): Readiness;
  /** Resolves when a part broke that only a new start can mend. */
  readonly broken: Promise<unknown>;
}

export interface Moved {
  readonly isBoard: (boardId: Uuid) => boolean;
  readonly users: boolean;
}

export interface PeerConnection {
  readonly network: PeerNetwork;
  readonly seal: Seal;
  readonly refusals: PeerRefusals;
}

export interface DataServicesOptions {
  readonly config: Config;
  /** The id of the data folder. */
  readonly folder: string;
  readonly bus: Bus;
  /** The way to other instances; null when this process is alone. */
  readonly peers: PeerConnection | null;
  readonly log: Logger;
  readonly describe: () => Omit<InstanceInfo, 'stations' | 'leaving'>;
  /** What was heard of these boards, or of users, may have a gap at its end: its owner changed, or was cut off. */
  readonly onMoved: (moved: Moved) => void;
  /** What users have still to read. */
  readonly room: ReadingRoom;
  /** Whatever is started adds how to end it. */
  readonly built: Array<() => unknown>;
}

export async function startDataServices(options: DataServicesOptions): Promise<DataServices> {
  const { config, folder, bus, peers, log, describe, built } = options;
  let onLost: (error: unknown) => void = () => undefined;
  const broken = new Promise<unknown>((resolve) => {
    onLost = resolve;
  });
  const writes = new WriteTrouble(log);
  const start = (): StoreThread => {
    const thread = startThread({ ...config, folder }, { log, onNotice, onLost, writes });
    built.push(() => thread.close());
    return thread;
  };
  // The directory has a thread of its own: a search through all users must not hold up a board.
  const local = new LocalStations(start(), Array.from({ length: Math.max(1, config.shardThreads) }, start));
  const stations = stationNames(config.shards);
  const deliveries: Deliveries = {
    delivered: (shard, news) => memberships.delivered(shard, news),
    profileTold: (userId) => profiles.told(userId),
  };
  const here = new NewsFirst(local, deliveries);
  const messages = peers && new RemoteMessages(peers.seal, config.shards);
  const remote = peers && messages && new RemoteStations(peers.network, messages, peers.refusals);
  const cluster =
    peers === null || messages === null || remote === null
      ? null
      : new Cluster({
          network: peers.network,
          messages,
          refusals: peers.refusals,
          local,
          remote,
          serving: new RemoteServing({ ...peers, messages, local: here, log }),
          stations,
          describe,
          onMoved: (moved) => {
            const isBoard = (boardId: Uuid): boolean => moved.has(shards.shardOf(boardId));
            options.onMoved({ isBoard, users: moved.has('directory') });
            if (local.owns('directory')) profiles.wake();
          },
          log,
        });
  const asking: Asking =
    cluster === null || remote === null
      ? here
      : new ClusterRouter({ local: here, remote, locate: (station) => cluster.locate(station) });

  const directory = new DirectoryClient(asking);
  const shards = new Shards(asking, config.shards);
  const memberships = new OutboxCourier({ directory, confirm: (shard, command) => shards.ask(shard, command), log });
  built.push(() => memberships.stop());
  const boards = new BoardsClient(shards);
  const profiles = new ProfileCourier({ directory, boards, log });
  built.push(() => profiles.stop());

  function onNotice(notice: Notice): void {
    if ('board_id' in notice && notice.kind !== 'board.presence') local.boardChanged(notice.board_id);
    switch (notice.kind) {
      case 'user.changed':
        bus.tellUser(notice.user);
        profiles.wake();
        return;
      case 'board.events':
        return bus.tellBoard(notice.board_id, { kind: 'events', events: notice.events });
      case 'board.changed':
        return;
      case 'board.left':
        return bus.tellBoard(notice.board_id, { kind: 'left', user_ids: notice.user_ids });
      case 'board.gone':
        return bus.tellBoard(notice.board_id, { kind: 'gone' });
      case 'board.presence': {
        const { board_id, connection_id, message } = notice;
        return bus.tellBoard(board_id, { kind: 'presence', connection_id, message });
      }
      case 'outbox':
        return memberships.take(notice);
    }
  }

  if (cluster === null) {
    // The directory first: when its lock is held, that is the clearest thing to say.
    await local.open('directory').catch(explainSecondProcess);
    await Promise.all(stations.filter((station) => station !== 'directory').map((station) => local.open(station)));
    profiles.wake();
  } else {
    built.push(() => cluster.leave());
    await cluster.start();
  }
  return {
    directory,
    boards: new CachedBoards(boards, { room: options.room }),
    imports: new ImportClient(shards),
    content: new ContentClient(shards),
    presence: new PresenceClient(shards, log),
    instances: () => cluster?.overview() ?? [{ ...describe(), leaving: false, stations: [...local.owned] }],
    stations,
    stats: () => local.stats(),
    readiness: (isDiskFull) =>
      readinessOf({
        partitions: stations,
        locate: (station) => cluster?.locate(station) ?? (local.owns(station) ? 'here' : 'out of reach'),
        isConnected: peers?.network.isConnected() ?? true,
        failing: writes.partitions,
        isDiskFull,
      }),
    broken,
  };
}

function explainSecondProcess(error: unknown): never {
  if (!(error instanceof NotServedHere)) throw error;
  throw new AppError('unavailable', `${error.detail}. Several processes can share it when all have the same NATS_URL`);
}

function stationNames(shards: number): StationName[] {
  return ['directory', ...Array.from({ length: shards }, (_, shard): StationName => `shard ${shard}`)];
}

function startThread(settings: StoreSettings, options: StoreThreadOptions): StoreThread {
  return settings.shardThreads === 0
    ? StoreThread.inline(stationOpener(settings), options)
    : StoreThread.start(new URL('./threadMain.js', import.meta.url), settings, options);
}
