/** A shard's file that follows a replicated log. */
import { join } from 'node:path';
import type { LogIdentity } from '../../domain/ports/partitionLog.js';
import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import { shardFile } from '../folder/dataFolder.js';
import { PartitionCopy } from '../transactions/partitionCopy.js';
import { decodeCommit, encodeCommit } from './commitCodec.js';
import { claimPlace } from './openShard.js';
import { Shard } from './shard.js';

export interface ShardCopyOptions {
  readonly dataDir: string;
  readonly shard: number;
  readonly shards: number;
  /** The id of the folder, which the file must carry. */
  readonly folder: string;
  readonly identity: LogIdentity;
  readonly onError: (error: unknown) => void;
}

export type ShardCopy = PartitionCopy<ShardWrite, Shard>;

export function openShardCopy({ dataDir, shard, shards, folder, identity, onError }: ShardCopyOptions): ShardCopy {
  return PartitionCopy.open<ShardWrite, Shard>({
    file: join(dataDir, shardFile(shard)),
    kind: 'shard',
    name: `shard ${shard} of the data folder ${dataDir}`,
    folder,
    identity,
    codec: { encode: encodeCommit, decode: decodeCommit },
    claim: (db) => claimPlace(db, shard, shards),
    openStore: (db, lock, transactions) => new Shard(db, lock, { onError, isLent: true, transactions }),
  });
}
