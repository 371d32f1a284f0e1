/** The logs in NATS: none is missing, all belong to this cluster, and each is on enough servers. */
import { EXAMINE_MS, JetStreamRefusal, type JetStream } from '../../log/jetStream.js';
import { streamInfo, type StreamInfo } from '../../log/jetStreamLog.js';
import { healthOf } from '../../log/logHealth.js';
import { streamName } from '../../log/logNames.js';
import { NO_STREAM } from '../../log/refusalCodes.js';
import type { PartitionName } from '../../partitions/messages.js';
import type { FollowedFile } from '../../store/folder/followedFiles.js';
import { notProven, ok, problem, verdictOn, type Finding } from './finding.js';

/** Of the size that a log may have. A full log refuses changes. */
const FULL_SHARE = 0.8;

/** `missing`: there is no such stream. `silent`: its leader does not answer. */
export type FoundLog = StreamInfo | 'missing' | 'silent';

export type FoundLogs = ReadonlyMap<PartitionName, FoundLog>;

export async function findLogs(server: JetStream, prefix: string, partitions: readonly PartitionName[]): Promise<FoundLogs> {
  const entries = partitions.map(async (partition): Promise<[PartitionName, FoundLog]> => {
    const asked = streamInfo(server, streamName(prefix, partition), EXAMINE_MS);
    return [partition, await asked.catch((error: unknown) => (error instanceof JetStreamRefusal && error.code === NO_STREAM ? 'missing' : 'silent'))];
  });
  return new Map(await Promise.all(entries));
}

/** `files`: what the data folder of this machine follows. */
export function checkLogs(found: FoundLogs, replicas: number, files: readonly FollowedFile[]): Finding[] {
  const among = (test: (log: FoundLog) => boolean): PartitionName[] => [...found].filter(([, log]) => test(log)).map(([name]) => name);
  const infos = [...found.values()].filter((log): log is StreamInfo => typeof log === 'object');
  const isFaulty = (test: (info: StreamInfo) => boolean) => among((log) => typeof log === 'object' && test(log));
  return [
    verdictOn(
      'logs',
      among((log) => log === 'missing'),
      'NATS has no log. Before the first start run `switchboard cluster init`; later the log is lost, see `switchboard cluster reseed`',
      `all ${found.size} exist`,
    ),
    verdictOn(
      'quorum',
      [...among((log) => log === 'silent'), ...isFaulty((info) => !healthOf(info).hasQuorum)],
      'the log has no leader with a majority of its servers. Start the missing NATS servers, or mend the network',
      'each log has a leader and a majority of its servers',
    ),
    verdictOn(
      'replicas',
      isFaulty(({ config }) => config.num_replicas !== replicas),
      `not on ${replicas} servers as LOG_REPLICAS says. Correct the setting, or the stream with \`nats stream edit --replicas\``,
      `each log is on ${replicas}`,
    ),
    verdictOn(
      'current',
      isFaulty((info) => healthOf(info).servers.some(({ isCurrent }) => !isCurrent)),
      `a server lacks records: ${laggards(infos).join(', ')}. Start it, or wait until it has caught up`,
      'every server has all records',
    ),
    clusterOf(infos, files),
    verdictOn(
      'size of logs',
      isFaulty(({ config, state }) => config.max_bytes > 0 && state.bytes > config.max_bytes * FULL_SHARE),
      'nearly full, and a full log refuses changes. Snapshots must have failed: look at the service\'s log',
      `the largest has ${megabytes(Math.max(0, ...infos.map(({ state }) => state.bytes)))}`,
    ),
  ];
}

function laggards(infos: readonly StreamInfo[]): string[] {
  const late = infos.flatMap((info) => healthOf(info).servers.filter(({ isCurrent }) => !isCurrent));
  return [...new Set(late.map(({ name }) => name))].sort();
}

/** One cluster in NATS, and the files of this machine follow its logs. */
function clusterOf(infos: readonly StreamInfo[], files: readonly FollowedFile[]): Finding {
  const ids = new Set(infos.map(({ config }) => config.metadata?.['cluster'] ?? 'none'));
  const [id] = ids;
  if (id === undefined) return notProven('cluster', 'no log was found');
  if (ids.size > 1) return problem('cluster', `the logs belong to different clusters: ${[...ids].join(', ')}. Choose another NATS_PREFIX for one of them`);
  const strangers = files.filter(({ cluster }) => cluster !== id);
  if (strangers.length > 0) {
    const names = strangers.map(({ name, cluster }) => `${name} is ${cluster === null ? 'no copy' : `a copy in ${cluster}`}`);
    return problem('cluster', `NATS has the cluster ${id}, and ${names.join(', ')}. Correct NATS_PREFIX or DATA_DIR, or start with an empty folder`);
  }
  const created = new Set(infos.map((info) => info.created));
  const outdated = files.filter((file) => file.created !== null && !created.has(file.created));
  if (outdated.length > 0) {
    return problem('cluster', `${outdated.map(({ name }) => name).join(', ')} follows a log that was lost and made anew. See \`switchboard cluster reseed\``);
  }
  return ok('cluster', `${id}${files.length === 0 ? ', and this folder has no copies yet' : ''}`);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
