/** Replaces the lost or broken log of a partition by a new generation of it, which begins with a copy. */
import { rmSync } from 'node:fs';
import { AppError, InUse } from '../domain/errors.js';
import { createLog, findLog, removeLog, type FoundLog } from '../log/clusterStreams.js';
import type { JetStream } from '../log/jetStream.js';
import { boundsOf } from '../log/jetStreamLog.js';
import { patiently } from '../log/patience.js';
import { SnapshotStream } from '../log/snapshotStream.js';
import type { PartitionName } from '../partitions/messages.js';
import type { SecretSeal } from '../store/directory/directoryCommitCodec.js';
import { lockOf } from '../store/folder/dataFolder.js';
import { takenFile } from '../store/folder/snapshotFiles.js';
import { beginGeneration, copyDataFile } from '../store/snapshot/copyFile.js';
import { acquireLock } from '../store/sqlite/lock.js';
import type { FollowedLog } from '../store/sqlite/logPosition.js';
import { partitionFile } from './partitionFile.js';
import { storeSnapshot } from './takeSnapshot.js';

export interface ReseedOptions {
  readonly server: JetStream;
  readonly prefix: string;
  readonly replicas: number;
  /** Of the cluster. */
  readonly shards: number;
  readonly seal: SecretSeal;
  /** CLUSTER_SECRET. */
  readonly secret: string;
  readonly partition: PartitionName;
  /** The data folder with the best copy. */
  readonly dataDir: string;
  /** Also replaces a log that looks sound. */
  readonly isForced: boolean;
}

export interface Reseeded {
  readonly generation: number;
  /** The last record of the lost log that the copy had. */
  readonly applied: number;
}

/** The places of the new log come after all that instances may know of the old one, so that no copy of that seems to be ahead. */
const RECORD_GAP = 1_000_000;

export async function reseed(options: ReseedOptions): Promise<Reseeded> {
  const { server, prefix, replicas, shards, secret, partition, dataDir, isForced } = options;
  const { path, kind } = partitionFile(dataDir, partition);
  const lock = acquireLock(lockOf(path));
  if (lock === 'held') throw new InUse(`${path} is in use by a service. Stop it first`);
  const taken = takenFile(path);
  try {
    const { followed } = copyDataFile(path, kind, taken);
    const existing = await patiently(() => findLog(server, prefix, partition));
    const objection = existing === null ? null : findObjection(followed, existing);
    if (objection !== null && !isForced) throw new AppError('conflict', `${objection} Nothing was changed.`);
    if (existing !== null) await removeLog(server, prefix, partition);
    if (!(await SnapshotStream.exists(server, prefix))) await SnapshotStream.create(server, prefix, replicas);
    const { identity, position } = followed;
    const generation = Math.max(identity.generation, existing?.identity.generation ?? 0) + 1;
    const after = { ...position, applied: position.applied + RECORD_GAP };
    const log = await createLog(server, { prefix, partition, replicas, secret, cluster: identity.cluster, shards, generation, after });
    const stream = new SnapshotStream(server, prefix, partition);
    await storeSnapshot(stream, { ...options, instance: 'reseed' }, taken, beginGeneration(taken, kind, log));
    return { generation, applied: position.applied };
  } finally {
    rmSync(taken, { force: true });
    lock.release();
  }
}

/** Why the log should not be replaced; null if it has lost records of this copy. */
function findObjection({ identity, position }: FollowedLog, { identity: existing, info }: FoundLog): string | null {
  if (existing.cluster !== identity.cluster) {
    return `The log in NATS is of the cluster ${existing.cluster}, and this copy of ${identity.cluster}.`;
  }
  if (existing.generation > identity.generation) {
    return (
      `The log was already replaced: it is of generation ${existing.generation}, and this copy of ${identity.generation}. ` +
      'Start the instance, and it takes over the new one. If that finds no snapshot, use --force.'
    );
  }
  if (existing.created !== identity.created) return null;
  if (boundsOf(info).last < position.applied) return null;
  return `The log is there and has all ${position.applied} records of this copy. If it is broken all the same, use --force.`;
}
