/** Fetches the newest snapshot that verifies, as a file beside the data file of a copy. Runs in a thread of its own. */
import { rmSync } from 'node:fs';
import { AppError } from '../domain/errors.js';
import type { LogIdentity } from '../domain/ports/partitionLog.js';
import type { JetStream } from '../log/jetStream.js';
import { requireLog } from '../log/clusterStreams.js';
import { boundsOf } from '../log/jetStreamLog.js';
import { isSameLog, positionIn, type SnapshotManifest } from '../log/snapshotManifest.js';
import { SnapshotStream, type Listed } from '../log/snapshotStream.js';
import type { PartitionName } from '../partitions/messages.js';
import type { SecretSeal } from '../store/directory/directoryCommitCodec.js';
import { createPrivately } from '../store/folder/privateFile.js';
import { fetchedFile } from '../store/folder/snapshotFiles.js';
import { adoptFetched } from '../store/snapshot/installFile.js';
import { partitionFile } from './partitionFile.js';
import { readContent } from './snapshotContent.js';

export interface FetchOptions {
  readonly server: JetStream;
  readonly prefix: string;
  readonly seal: SecretSeal;
  readonly partition: PartitionName;
  readonly dataDir: string;
  readonly shards: number;
  /** The id of the data folder. */
  readonly folder: string;
  /** Of the log that will be followed. */
  readonly identity: LogIdentity;
}

/** Rejects with the reason for each snapshot that cannot be used. */
export async function fetchSnapshot(options: FetchOptions): Promise<SnapshotManifest> {
  const { server, prefix, partition, dataDir } = options;
  const stream = new SnapshotStream(server, prefix, partition);
  const { first } = boundsOf((await requireLog(server, prefix, partition)).info);
  const fetched = fetchedFile(partitionFile(dataDir, partition).path);
  const reasons: string[] = [];
  for (const listed of await stream.list()) {
    try {
      const manifest = requireUsable(listed, options.identity, first);
      rmSync(fetched, { force: true });
      createPrivately(fetched);
      await fetchOne(options, stream, manifest);
      return manifest;
    } catch (error) {
      rmSync(fetched, { force: true });
      const name = listed.isReadable ? `that of record ${listed.manifest.seq}` : 'one';
      reasons.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const why = reasons.length === 0 ? 'NATS has none' : reasons.join('; ');
  throw new AppError('unavailable', `no snapshot of the ${partition} can be used: ${why}`);
}

async function fetchOne(options: FetchOptions, stream: SnapshotStream, manifest: SnapshotManifest): Promise<void> {
  const { seal, partition, dataDir, shards, folder, identity } = options;
  const { path, kind, shard } = partitionFile(dataDir, partition);
  await readContent({ stream, seal, partition, id: manifest.id }, manifest, fetchedFile(path));
  const place = shard === null ? null : { shard, shards };
  adoptFetched(path, folder, { kind, place, identity, ...positionIn(manifest), commits: manifest.commits });
}

function requireUsable(listed: Listed, identity: LogIdentity, first: number): SnapshotManifest {
  if (!listed.isReadable) throw new Error(`its description cannot be read: ${listed.reason}`);
  const { manifest } = listed;
  if (!isSameLog(manifest, identity)) throw new Error('it is of another log; if that was replaced, restart the instance');
  if (manifest.seq + 1 < first) throw new Error(`the log begins later, at record ${first}`);
  return manifest;
}
