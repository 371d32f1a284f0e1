/** Composition root of the data: the threads that own it, the router to other instances, and the relay. */
import type { Logger } from 'pino';
import { ELECTION_MS } from './partitions/deadline.js';
import { Boards } from './partitions/boards.js';
import { NotServedHere } from './partitions/askPort.js';
import { AnswersClient, ContentClient, EventLogClient, ImportClient, TrashedBoardsClient } from './partitions/clients/boardClients.js';
import { Cluster } from './cluster/cluster.js';
import { diagnose } from './cluster/diagnosis.js';
import { overviewOf } from './cluster/overview.js';
import { verifyCopies } from './cluster/verification.js';
import type { ClusterControl } from './operator/server.js';
import { replicationMetrics } from './partitions/health/replicationMetrics.js';
import { missingReserve, replicationProblems } from './partitions/health/replicationProblems.js';
import type { LogStatus, PartitionOverview, ReserveStatus } from './partitions/health/replicationOverview.js';
import { DirectoryClient, Partitions } from './partitions/partitions.js';
import { withDeadline } from './partitions/deadline.js';
import { Deferred } from './flow/deferred.js';
import type { AnswerRoom } from './partitions/cache/largeAnswers.js';
import { LocalPartitions } from './partitions/thread/localPartitions.js';
import type { CopyState, PartitionName } from './partitions/messages.js';
import { partitionNames, shardNames } from './partitions/partitionNames.js';
import { BoardLists } from './delivery/boardLists.js';
import { NoticeRouter } from './delivery/noticeRouter.js';
import { OutboxRelay } from './delivery/outboxRelay.js';
import { cardMoveDelivery } from './delivery/cardMoveDelivery.js';
import { membershipDelivery } from './delivery/membershipDelivery.js';
import { notificationDelivery } from './delivery/notificationDelivery.js';
import { profileDelivery } from './delivery/profileDelivery.js';
import type { PeerNetwork } from './wire/peerNetwork.js';
import type { InstanceInfo } from './partitions/ownership.js';
import { Webhooks } from './webhooks/webhooks.js';
import { PresenceClient } from './partitions/clients/presenceClient.js';
import { ReadCache } from './partitions/cache/readCache.js';
import { readinessOf, type Readiness } from './partitions/health/readiness.js';
import { RemoteMessages } from './cluster/asking/remoteMessages.js';
import { RemoteServing } from './cluster/asking/remoteServing.js';
import type { RemoteOwner } from './cluster/asking/askBatch.js';
import { RemotePartitions } from './cluster/asking/remotePartitions.js';
import { Replicas } from './cluster/replicas.js';
import { digestSettings } from './cluster/settingDigests.js';
import { UserGrants, type Forgotten } from './cluster/userGrants.js';
import { ContactTime, UserTrust } from './cluster/userTrust.js';
import { snapshotTaker } from './cluster/snapshotDuty.js';
import { machineNow } from './domain/machineClock.js';
import type { Replication } from './replication/prepareReplication.js';
import type { SnapshotKeeper } from './replication/snapshotKeeper.js';
import type { StoreKind, StoreSettings, StoreWork } from './storeThread.js';
import type { ThreadStats } from './partitions/health/partitionStats.js';
import { ThreadClient, type StoreThreadOptions } from './partitions/thread/threadClient.js';
import { WriteTrouble } from './partitions/health/writeTrouble.js';
import type { Bus } from './bus/bus.js';
import { clusterWideSettings, type SettledConfig } from './settings/config.js';
import type { BoardsPort } from './domain/ports/boardsPort.js';
import type { Remembrance } from './domain/ports/remembrance.js';
import type { Metric } from './metrics/prometheus.js';
import { AppError } from './domain/errors.js';
import { IdSource, type Uuid } from './domain/ids.js';
import type { PeerRefusals } from './wire/peerRefusals.js';

/** A grant that comes later is worth little. The next request asks again. */
const GRANT_MS = 1_000;
/** The heartbeats of this long show how fast a clock runs: their delays are a thousandth of it. */
const CLOCK_MS = 4_000;
/** Heartbeats come at this pace. */
const CLOCK_STEP_MS = 250;

export interface DataServices {
  readonly directory: DirectoryClient;
  readonly boards: BoardsPort;
  readonly imports: ImportClient;
  readonly answers: AnswersClient;
  readonly content: ContentClient;
  readonly presence: PresenceClient;
  readonly eventLog: EventLogClient;
  readonly trashedBoards: TrashedBoardsClient;
  readonly webhooks: Webhooks;
  ownsDirectory(): boolean;
  /** The live instances, this one first. */
  instances(): InstanceInfo[];
  /** All partitions, on any instance. */
  readonly partitions: readonly PartitionName[];
  /** For every store thread of this process. */
  stats(): Promise<ThreadStats[]>;
  cacheMetrics(): Metric[];
  /** Null if the data is in this folder alone. */
  readonly replicated: ReplicatedServices | null;
  /** Whether this instance can serve requests. */
  readiness(isDiskFull: boolean): Readiness;
  /** The settings that differ on another instance, by name. */
  differingSettings(): string[];
  /** Called when messages about these boards, or about users, may have been lost: their owner changed or was cut off. */
  onMoved(listener: (moved: Moved) => void): void;
  /** Until when what is remembered about users may be used; null if the directory is in this process alone. */
  readonly remembrance: Remembrance | null;
  /** Called when these users have changed, or users may have changed without notice. */
  onForgotten(listener: (forgotten: Forgotten) => void): void;
  /** Takes a snapshot of the copy on this instance; the last record in it. Rejects if nothing is replicated. */
  takeSnapshot(partition: PartitionName): Promise<number>;
  /** Resolves when a part failed that only a restart can repair. */
  readonly broken: Promise<unknown>;
}

/** What operators see and do of replicated partitions. */
export interface ReplicatedServices extends ClusterControl {
  overview(): PartitionOverview[];
  status(): LogStatus;
  reserve(): ReserveStatus;
  /** What is wrong with copies and logs, as sentences for operators. */
  problems(): readonly string[];
  metrics(stats: readonly ThreadStats[]): Metric[];
}

export interface Moved {
  readonly isBoard: (boardId: Uuid) => boolean;
  readonly users: boolean;
}

export interface PeerConnection {
  readonly network: PeerNetwork;
  readonly refusals: PeerRefusals;
  /** The digest of what access tokens are checked with here, which other instances on the same folder compare with theirs. */
  readonly tokens: string;
}

export interface DataServicesOptions {
  readonly config: SettledConfig;
  /** The id of the data folder. */
  readonly folder: string;
  readonly bus: Bus;
  /** The connection to other instances; null for a single process. */
  readonly peers: PeerConnection | null;
  readonly log: Logger;
  readonly describe: () => Omit<InstanceInfo, 'partitions' | 'leaving'>;
  /** The unread answers of users. */
  readonly room: AnswerRoom;
  /** Null if the data is in this folder alone. */
  readonly replication: Replication | null;
  /** Every part adds its shutdown here. */
  readonly built: Array<() => unknown>;
}

export async function startDataServices(options: DataServicesOptions): Promise<DataServices> {
  const { config, folder, bus, peers, log, describe, built } = options;
  const broken = new Deferred<unknown>();
  const moves: Array<(moved: Moved) => void> = [];
  const forgetting: Array<(forgotten: Forgotten) => void> = [];
  const forget = (forgotten: Forgotten): void => forgetting.forEach((listener) => listener(forgotten));
  const writes = new WriteTrouble(log);
  const cache = new ReadCache(config.boardMemoryBytes);
  const { replication } = options;
  const local = new LocalPartitions(cache.answers, replication?.leases ?? null);
  const partitions = partitionNames(config.shards);
  const replicas =
    replication &&
    new Replicas({
      folder,
      leaseMs: config.readLeaseMs,
      now: machineNow,
      leaseLeftOf: (partition) => replication.leases.leftOf(partition),
    });
  const messages = peers && new RemoteMessages(config.shards);
  const grants = replication && replicas && peers && messages && grantsOf({ instance: describe().id, local, replication, replicas, peers, messages });
  const ownerOf = (partition: PartitionName): RemoteOwner | null => cluster?.ownerElsewhere(partition) ?? null;
  // An owner waits for the log, and that may wait for an election.
  const askMs = replication === null ? undefined : ELECTION_MS;
  const remote = peers && messages && new RemotePartitions(peers.network, messages, peers.refusals, ownerOf, askMs);
  const asking = new Partitions({
    local,
    deliveries: { delivered: (awaited) => relay.delivered(awaited) },
    isReplicated: replication !== null,
    peers: remote && {
      ask: (partition, command) => remote.ask(partition, command),
      locate: (partition) => cluster?.locate(partition) ?? 'moving',
      patienceMs: askMs,
    },
    gate: grants,
  });
  const boards = new Boards({
    partitions: asking,
    shards: config.shards,
    cache,
    local,
    room: options.room,
  });
  const cluster: Cluster | null =
    peers === null || messages === null || remote === null
      ? null
      : new Cluster({
          network: peers.network,
          messages,
          local,
          remote,
          serving: new RemoteServing({
            ...peers,
            messages,
            local: { ask: (partition, command) => boards.serve(partition, command) },
            log,
            onForgotten: (forgotten) => {
              if (forgotten === 'all') trust?.revoke();
              forget(forgotten);
            },
          }),
          partitions,
          describe,
          onMoved: (moved) => {
            const isBoard = (boardId: Uuid): boolean => moved.has(boards.shardOf(boardId));
            for (const listener of moves) listener({ isBoard, users: moved.has('directory') });
            if (moved.has('directory')) trust?.moved(local.owns('directory'));
          },
          log,
          replicas,
          tokens: replication?.tokens ?? peers.tokens,
          settings: digestSettings(clusterWideSettings(config)),
        });
  const directory = new DirectoryClient(asking);
  const trust: UserTrust | null =
    replication &&
    new UserTrust({
      ownLeaseEnd: () => (local.owns('directory') ? replication.leases.endOf('directory') : 0),
      ask: () => withDeadline(directory.ask('users.lease', { instance: describe().id }), GRANT_MS),
      onLapse: () => forget('all'),
      now: machineNow,
    });
  const contact = cluster === null || trust !== null ? null : new ContactTime(() => cluster.locate('directory'));
  if (contact !== null) built.push(() => contact.stop());
  const eventLog = new EventLogClient(boards);
  const content = new ContentClient(boards);
  const mailing = config.smtpUrl === null ? {} : ({ is_mailing: true } as const);
  const relay = new OutboxRelay({
    kinds: {
      membership: membershipDelivery(directory, mailing),
      profile: profileDelivery({ directory, boards, eventLog }),
      notification: notificationDelivery(directory, mailing),
      cardMove: cardMoveDelivery({ boards, content, ids: new IdSource() }),
    },
    confirm: async (source, id) =>
      asking.ask(source, source === 'directory' ? { op: 'outbox.delivered', input: { id } } : { kind: 'outbox.delivered', id }),
    push: async (source, after) =>
      asking.askHere(source, source === 'directory' ? { op: 'outbox.push', input: { after } } : { kind: 'outbox.push', after }),
    log,
  });

  const lists = new BoardLists((message) => bus.publishToFeeds(message));
  built.push(() => lists.stop());

  const webhooks = new Webhooks({
    ask: (shard, command) => asking.ask(shard, command),
    askHere: (shard, command) => asking.askHere(shard, command),
    owns: (shard) => local.owns(shard),
    shardOf: (boardId) => boards.shardOf(boardId),
    shards: shardNames(config.shards),
    findUser: (id) => directory.ask('user.get', { id }),
    secret: config.jwtSecret,
    allowed: config.webhookAllow,
    log,
  });
  local.onLeft((partition) => webhooks.release(partition));
  const notices = new NoticeRouter({ answers: cache.answers, bus, lists, relay, grants, webhooks: webhooks.relay });
  const replicated = replication && cluster && replicas && replicatedServices({ replication, cluster, replicas, local, partitions, describe });
  const onDeposed = (partition: PartitionName): void => local.deposed(partition);
  const onCopy = (copy: CopyState): void => replicas?.note(copy);
  const threadOptions: StoreThreadOptions = { log, onNotice: notices.route, onLost: broken.resolve, writes, onDeposed, onCopy };
  const settings: StoreSettings = { ...config, folder, replicated: replication?.settings ?? null };
  const start = async (kind: StoreKind): Promise<ThreadClient> => {
    const thread = await startThread({ kind, settings }, config, threadOptions);
    built.push(() => thread.close());
    return thread;
  };
  // The directory has its own thread: a search through all users must not delay a board.
  const directoryThread = await start('directory');
  local.start(directoryThread, await Promise.all(Array.from({ length: Math.max(1, config.shardThreads) }, () => start('shards'))));
  // Stopped before the threads.
  built.push(() => relay.stop());
  built.push(() => webhooks.stop());

  if (replication !== null) await Promise.all(partitions.map((partition) => follow(local, partition, log)));
  if (cluster === null) {
    // The directory first: if its lock is held, that is the clearest message.
    await local.open('directory').catch(explainSecondProcess);
    await Promise.all(partitions.filter((partition) => partition !== 'directory').map((partition) => local.open(partition)));
  } else {
    built.push(() => cluster.leave());
    await cluster.start();
  }
  const keeper = replication && cluster && (await keepSnapshots(options, { replication, cluster, local, partitions }));
  return {
    directory,
    boards,
    imports: new ImportClient(boards),
    answers: new AnswersClient(boards),
    trashedBoards: new TrashedBoardsClient(boards),
    content,
    presence: new PresenceClient(boards, log),
    eventLog,
    webhooks,
    ownsDirectory: () => local.owns('directory'),
    instances: () => cluster?.overview() ?? [{ ...describe(), leaving: false, partitions: [...local.owned] }],
    partitions,
    stats: () => local.stats(),
    cacheMetrics: () => cache.metrics(),
    replicated,
    readiness: (isDiskFull) =>
      readinessOf({
        partitions: partitions,
        locate: (partition) => cluster?.locate(partition) ?? (local.owns(partition) ? 'here' : 'out of reach'),
        isConnected: peers?.network.isConnected() ?? true,
        failing: writes.partitions,
        isDiskFull,
        exclusion: cluster?.exclusion() ?? null,
        withoutQuorum: replication?.watch.withoutQuorum(ELECTION_MS) ?? null,
      }),
    differingSettings: () => cluster?.differingSettings() ?? [],
    remembrance: trust ?? contact,
    onMoved: (listener) => moves.push(listener),
    onForgotten: (listener) => forgetting.push(listener),
    takeSnapshot: async (partition) => {
      if (keeper === null) throw new AppError('conflict', 'Without REPLICATION=jetstream there are no snapshots.');
      const copy = replicas?.all.find((each) => each.partition === partition);
      if (copy === undefined || copy.state === 'halted') {
        throw new AppError('unavailable', `The copy of the ${partition} on this instance does not follow its log.`);
      }
      return (await keeper.take(partition)).seq;
    },
    broken: broken.promise,
  };
}

interface GrantParts {
  readonly instance: string;
  readonly local: LocalPartitions;
  readonly replication: Replication;
  readonly replicas: Replicas;
  readonly peers: PeerConnection;
  readonly messages: RemoteMessages;
}

function grantsOf({ instance: own, local, replication, replicas, peers, messages }: GrantParts): UserGrants {
  const grants = new UserGrants({
    instance: own,
    isOwned: () => local.owns('directory'),
    leaseLeft: () => replication.leases.leftOf('directory'),
    formerLeaseEnd: () => replicas.formerLeaseEnd('directory'),
    tell: (instance, forgotten, confirmed) =>
      peers.network.request(instance, messages.encodeForgotten(forgotten), {
        answer: (bytes) => {
          if (messages.isConfirmed(bytes)) confirmed();
        },
        // It is told again: until its grant ends it may use what it remembers.
        notServed: () => undefined,
        lost: () => undefined,
      }),
    now: machineNow,
    after: (milliseconds, work) => void setTimeout(work, milliseconds),
  });
  local.beforeRelease(async (partition) => {
    if (partition === 'directory') await grants.revoke();
  });
  return grants;
}

async function keepSnapshots(
  { config, describe, log, built }: DataServicesOptions,
  { replication, cluster, local, partitions }: Pick<ReplicatedParts, 'replication' | 'cluster' | 'local' | 'partitions'>,
): Promise<SnapshotKeeper> {
  const { SnapshotKeeper } = await import('./replication/snapshotKeeper.js');
  const keeper = new SnapshotKeeper({
    settings: replication.settings,
    partitions,
    storePosition: (partition) => local.storePosition(partition),
    logBytes: config.snapshotLogBytes,
    living: () => cluster.copies().map(({ id }) => id),
    isDuty: (partition) => snapshotTaker(partition, cluster.copies()) === describe().id,
    log,
  });
  built.push(() => keeper.close());
  return keeper;
}

/** A copy that cannot be followed keeps no other from being served. */
async function follow(local: LocalPartitions, partition: PartitionName, log: Logger): Promise<void> {
  try {
    await local.follow(partition);
  } catch (error) {
    if (error instanceof NotServedHere) throw new AppError('unavailable', error.detail);
    // The folder is not one of this cluster: nothing in it must be changed.
    if (error instanceof AppError && error.code === 'conflict') throw error;
    log.error({ err: error, partition }, 'the copy of a partition does not follow its log');
  }
}

interface ReplicatedParts {
  readonly replication: Replication;
  readonly cluster: Cluster;
  readonly replicas: Replicas;
  readonly local: LocalPartitions;
  readonly partitions: readonly PartitionName[];
  readonly describe: () => { readonly id: string };
}

function replicatedServices({ replication, cluster, replicas, local, partitions, describe }: ReplicatedParts): ReplicatedServices {
  const { watch, tokens, machines } = replication;
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const overview = (): PartitionOverview[] => overviewOf(partitions, cluster.copies(), (partition) => watch.healthOf(partition));
  return {
    overview,
    status: () => {
      if (partitions.some((partition) => !watch.healthOf(partition).hasQuorum)) return 'no quorum';
      return replicas.all.some(({ state }) => state === 'halted') ? 'halted' : 'ok';
    },
    reserve: () => {
      const { copies, servers } = missingReserve({ partitions: overview(), replicas: machines });
      return copies + servers === 0 ? 'ok' : 'lost';
    },
    problems: () => replicationProblems({ partitions: overview(), instances: cluster.overview(), replicas: machines }).map(({ text }) => text),
    metrics: (stats) =>
      replicationMetrics(
        stats.flatMap((each) => each.replication ?? []),
        { partitions: overview(), replicas: machines },
        describe().id,
      ),
    verify: () =>
      verifyCopies({
        partitions,
        copies: () => cluster.copies(),
        chains: (partition) => local.chains(partition),
        now: machineNow,
        pause,
      }),
    diagnose: async () => {
      const readings = [cluster.readings()];
      for (const end = machineNow() + CLOCK_MS; machineNow() < end; readings.push(cluster.readings())) await pause(CLOCK_STEP_MS);
      return {
        cluster: replication.cluster,
        instances: diagnose(readings, tokens),
        strangers: cluster.unreadable(),
        differingSettings: cluster.differingSettings(),
      };
    },
    drain: () => cluster.drain(),
    undrain: async () => cluster.undrain(),
  };
}

function explainSecondProcess(error: unknown): never {
  if (!(error instanceof NotServedHere)) throw error;
  throw new AppError('unavailable', `${error.detail}. Several processes can share it when all have the same NATS_URL`);
}

/** With threads, the modules of the store are loaded by them alone. */
async function startThread(work: StoreWork, { shardThreads }: SettledConfig, options: StoreThreadOptions): Promise<ThreadClient> {
  if (shardThreads > 0) return ThreadClient.start(new URL('./storeThread.js', import.meta.url), work, options);
  const { storeSource } = await import('./storeThread.js');
  return ThreadClient.inline(await storeSource(work), options);
}
