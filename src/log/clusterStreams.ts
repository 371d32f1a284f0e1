/** The streams of a cluster. Only its initialisation creates them: a missing one is a loss, not something to replace. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../domain/errors.js';
import { LOG_START, type LogIdentity, type LogPosition } from '../domain/ports/partitionLog.js';
import { appendExactly } from './exactAppend.js';
import { CHANGE_MS, JetStreamRefusal, type JetStream, NO_STREAM } from './jetStream.js';
import { addressOf, boundsOf, JetStreamLog, streamInfo, type LogAddress, type StreamInfo } from './jetStreamLog.js';
import { logNames, streamName } from './logNames.js';
import { patiently } from './patience.js';
import { encodeRecord, nextChain } from './records.js';
import { SealedLog } from './sealedLog.js';
import { removeStream } from './removeStream.js';
import { SnapshotStream } from './snapshotStream.js';

const GIBIBYTE = 1024 ** 3;
/** Snapshots keep a log far below this. A full log refuses writes; it never drops old ones. */
export const MAX_LOG_BYTES = 8 * GIBIBYTE;

export interface ClusterPlan<Partition extends string = string> {
  readonly prefix: string;
  readonly partitions: readonly Partition[];
  readonly replicas: number;
  /** CLUSTER_SECRET, with which the records are sealed. */
  readonly secret: string;
}

export interface LogPlan {
  readonly prefix: string;
  readonly partition: string;
  readonly replicas: number;
  readonly secret: string;
  readonly cluster: string;
  /** Of the cluster. */
  readonly shards: number;
  readonly generation: number;
  /** What the first record follows. A log that does not begin with record 1 can only be followed from a snapshot. */
  readonly after: Pick<LogPosition, 'applied' | 'chain' | 'term'>;
}

export interface CreatedLog {
  readonly identity: LogIdentity;
  /** After the first record. */
  readonly position: LogPosition;
}

/** Data with which a cluster begins. */
export interface Beginning<Partition extends string> {
  /** What the first record of each log follows. */
  readonly after: LogPlan['after'];
  /** Called when the log of a partition exists. */
  readonly fill: (partition: Partition, log: CreatedLog) => Promise<void>;
}

const WITHOUT_DATA: Beginning<string> = { after: LOG_START, fill: () => Promise.resolve() };

/** Creates all streams of a cluster, or none, and returns its id. Throws if one of them exists. */
export async function createStreams<Partition extends string>(
  server: JetStream,
  plan: ClusterPlan<Partition>,
  { after, fill }: Beginning<Partition> = WITHOUT_DATA,
): Promise<string> {
  await requireNoStreams(server, plan);
  const { prefix, partitions, replicas, secret } = plan;
  const cluster = randomUUID();
  const shards = partitions.length - 1;
  const undo: Array<() => Promise<void>> = [];
  try {
    await SnapshotStream.create(server, prefix, replicas);
    undo.push(() => SnapshotStream.remove(server, prefix));
    for (const partition of partitions) {
      const log = await createLog(server, { prefix, partition, replicas, secret, cluster, shards, generation: 1, after });
      undo.push(() => removeLog(server, prefix, partition));
      await fill(partition, log);
    }
    return cluster;
  } catch (error) {
    for (const remove of undo) await remove();
    throw error;
  }
}

export async function requireNoStreams(server: JetStream, { prefix, partitions }: Pick<ClusterPlan, 'prefix' | 'partitions'>): Promise<void> {
  for (const partition of partitions) {
    const found = await patiently(() => findLog(server, prefix, partition));
    if (found !== null) throw existsAlready(prefix, `the log of the ${partition}`);
  }
  if (await SnapshotStream.exists(server, prefix)) throw existsAlready(prefix, 'its snapshots');
}

function existsAlready(prefix: string, what: string): AppError {
  return new AppError(
    'conflict',
    `The cluster ${prefix} exists already: NATS has ${what}, so nothing was changed; for another cluster set another NATS_PREFIX.`,
  );
}

export async function createLog(server: JetStream, plan: LogPlan): Promise<CreatedLog> {
  const { prefix, partition, replicas, secret, cluster, shards, generation, after } = plan;
  const names = logNames(prefix, partition, generation);
  const { applied, chain, term } = after;
  const config = {
    name: names.stream,
    subjects: [names.subject],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_bytes: MAX_LOG_BYTES,
    max_msgs: -1,
    max_age: 0,
    num_replicas: replicas,
    deny_delete: true,
    allow_direct: false,
    republish: { src: names.subject, dest: names.repeated },
    metadata: { cluster, shards: String(shards), generation: String(generation), base: String(applied) },
  };
  // A repetition finds the same stream: servers accept that.
  const { created } = await patiently(() => server.call<{ created: string }>(`STREAM.CREATE.${names.stream}`, config, CHANGE_MS));
  // The first record has no owner: a log is never empty, so every later one can name its predecessor.
  const first = encodeRecord({ by: '', term, after: chain, kind: { type: 'release' }, content: new Uint8Array() });
  const address = { ...names, base: applied };
  const stream = sealedLogOf(server, { secret, partition, address, identity: { cluster, created, generation } });
  const appended = await appendExactly({ stream, now: () => performance.now(), pause }, first, applied);
  if (appended !== 'stored') throw new Error(`the stream ${names.stream} could not be begun: its first record is ${appended}`);
  const position = { applied: applied + 1, chain: nextChain(chain, first), term, owner: null };
  return { identity: { cluster, created, generation }, position };
}

export interface SealedLogPlace {
  readonly secret: string;
  readonly partition: string;
  readonly address: LogAddress;
  readonly identity: LogIdentity;
  readonly onRefused?: (reason: string) => void;
}

export function sealedLogOf(server: JetStream, { address, identity, ...place }: SealedLogPlace): SealedLog {
  const { cluster, generation } = identity;
  return new SealedLog({ ...place, cluster, generation, base: address.base, stream: new JetStreamLog(server, address) });
}

export async function removeLog(server: JetStream, prefix: string, partition: string): Promise<void> {
  await removeStream(server, streamName(prefix, partition));
}

/** A log as its stream describes it. */
export interface FoundLog {
  readonly identity: LogIdentity;
  /** Of the cluster; null if an earlier program made the log. */
  readonly shards: number | null;
  readonly address: LogAddress;
  readonly info: StreamInfo;
}

/** Null if there is no such stream. */
export async function findLog(server: JetStream, prefix: string, partition: string): Promise<FoundLog | null> {
  try {
    const info = await streamInfo(server, streamName(prefix, partition));
    const { created, config } = info;
    const { cluster = '', generation = '1', shards = null } = config.metadata ?? {};
    const identity = { cluster, created, generation: Number(generation) };
    return { identity, shards: shards === null ? null : Number(shards), address: addressOf(config), info };
  } catch (error) {
    if (error instanceof JetStreamRefusal && error.code === NO_STREAM) return null;
    throw error;
  }
}

/** The number of shards that the cluster was made with; null if there is no cluster, or an earlier program made it. */
export async function findShards(server: JetStream, prefix: string): Promise<number | null> {
  return (await patiently(() => findLog(server, prefix, 'directory')))?.shards ?? null;
}

/** Rejects if a cluster of an earlier program has more shards than these: boards would be looked for, and created, in the wrong ones. */
export async function requireAllShards(server: JetStream, prefix: string, shards: number): Promise<void> {
  const further = await patiently(() => findLog(server, prefix, `shard ${shards}`));
  if (further !== null) throw new AppError('conflict', `SHARDS is ${shards}, and the cluster has more shards. Set what it was made with.`);
}

/** Rejects if there is no such stream. */
export async function requireLog(server: JetStream, prefix: string, partition: string): Promise<FoundLog> {
  const found = await patiently(() => findLog(server, prefix, partition));
  if (found === null) throw new AppError('unavailable', `NATS has no log of the ${partition}`);
  return found;
}

/**
 * Makes the log of an earlier program, whose stream has `first_seq`, survive a restart of its nats-servers. Messages keep
 * their numbers. Returns whether that was necessary.
 */
export async function removeFirstSequence(server: JetStream, { address, info }: FoundLog): Promise<boolean> {
  const { first_seq: configured = 0, ...config } = info.config;
  if (configured === 0 || info.state.first_seq > configured) return false;
  if (info.cluster !== undefined) {
    await patiently(() => server.call(`STREAM.UPDATE.${config.name}`, config, CHANGE_MS));
    return true;
  }
  // A single server of 2.10 changes the time of creation with an update, which is part of the log's identity. It spares a
  // stream whose first message is gone; the snapshot with which such a log begins contains that message.
  const { first, last } = boundsOf(info);
  if (last > first) await patiently(() => new JetStreamLog(server, address).purge(first + 1));
  return true;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
