/** Takes a snapshot of a copy and removes what it makes unnecessary. Runs in a thread of its own. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { AppError } from '../domain/errors.js';
import type { LogIdentity } from '../domain/ports/partitionLog.js';
import { findLog, requireLog, sealedLogOf } from '../log/clusterStreams.js';
import type { JetStream } from '../log/jetStream.js';
import { JetStreamLog } from '../log/jetStreamLog.js';
import { patiently } from '../log/patience.js';
import { decodeRecord } from '../log/records.js';
import { isSameLog, type SnapshotManifest } from '../log/snapshotManifest.js';
import { SnapshotStream, type Listed } from '../log/snapshotStream.js';
import type { PartitionName } from '../partitions/messages.js';
import type { SecretSeal } from '../store/directory/directoryCommitCodec.js';
import { takenFile } from '../store/folder/snapshotFiles.js';
import { copyDataFile, type FileState } from '../store/snapshot/copyFile.js';
import type { FollowedLog } from '../store/sqlite/logPosition.js';
import { partitionFile } from './partitionFile.js';
import { readContent, storeContent } from './snapshotContent.js';

export interface TakeOptions {
  readonly server: JetStream;
  readonly prefix: string;
  readonly seal: SecretSeal;
  /** CLUSTER_SECRET. */
  readonly secret: string;
  readonly partition: PartitionName;
  readonly dataDir: string;
  /** The incarnation of this instance, and of the others that live. What any other began to store is never finished. */
  readonly instance: string;
  readonly living: readonly string[];
}

/** The newest snapshot, which was there already if nothing has changed since. */
export async function takeSnapshot(options: TakeOptions): Promise<SnapshotManifest> {
  const { server, prefix, partition, dataDir, instance, living } = options;
  const stream = new SnapshotStream(server, prefix, partition);
  // An instance takes one at a time, so an earlier one of its own was given up.
  const isLeft = (id: string): boolean => !living.includes(takerOf(id)) || takerOf(id) === instance;
  const { path, kind } = partitionFile(dataDir, partition);
  const taken = takenFile(path);
  try {
    const state = copyDataFile(path, kind, taken);
    await requireSameHistory(options, state.followed);
    await stream.clean(isLeft);
    const newest = snapshotsOf(await stream.list(), state.followed.identity)[0];
    if (newest !== undefined && newest.seq >= state.followed.position.applied && (await stream.isComplete(newest))) return newest;
    const manifest = await storeSnapshot(stream, options, taken, state);
    await stream.clean(isLeft);
    await purgeLog(options, stream, state.followed.identity);
    return manifest;
  } finally {
    rmSync(taken, { force: true });
  }
}

/** A copy that has gone another way than the log, or further, must not become the beginning of others. */
async function requireSameHistory({ server, secret, prefix, partition }: TakeOptions, { identity, position }: FollowedLog): Promise<void> {
  const log = await patiently(() => findLog(server, prefix, partition));
  if (log === null || !isSameLog(identity, log.identity)) throw new AppError('unavailable', `the copy of the ${partition} follows another log`);
  const stream = sealedLogOf(server, { secret, partition, ...log });
  const { first, last } = await patiently(() => stream.bounds());
  if (first > position.applied + 1) {
    throw new AppError('unavailable', `the log of the ${partition} begins at record ${first}, and this copy ends at ${position.applied}`);
  }
  const next = await patiently(() => stream.read(position.applied + 1));
  if (last < position.applied || (next !== null && decodeRecord(next.body).after !== position.chain)) {
    throw new AppError('unavailable', `the copy of the ${partition} differs from its log`);
  }
}

/** Stores a file as a snapshot. It is visible when all of it was stored and read back. */
export async function storeSnapshot(
  stream: SnapshotStream,
  { seal, partition, instance }: Pick<TakeOptions, 'seal' | 'partition' | 'instance'>,
  file: string,
  { schema, commits, followed }: FileState,
): Promise<SnapshotManifest> {
  const id = `${instance}-${randomBytes(6).toString('hex')}`;
  const place = { stream, seal, partition, id };
  try {
    const { chunks, ...content } = await storeContent(place, file);
    const { applied: seq, chain, term } = followed.position;
    const manifest = { partition, id, ...followed.identity, seq, chain, term, schema, commits, ...content, chunks: [...chunks] };
    await readContent(place, manifest, null);
    await stream.publish(manifest);
    return manifest;
  } catch (error) {
    // Without an answer it stays until the next one is taken.
    await stream.discard(id).catch(() => undefined);
    throw error;
  }
}

/** The readable ones of this log, the newest first. */
export function snapshotsOf(listed: readonly Listed[], log: LogIdentity): SnapshotManifest[] {
  return listed.flatMap((each) => (each.isReadable && isSameLog(each.manifest, log) ? [each.manifest] : []));
}

/** Two snapshots and everything since the older one stay. Its last record stays too, so that a log is never empty. */
async function purgeLog({ server, prefix, partition }: TakeOptions, stream: SnapshotStream, log: LogIdentity): Promise<void> {
  const [newer, older] = snapshotsOf(await stream.list(), log);
  if (newer === undefined || older === undefined) return;
  if (!(await stream.isComplete(newer)) || !(await stream.isComplete(older))) return;
  const { address } = await requireLog(server, prefix, partition);
  await patiently(() => new JetStreamLog(server, address).purge(Math.min(newer.seq, older.seq)));
}

function takerOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}
