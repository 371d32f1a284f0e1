/** The streams of a cluster. Only its initialisation creates them: a missing one is a loss, not something to replace. */
import { randomUUID } from 'node:crypto';
import { CHANGE_MS, JetStreamRefusal, type JetStream } from './jetStream.js';
import { JetStreamLog } from './jetStreamLog.js';
import { logNames } from './logNames.js';
import { appendExactly } from './exactAppend.js';
import { encodeRecord } from './records.js';
import { LOG_START } from '../domain/ports/partitionLog.js';

const GIBIBYTE = 1024 ** 3;
/** Snapshots keep a log far below this. A full log refuses writes; it never drops old ones. */
const MAX_LOG_BYTES = GIBIBYTE;

export interface StreamIdentity {
  /** Of the cluster, random. */
  readonly cluster: string;
  /** When the stream was made: a stream of the same name that was made anew is another log. */
  readonly created: string;
}

export interface ClusterPlan {
  readonly prefix: string;
  readonly partitions: readonly string[];
  readonly replicas: number;
}

/** Creates all logs and returns the id of the cluster. Throws if one of them exists. */
export async function createStreams(server: JetStream, { prefix, partitions, replicas }: ClusterPlan): Promise<string> {
  for (const partition of partitions) {
    const { stream } = logNames(prefix, partition);
    if ((await identityOf(server, prefix, partition)) !== null) throw new Error(`the stream ${stream} exists already`);
  }
  const cluster = randomUUID();
  for (const partition of partitions) {
    const names = logNames(prefix, partition);
    await server.call(`STREAM.CREATE.${names.stream}`, {
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
      metadata: { cluster },
    }, CHANGE_MS);
    // The first record is nobody's: a log is never empty, so every later one can name its predecessor.
    const first = encodeRecord({ by: '', term: 0, after: LOG_START.chain, kind: { type: 'release' }, content: new Uint8Array() });
    const stream = new JetStreamLog(server, names);
    const appended = await appendExactly({ stream, now: () => performance.now(), pause }, first, 0);
    if (appended !== 'stored') throw new Error(`the stream ${names.stream} could not be begun: ${appended}`);
  }
  return cluster;
}

/** Null if there is no such stream. */
export async function identityOf(server: JetStream, prefix: string, partition: string): Promise<StreamIdentity | null> {
  try {
    const { created, config } = await new JetStreamLog(server, logNames(prefix, partition)).info();
    return { cluster: config.metadata?.['cluster'] ?? '', created };
  } catch (error) {
    if (error instanceof JetStreamRefusal && error.isNoStream) return null;
    throw error;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
