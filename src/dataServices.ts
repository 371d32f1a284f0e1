/** Composition root of the data: the threads that own it, the way to stations elsewhere, and the couriers between them. */
import type { Logger } from 'pino';
import { CachedBoards } from './actors/boardCache.js';
import { BoardsClient, ContentClient, Shards } from './actors/boardsClient.js';
import { Cluster, type InstanceInfo } from './actors/cluster.js';
import { ClusterRouter } from './actors/clusterRouter.js';
import { DirectoryClient } from './actors/directoryClient.js';
import { LocalStations } from './actors/localStations.js';
import type { Asking } from './actors/asking.js';
import type { Notice, StationName } from './actors/messages.js';
import { OutboxCourier } from './actors/outboxCourier.js';
import type { PeerNetwork } from './actors/peerNetwork.js';
import { PresenceClient } from './actors/presenceClient.js';
import { ProfileCourier } from './actors/profileCourier.js';
import { RemoteStations } from './actors/remoteStations.js';
import type { ThreadStats } from './actors/stationStats.js';
import { StoreThread, type StoreThreadOptions } from './actors/storeThread.js';
import type { Bus } from './bus/bus.js';
import type { Config } from './config.js';
import type { BoardsPort } from './domain/boardsPort.js';
import type { Uuid } from './domain/ids.js';
import { stationOpener } from './storeThread.js';

export interface DataServices {
  readonly directory: DirectoryClient;
  readonly boards: BoardsPort;
  readonly content: ContentClient;
  readonly presence: PresenceClient;
  /** The instances that are known to live, this one first. */
  instances(): InstanceInfo[];
  /** Of every store thread of this process. */
  stats(): Promise<ThreadStats[]>;
  /** Resolves when a part broke that only a new start can mend. */
  readonly broken: Promise<unknown>;
}

export interface DataServicesOptions {
  readonly config: Config;
  readonly bus: Bus;
  /** Null when this process is alone. */
  readonly network: PeerNetwork | null;
  readonly log: Logger;
  readonly describe: () => Omit<InstanceInfo, 'stations' | 'leaving'>;
  /** Boards that changed hands: what was heard of them may have a gap at its end. */
  readonly onMoved: (isMoved: (boardId: Uuid) => boolean) => void;
  /** Whatever is started adds how to end it. */
  readonly built: Array<() => unknown>;
}

export async function startDataServices(options: DataServicesOptions): Promise<DataServices> {
  const { config, bus, network, log, describe, built } = options;
  let onLost: (error: unknown) => void = () => undefined;
  const broken = new Promise<unknown>((resolve) => {
    onLost = resolve;
  });
  const start = (): StoreThread => {
    const thread = startThread(config, { log, onNotice, onLost });
    built.push(() => thread.close());
    return thread;
  };
  // The directory has a thread of its own: a search through all users must not hold up a board.
  const local = new LocalStations(start(), Array.from({ length: Math.max(1, config.shardThreads) }, start));
  const stations = stationNames(config.shards);
  const remote = network === null ? null : new RemoteStations(network);
  const cluster =
    network === null || remote === null
      ? null
      : new Cluster({
          network,
          local,
          remote,
          stations,
          describe,
          onMoved: (moved) => {
            options.onMoved((boardId) => moved.has(shards.shardOf(boardId)));
            if (local.owns('directory')) profiles.wake();
          },
          log,
        });
  const asking: Asking =
    cluster === null || remote === null
      ? local
      : new ClusterRouter({ local, remote, isExpected: (station) => cluster.isExpected(station) });

  const directory = new DirectoryClient(asking);
  const shards = new Shards(asking, config.shards);
  const memberships = new OutboxCourier({ directory, confirm: (shard, command) => shards.ask(shard, command), log });
  built.push(() => memberships.stop());
  const boards = new BoardsClient(shards, memberships);
  const profiles = new ProfileCourier({ directory, boards, log });
  built.push(() => profiles.stop());

  function onNotice(notice: Notice): void {
    switch (notice.kind) {
      case 'user.changed':
        bus.tellUser(notice.user);
        profiles.wake();
        return;
      case 'board.events':
        return bus.tellBoard(notice.board_id, { kind: 'events', events: notice.events });
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
    // In order, and the directory first: when its lock is held, that is the clearest thing to say.
    await local.open('directory');
    await Promise.all(stations.filter((station) => station !== 'directory').map((station) => local.open(station)));
    profiles.wake();
  } else {
    built.push(() => cluster.leave());
    await cluster.start();
  }
  return {
    directory,
    boards: new CachedBoards(boards),
    content: new ContentClient(shards),
    presence: new PresenceClient(shards, log),
    instances: () => cluster?.overview() ?? [{ ...describe(), leaving: false, stations: [...local.owned] }],
    stats: () => local.stats(),
    broken,
  };
}

function stationNames(shards: number): StationName[] {
  return ['directory', ...Array.from({ length: shards }, (_, shard): StationName => `shard ${shard}`)];
}

function startThread(config: Config, options: StoreThreadOptions): StoreThread {
  return config.shardThreads === 0
    ? StoreThread.inline(stationOpener(config), options)
    : StoreThread.start(new URL('./storeThread.js', import.meta.url), config, options);
}
