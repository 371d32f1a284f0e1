/** Where the data of a partition is. */
import { join } from 'node:path';
import type { PartitionName } from '../partitions/messages.js';
import { shardNumber } from '../partitions/partitionNames.js';
import { DIRECTORY_FILE, shardFile, type FileKind } from '../store/folder/dataFolder.js';

export interface PartitionFile {
  readonly path: string;
  readonly kind: FileKind;
  /** Null for the directory. */
  readonly shard: number | null;
}

export function partitionFile(dataDir: string, partition: PartitionName): PartitionFile {
  if (partition === 'directory') return { path: join(dataDir, DIRECTORY_FILE), kind: 'directory', shard: null };
  const shard = shardNumber(partition);
  return { path: join(dataDir, shardFile(shard)), kind: 'shard', shard };
}
