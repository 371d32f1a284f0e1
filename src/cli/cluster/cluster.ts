/** `cluster`: the instances of a running service, what each owns, and the copies of replicated partitions. */
import { namesOf } from '../../partitions/partitionNames.js';
import type { InstanceInfo } from '../../partitions/ownership.js';
import type { PartitionOverview } from '../../partitions/health/replicationOverview.js';
import { readOverview } from '../../operator/client.js';
import type { Overview } from '../../operator/commands.js';
import { command } from '../command.js';
import { CommandFailure, EX_OK, EX_TEMPFAIL } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { renderTable } from '../table.js';

const HEADER = ['INSTANCE', 'PROCESS', 'HOST', 'URL', 'VERSION', 'SINCE', 'STATE', 'SOCKETS', 'OWNS'] as const;

const COPY_HEADER = ['PARTITION', 'TERM', 'LOG', 'LEASE', 'INSTANCE', 'STATE', 'SEQ', 'LAG', 'REASON'] as const;

export const cluster = command({
  words: 'cluster',
  summary: 'Show the instances of the running service with their partitions and sockets.',
  description: [
    'On several machines also the copies of each partition: SEQ is the last record of a copy, LAG how many records another copy',
    'is ahead, LEASE how long the owner may answer reads without asking the log. LOG is the NATS server that leads the log.',
  ].join('\n'),
  options: { json: { type: 'boolean', meaning: 'Print JSON instead of a table.' } },
  async run({ options }, terminal) {
    const { dataDir } = requireConfig();
    const overview = await readOverview(dataDir);
    if (overview === null) throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers.`);
    terminal.stdout.write(options.json ? `${JSON.stringify(overview, null, 2)}\n` : describeCluster(overview));
    return EX_OK;
  },
});

export function describeCluster({ pubsub, instances, partitions, replicated }: Overview): string {
  const owned = new Set(instances.flatMap((instance) => instance.partitions));
  const ownerless = partitions.filter((partition) => !owned.has(partition));
  return [
    renderTable(HEADER, rows(instances)),
    ...(replicated === undefined ? [] : ['\n', renderTable(COPY_HEADER, replicated.flatMap(copyRows))]),
    `\nPublish/subscribe: ${pubsub}\n`,
    ...(ownerless.length === 0 ? [] : [`Without a known owner: ${namesOf(ownerless)}\n`]),
  ].join('');
}

function rows(instances: readonly InstanceInfo[]): string[][] {
  return instances.map(({ id, pid, host, url, version, startedAt, leaving, drained, sockets, partitions }) => [
    id,
    String(pid),
    host,
    url,
    version,
    startedAt,
    leaving ? 'leaving' : drained === true ? 'drained' : 'serving',
    String(sockets),
    namesOf(partitions),
  ]);
}

/** What belongs to the partition is shown in the line of its first copy. */
function copyRows({ partition, term, leaseLeftMs, log, copies }: PartitionOverview): string[][] {
  const leader = log.hasQuorum ? (log.leader ?? '-') : `${log.leader ?? '-'} (no quorum)`;
  const first = [partition, String(term), leader, leaseLeftMs === null ? '-' : `${leaseLeftMs} ms`];
  if (copies.length === 0) return [[...first, '-', 'no copy', '-', '-', '']];
  return copies.map(({ instance, state, applied, lag, reason }, index) => [
    ...(index === 0 ? first : first.map(() => '')),
    instance,
    state,
    String(applied),
    String(lag),
    reason ?? '',
  ]);
}
