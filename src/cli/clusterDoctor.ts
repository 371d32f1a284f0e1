/** `cluster doctor`: checks everything that a cluster of several machines depends on. */
import { statfs } from 'node:fs/promises';
import type { Diagnosis } from '../cluster/diagnosis.js';
import { askInstance } from '../control/client.js';
import { AppError } from '../domain/errors.js';
import { partitionNames } from '../partitions/partitionNames.js';
import { command } from './command.js';
import { notProven, ok, problem, type Finding } from './doctor/finding.js';
import { checkInstances } from './doctor/instances.js';
import { EX_FAILURE, EX_OK } from './outcome.js';
import { requireConfig } from './requireConfig.js';
import { requireReplication } from './requireReplication.js';
import { printable } from './table.js';

const LEAST_FREE_BYTES = 1024 ** 3;
const VERDICT_WIDTH = 'not proven'.length;

export const clusterDoctor = command({
  words: 'cluster doctor',
  summary: 'Check the NATS servers, logs, clocks, secrets and space of a cluster of several machines.',
  description: [
    'Each check is one line: ok, not proven, or problem with what to do. Exits with 1 if there is a problem. Takes some seconds,',
    'because clocks are compared. Run it on each machine: some checks are about this one.',
  ].join('\n'),
  options: { json: { type: 'boolean', meaning: 'Print JSON instead of lines.' } },
  async run({ options }, { stdout }) {
    const config = requireConfig();
    const { urls, prefix, replicas } = await requireReplication(config);
    const { checkServers } = await import('./doctor/servers.js');
    const { checkSystem } = await import('./doctor/system.js');
    const checks = await Promise.all([
      checkServers(urls),
      checkLogsIn({ urls, prefix, replicas, dataDir: config.dataDir, shards: config.shards }),
      checkSystem(config.natsSystemUrl, replicas),
      askInstance(config.dataDir, 'diagnose').then((answer) => checkInstances((answer as Diagnosis | undefined) ?? null), unavailable),
      checkDisk(config.dataDir),
    ]);
    const findings = checks.flat();
    stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(lineOf).join(''));
    return findings.some(({ verdict }) => verdict === 'problem') ? EX_FAILURE : EX_OK;
  },
});

interface LogChoice {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly replicas: number;
  readonly dataDir: string;
  readonly shards: number;
}

async function checkLogsIn({ urls, prefix, replicas, dataDir, shards }: LogChoice): Promise<Finding[]> {
  const { checkLogs, findLogs } = await import('./doctor/logs.js');
  const { withLogServer } = await import('../replication/logServer.js');
  const { followedFiles } = await import('../store/folder/followedFiles.js');
  try {
    const found = await withLogServer(urls, (server) => findLogs(server, prefix, partitionNames(shards)));
    return checkLogs(found, replicas, await followedFiles(dataDir));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem('logs', error.message)];
  }
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const { megabytes } = await import('./doctor/logs.js');
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    if (free >= LEAST_FREE_BYTES) return ok('disk', `${megabytes(free)} are free for ${dataDir}`);
    return problem('disk', `only ${megabytes(free)} are free for ${dataDir}. Make room: a copy that cannot be written halts`);
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
