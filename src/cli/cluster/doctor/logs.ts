/** The logs in NATS: none is missing, all belong to this cluster, and each is on enough servers. */
import { basename } from 'node:path';
import { EXAMINE_MS, JetStreamRefusal, type JetStream, NO_STREAM } from '../../../log/jetStream.js';
import { boundsOf, streamInfo, type StreamInfo } from '../../../log/jetStreamLog.js';
import { healthOf } from '../../../log/logHealth.js';
import { streamName } from '../../../log/logNames.js';
import { ELECTION_MS } from '../../../partitions/deadline.js';
import type { PartitionName } from '../../../partitions/messages.js';
import { namesOf } from '../../../partitions/partitionNames.js';
import { partitionFile } from '../../../replication/partitionFile.js';
import type { FollowedFile } from '../../../store/folder/followedFiles.js';
import { notProven, ok, problem, verdictOn, type Finding } from './finding.js';

/** Of the size that a log may have. A full log refuses changes. */
const FULL_SHARE = 0.8;
const LOOK_MS = 1_000;

/** `missing`: there is no such stream. `silent`: its leader does not answer. */
export type FoundLog = StreamInfo | 'missing' | 'silent';

export type FoundLogs = ReadonlyMap<PartitionName, FoundLog>;

export interface LogsView {
  readonly found: FoundLogs;
  /** Logs that had no leader at first, and have one now. */
  readonly elected: readonly PartitionName[];
}

/** The copy of a partition with the most records. */
export interface BestCopy {
  readonly applied: number;
  /** The machine that has it. */
  readonly host: string;
}

export interface LogsContext {
  readonly replicas: number;
  /** What the data folder of this machine follows. */
  readonly files: readonly FollowedFile[];
}

export interface Patience {
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

const REAL_TIME: Patience = {
  now: () => performance.now(),
  pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * Looks again while a log has no leader: it may be an election. The same while it seems to lack what a copy has: a server
 * that does not lead any more may have answered. `copies`: read before.
 */
export async function findLogs(
  look: () => Promise<FoundLogs>,
  copies: ReadonlyMap<PartitionName, BestCopy>,
  { now, pause }: Patience = REAL_TIME,
): Promise<LogsView> {
  const end = now() + ELECTION_MS;
  const first = await look();
  let found = first;
  const isBehind = ([partition, log]: [PartitionName, FoundLog]): boolean =>
    typeof log === 'object' && boundsOf(log).last < (copies.get(partition)?.applied ?? 0);
  const isUnsound = (): boolean => leaderless(found).length > 0 || [...found].some(isBehind);
  for (; isUnsound() && now() < end; found = await look()) await pause(LOOK_MS);
  const still = leaderless(found);
  return { found, elected: leaderless(first).filter((partition) => !still.includes(partition)) };
}

export async function lookAtLogs(server: JetStream, prefix: string, partitions: readonly PartitionName[]): Promise<FoundLogs> {
  const entries = partitions.map(async (partition): Promise<[PartitionName, FoundLog]> => {
    const asked = streamInfo(server, streamName(prefix, partition), EXAMINE_MS);
    return [partition, await asked.catch((error: unknown) => (error instanceof JetStreamRefusal && error.code === NO_STREAM ? 'missing' : 'silent'))];
  });
  return new Map(await Promise.all(entries));
}

/** Those that the servers that answer do not know count too: a server that has just been elected may not have read of them yet. */
export function leaderless(found: FoundLogs): PartitionName[] {
  return [...found].filter(([, log]) => typeof log === 'string' || !healthOf(log).hasQuorum).map(([partition]) => partition);
}

export function checkLogs({ found, elected }: LogsView, { replicas, files }: LogsContext): Finding[] {
  const among = (test: (log: FoundLog) => boolean): PartitionName[] => [...found].filter(([, log]) => test(log)).map(([name]) => name);
  const infos = [...found.values()].filter((log): log is StreamInfo => typeof log === 'object');
  const isFaulty = (test: (info: StreamInfo) => boolean) => among((log) => typeof log === 'object' && test(log));
  return [
    checkQuorum([...among((log) => log === 'silent'), ...isFaulty((info) => !healthOf(info).hasQuorum)], elected, infos),
    verdictOn(
      'replicas',
      isFaulty(({ config }) => config.num_replicas !== replicas),
      `not on ${replicas} servers as LOG_REPLICAS says. Correct the setting, or the stream with \`nats stream edit --replicas\``,
      `each log is on ${replicas}`,
    ),
    verdictOn(
      'current',
      isFaulty((info) => healthOf(info).servers.some(({ isCurrent }) => !isCurrent)),
      `a server is away or lacks records: ${laggards(infos).join(', ')}. Wait a minute until it has caught up, or start it again: \`systemctl restart nats-cluster\` there`,
      'the leaders know of no server that lacks records',
    ),
    clusterOf(found, files),
    verdictOn(
      'size of logs',
      isFaulty(({ config, state }) => config.max_bytes > 0 && state.bytes > config.max_bytes * FULL_SHARE),
      'nearly full, and a full log refuses changes. Run `switchboard cluster snapshot` twice; if that fails, it says why',
      `the largest has ${megabytes(Math.max(0, ...infos.map(({ state }) => state.bytes)))}`,
    ),
  ];
}

function checkQuorum(without: readonly PartitionName[], elected: readonly PartitionName[], infos: readonly StreamInfo[]): Finding {
  if (without.length > 0) {
    const away = laggards(infos);
    const which = away.length === 0 ? 'the NATS servers that are away' : away.join(', ');
    return problem(
      'quorum',
      `${namesOf(without)}: the log has no leader with a majority of its servers for ten seconds, longer than an election. Nothing is lost. ` +
        `Start ${which}: \`systemctl start nats-cluster\` there, or mend the network. If all run and reach each other, restart them`,
    );
  }
  const election = elected.length === 0 ? '' : `. An election was under way, and has ended: ${namesOf(elected)}`;
  return ok('quorum', `each log has a leader and a majority of its servers${election}`);
}

function laggards(infos: readonly StreamInfo[]): string[] {
  const late = infos.flatMap((info) => healthOf(info).servers.filter(({ isCurrent }) => !isCurrent));
  return [...new Set(late.map(({ name }) => name))].sort();
}

/** One cluster in NATS, and the files of this machine follow its logs. A log that does not answer proves nothing. */
function clusterOf(found: FoundLogs, files: readonly FollowedFile[]): Finding {
  const known = [...found].flatMap(([partition, log]) => (typeof log === 'object' ? [{ partition, log }] : []));
  const ids = new Set(known.map(({ log }) => log.config.metadata?.['cluster'] ?? 'none'));
  const [id] = ids;
  if (id === undefined) return notProven('cluster', 'no log answers');
  if (ids.size > 1)
    return problem('cluster', `the logs belong to different clusters: ${[...ids].join(', ')}. Choose another NATS_PREFIX for one of them`);
  const foreign = files.filter(({ cluster }) => cluster !== id);
  if (foreign.length > 0) {
    const names = foreign.map(({ name, cluster }) => `${name} is ${cluster === null ? 'no copy' : `a copy in ${cluster}`}`);
    return problem('cluster', `NATS has the cluster ${id}, and ${names.join(', ')}. Correct NATS_PREFIX or DATA_DIR, or start with an empty folder`);
  }
  const outdated = known.filter(({ partition, log }) => isOutdated(fileOf(partition, files), log));
  if (outdated.length > 0) {
    const names = namesOf(outdated.map(({ partition }) => partition));
    return problem(
      'cluster',
      `${names}: the log was replaced, and the copy of this machine follows the one before. Run \`systemctl restart switchboard\` here: it takes the new one over, or says why not`,
    );
  }
  return ok('cluster', `${id}${files.length === 0 ? ', and this folder has no copies yet' : ''}`);
}

function isOutdated(file: FollowedFile | undefined, { created }: StreamInfo): boolean {
  return file !== undefined && file.created !== null && file.created !== created;
}

/** The copy of a partition on this machine. */
export function fileOf(partition: PartitionName, files: readonly FollowedFile[]): FollowedFile | undefined {
  const file = basename(partitionFile('', partition).path);
  return files.find(({ name }) => name === file);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
