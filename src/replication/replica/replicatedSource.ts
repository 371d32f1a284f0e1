/** The partitions of a store thread over its own connection to the log. */
import { NotStored } from '../../domain/errors.js';
import { machineNow } from '../../domain/machineClock.js';
import type { PartitionName } from '../../partitions/messages.js';
import { Leases } from '../../partitions/leases.js';
import { LogStats } from '../../partitions/health/partitionStats.js';
import type { PartitionSource } from '../../partitions/thread/threadServer.js';
import { sealedLogOf } from '../../log/clusterStreams.js';
import { JetStream } from '../../log/jetStream.js';
import type { LogIdentity } from '../../domain/ports/partitionLog.js';
import { installFetched } from '../../store/snapshot/installFile.js';
import { SnapshotStream } from '../../log/snapshotStream.js';
import { partitionFile } from '../partitionFile.js';
import type { Copy, ReplicaOptions, Snapshots } from './replica.js';
import { withoutRepetition } from '../repeatedErrors.js';
import { ReplicatedPartitions } from './replicatedPartitions.js';
import type { ReplicationSettings } from '../replicationSettings.js';
import { SnapshotWorker } from '../snapshotWork.js';

export interface ReplicatedSourceOptions<Kind extends Copy> {
  readonly settings: ReplicationSettings;
  /** The id of the data folder. */
  readonly folder: string;
  readonly openCopy: (name: PartitionName, identity: LogIdentity, onError: (error: unknown) => void) => Kind;
  readonly openPartition: ReplicaOptions<Kind>['openPartition'];
}

export function replicatedSource<Kind extends Copy>(options: ReplicatedSourceOptions<Kind>): PartitionSource {
  const { settings, folder, openPartition } = options;
  let reportTo: (error: unknown) => void = () => undefined;
  const report = withoutRepetition((error) => reportTo(error), machineNow);
  const server = new JetStream({
    urls: settings.urls,
    name: `switchboard log ${settings.instance}`,
    onError: report,
  });
  const worker = new SnapshotWorker();
  const stats = new LogStats();
  const partitions = new ReplicatedPartitions<Kind>({
    instance: settings.instance,
    folder,
    leaseMs: settings.leaseMs,
    leases: new Leases(settings.leases),
    streamOf: (name) =>
      sealedLogOf(server, {
        secret: settings.secret,
        partition: name,
        ...logOf(settings, name),
        onRefused: (reason) => report(new Error(`the log of the ${name}: ${reason}`)),
      }),
    snapshots: snapshotsOf(options, server, worker),
    openCopy: (name, onError) => options.openCopy(name, logOf(settings, name).identity, onError),
    openPartition,
    count: (event) => stats.count(event),
    onAppended: (milliseconds) => stats.appended(milliseconds / 1_000),
  });
  server.onConnect(() => partitions.noteReconnection());
  return {
    open: (name) => {
      throw new Error(`the ${name} is replicated, and must be claimed`);
    },
    follow: async (name, onCopy, onError) => {
      reportTo = onError;
      await server.connected();
      const quiet = withoutRepetition(onError, machineNow);
      // Failed writes are counted until they work again.
      await partitions.follow(name, onCopy, (error) => (error instanceof NotStored ? onError(error) : quiet(error)));
    },
    noteRecords: (name, applied) => partitions.noteRecords(name, applied),
    chains: (name) => partitions.chains(name),
    storePosition: (name) => partitions.storePosition(name),
    replicationStats: () => stats.data,
    claim: (name, host, claim) => partitions.claim(name, host, claim),
    close: async () => {
      await worker.close();
      await partitions.close();
      await server.close();
    },
  };
}

function snapshotsOf<Kind extends Copy>({ settings, folder }: ReplicatedSourceOptions<Kind>, server: JetStream, worker: SnapshotWorker): Snapshots {
  const { urls, secret, prefix, dataDir, shards } = settings;
  return {
    exist: async (name) => (await new SnapshotStream(server, prefix, name).list()).length > 0,
    fetch: async (name) => {
      const { identity } = logOf(settings, name);
      await worker.run({ kind: 'fetch', urls, secret, prefix, partition: name, dataDir, shards, folder, identity });
    },
    install: (name, superseded) => installFetched(partitionFile(dataDir, name).path, superseded),
  };
}

type FollowedLogs = ReplicationSettings['logs'];

function logOf({ logs }: ReplicationSettings, name: PartitionName): NonNullable<ReturnType<FollowedLogs['get']>> {
  const log = logs.get(name);
  if (log === undefined) throw new Error(`the ${name} has no log`);
  return log;
}
