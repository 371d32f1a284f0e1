/** Makes a cluster of the data folder of one machine: the logs begin with a snapshot of each of its files. */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, InUse } from '../domain/errors.js';
import { LOG_START } from '../domain/ports/partitionLog.js';
import { createStreams, requireNoStreams, type ClusterPlan } from '../log/clusterStreams.js';
import type { JetStream } from '../log/jetStream.js';
import { SnapshotStream } from '../log/snapshotStream.js';
import type { PartitionName } from '../partitions/messages.js';
import { backUp } from '../store/backup/backup.js';
import type { SecretSeal } from '../store/directory/directoryCommitCodec.js';
import { dataFilesAmong, lockOf } from '../store/folder/dataFolder.js';
import { beginLog } from '../store/snapshot/copyFile.js';
import { acquireLock, type Lock } from '../store/sqlite/lock.js';
import { partitionFile } from './partitionFile.js';
import { storeSnapshot } from './takeSnapshot.js';

export interface InitFromOptions {
  readonly server: JetStream;
  readonly plan: ClusterPlan<PartitionName>;
  readonly seal: SecretSeal;
  readonly folder: string;
  /** The version of this program. */
  readonly program: string;
}

/** The first record is the second: a log that does not begin with record 1 cannot be followed without a snapshot. */
const AFTER = { ...LOG_START, applied: 1 };

/** Returns the id of the cluster. The folder is not changed. */
export async function initFrom({ server, plan, seal, folder, program }: InitFromOptions): Promise<string> {
  await requireNoStreams(server, plan);
  const locks = lockAll(folder);
  const temporary = await mkdtemp(join(tmpdir(), 'switchboard-init-'));
  try {
    const copy = join(temporary, 'data');
    const { shards } = await backUp({ dataDir: folder, target: copy, program });
    if (shards !== plan.partitions.length - 1) {
      throw new AppError('conflict', `${folder} has ${shards} shards: set SHARDS=${shards} instead of ${plan.partitions.length - 1}.`);
    }
    return await createStreams(server, plan, {
      after: AFTER,
      fill: async (partition, log) => {
        const { path, kind } = partitionFile(copy, partition);
        const stream = new SnapshotStream(server, plan.prefix, partition);
        await storeSnapshot(stream, { seal, partition, instance: 'init' }, path, beginLog(path, kind, log));
      },
    });
  } finally {
    await rm(temporary, { recursive: true });
    for (const lock of locks) lock.release();
  }
}

/** Proves that no service runs on the folder. */
function lockAll(folder: string): Lock[] {
  const locks: Lock[] = [];
  for (const { name } of dataFilesAmong(readdirSync(folder))) {
    const lock = acquireLock(lockOf(join(folder, name)));
    if (lock !== 'held') locks.push(lock);
    else {
      for (const each of locks) each.release();
      throw new InUse(`${join(folder, name)} is in use by a service. Stop it first`);
    }
  }
  return locks;
}
