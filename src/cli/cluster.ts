/** `cluster`: the instances of a running service, and what each owns. */
import { namesOf } from '../partitions/partitionNames.js';
import type { InstanceInfo } from '../partitions/ownership.js';
import { readOverview } from '../control/client.js';
import type { Overview } from '../control/overview.js';
import { command } from './command.js';
import { CommandFailure, EX_OK, EX_TEMPFAIL } from './outcome.js';
import { requireConfig } from './requireConfig.js';
import { renderTable } from './table.js';

const HEADER = ['INSTANCE', 'PROCESS', 'HOST', 'URL', 'VERSION', 'SINCE', 'STATE', 'SOCKETS', 'OWNS'] as const;

export const cluster = command({
  words: 'cluster',
  summary: 'Show the instances of the running service with their partitions and sockets.',
  options: { json: { type: 'boolean', meaning: 'Print JSON instead of a table.' } },
  async run({ options }, terminal) {
    const { dataDir } = requireConfig();
    const overview = await readOverview(dataDir);
    if (overview === null) throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers.`);
    terminal.stdout.write(options.json ? `${JSON.stringify(overview, null, 2)}\n` : describeCluster(overview));
    return EX_OK;
  },
});

export function describeCluster({ pubsub, instances, partitions }: Overview): string {
  const owned = new Set(instances.flatMap((instance) => instance.partitions));
  const ownerless = partitions.filter((partition) => !owned.has(partition));
  return [
    renderTable(HEADER, rows(instances)),
    `\nPublish/subscribe: ${pubsub}\n`,
    ...(ownerless.length === 0 ? [] : [`Without a known owner: ${namesOf(ownerless)}\n`]),
  ].join('');
}

function rows(instances: readonly InstanceInfo[]): string[][] {
  return instances.map(({ id, pid, host, url, version, startedAt, leaving, sockets, partitions }) => [
    id,
    String(pid),
    host,
    url,
    version,
    startedAt,
    leaving ? 'leaving' : 'serving',
    String(sockets),
    namesOf(partitions),
  ]);
}
