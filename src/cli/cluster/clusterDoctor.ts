/** `cluster doctor`: checks everything that a cluster of several machines depends on. */
import { statfs } from 'node:fs/promises';
import type { Diagnosis } from '../../cluster/diagnosis.js';
import { askInstance, readOverview } from '../../operator/client.js';
import type { Overview } from '../../operator/commands.js';
import { AppError } from '../../domain/errors.js';
import type { PartitionName } from '../../partitions/messages.js';
import { partitionNames } from '../../partitions/partitionNames.js';
import { command } from '../command.js';
import { notProven, ok, problem, type Finding } from './doctor/finding.js';
import { checkInstances } from './doctor/instances.js';
import type { SystemView } from './doctor/system.js';
import { EX_FAILURE, EX_OK } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { requireReplication } from './requireReplication.js';
import { printable } from '../table.js';

const LEAST_FREE_BYTES = 1024 ** 3;
const VERDICT_WIDTH = 'not proven'.length;

export const clusterDoctor = command({
  words: 'cluster doctor',
  summary: 'Check the NATS servers, logs, copies, clocks, secrets, settings and space of a cluster of several machines.',
  description: [
    'Each check is one line: ok, not proven, or problem with the partitions, the machine, the cause and what to do. SendingLimits with 1',
    'if there is a problem. Takes some seconds, because clocks are compared, and up to 20 while NATS elects a leader. Run it on',
    'each machine: some checks are about this one.',
  ].join('\n'),
  options: { json: { type: 'boolean', meaning: 'Print JSON instead of lines.' } },
  async run({ options }, { stdout }) {
    const config = requireConfig();
    const { dataDir, natsSystemUrl } = config;
    const { shardsOfCommand } = await import('../../replication/shardCount.js');
    const shards = await shardsOfCommand(config);
    const { urls, prefix, replicas } = await requireReplication(config);
    const { checkServers, lookAtServers, silentAmong } = await import('./doctor/servers.js');
    const { checkCopies } = await import('./doctor/copies.js');
    // Before the logs: what a copy has now must be in its log later.
    const overview = await readOverview(dataDir);
    const [servers, logs, system, instances, disk] = await Promise.all([
      lookAtServers(urls),
      lookAtAllLogs({ urls, prefix, replicas, dataDir, partitions: partitionNames(shards), overview }),
      examineSystem(natsSystemUrl, replicas),
      askInstance(dataDir, 'diagnose').then((answer) => checkInstances((answer as Diagnosis | undefined) ?? null), unavailable),
      checkDisk(dataDir),
    ]);
    const findings = [
      ...checkServers(servers),
      ...logs(system.view, silentAmong(servers)),
      ...system.findings,
      ...checkCopies(overview, replicas),
      ...instances,
      disk,
    ];
    stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(lineOf).join(''));
    return findings.some(({ verdict }) => verdict === 'problem') ? EX_FAILURE : EX_OK;
  },
});

interface LogChoice {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly replicas: number;
  readonly dataDir: string;
  readonly partitions: readonly PartitionName[];
  /** Null if no instance runs here. */
  readonly overview: Overview | null;
}

type LogVerdict = (system: SystemView | null, away: readonly string[]) => Finding[];

/** Returns what judges the logs, when it is known what the servers say of themselves. */
async function lookAtAllLogs({ urls, prefix, replicas, dataDir, partitions, overview }: LogChoice): Promise<LogVerdict> {
  const { checkLogs, findLogs, leaderless, lookAtLogs } = await import('./doctor/logs.js');
  const { bestCopies } = await import('./doctor/copies.js');
  const { checkRecords } = await import('./doctor/records.js');
  const { checkSnapshots, findSnapshots } = await import('./doctor/snapshots.js');
  const { withLogServer } = await import('../../replication/logServer.js');
  const { followedFiles } = await import('../../store/folder/followedFiles.js');
  const files = await followedFiles(dataDir);
  const copies = bestCopies(overview, partitions, files);
  try {
    return await withLogServer(urls, async (server) => {
      const view = await findLogs(() => lookAtLogs(server, prefix, partitions), copies);
      // Without a leader of the logs their stream has none either, most likely: its answers would be awaited in vain.
      const snapshots = leaderless(view.found).length > 0 ? null : await findSnapshots(server, prefix, partitions);
      return (system, away) => [
        ...checkRecords({ prefix, replicas, found: view.found, system, copies, away }),
        ...checkLogs(view, { replicas, files }),
        checkSnapshots(snapshots, prefix, system),
      ];
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => [problem('logs', `${error.message} Run \`systemctl start nats-cluster\` on each machine, or correct NATS_URL`)];
  }
}

async function examineSystem(urls: readonly string[] | null, replicas: number): Promise<{ view: SystemView | null; findings: readonly Finding[] }> {
  const { judgeReports, lookAtSystem, WITHOUT_SYSTEM } = await import('./doctor/system.js');
  try {
    const view = await lookAtSystem(urls);
    return { view, findings: view === null ? WITHOUT_SYSTEM : judgeReports(view.after, replicas) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { view: null, findings: [problem('flushes', `the servers of NATS_SYSTEM_URL cannot be asked: ${reason} Correct the setting`)] };
  }
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { megabytes } = await import('./doctor/logs.js');
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    if (free >= LEAST_FREE_BYTES) return ok('disk', `${megabytes(free)} are free for ${dataDir}`);
    return problem('disk', `only ${megabytes(free)} are free for ${dataDir} on this machine. Make room: a copy that cannot be written halts`);
  } catch (error) {
    return notProven('disk', `the space of ${dataDir} cannot be read: ${String(error)}`);
  }
}

/** An instance that does not answer is itself worth a look. */
function unavailable(error: unknown): Finding[] {
  if (!(error instanceof AppError)) throw error;
  return [problem('instance', `that on this machine does not answer: ${error.message}. Look at its log`)];
}

function lineOf({ verdict, check, detail }: Finding): string {
  return `${verdict.padEnd(VERDICT_WIDTH)}  ${check}: ${printable(detail)}\n`;
}
