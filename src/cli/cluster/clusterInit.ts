/** `cluster init`: makes the logs of a new cluster in NATS, once. */
import { VERSION } from '../../version.js';
import { command } from '../command.js';
import { EX_OK } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { requireReplication } from './requireReplication.js';

export const clusterInit = command({
  words: 'cluster init',
  summary: 'Make the logs of a new cluster in NATS. Run it once, before the first instance is started.',
  description: [
    'With --from the cluster begins with the data of one machine, whose service must be stopped. That folder is not changed',
    'and not used any more: every machine starts with an empty data folder, also this one, and fetches its copy from NATS.',
    'Needs space for a second copy of the data in the folder for temporary files (TMPDIR).',
  ].join('\n'),
  options: { from: { type: 'string', placeholder: 'folder', meaning: 'The data folder of one machine. Default: a cluster without data.' } },
  async run({ options }, terminal) {
    const config = requireConfig();
    const { createStreams } = await import('../../log/clusterStreams.js');
    const { withLogServer } = await import('../../replication/logServer.js');
    const { shardsOfNewCluster } = await import('../../replication/shardCount.js');
    const { partitionNames } = await import('../../partitions/partitionNames.js');
    const { prefix, replicas, urls, seal, secret } = await requireReplication(config);
    const { from: folder } = options;
    const partitions = partitionNames(shardsOfNewCluster(config, folder ?? null));
    const plan = { prefix, partitions, replicas, secret };
    const id = await withLogServer(urls, async (server) => {
      if (folder === undefined) return createStreams(server, plan);
      const { initFrom } = await import('../../replication/initFrom.js');
      return initFrom({ server, plan, seal, folder, program: VERSION });
    });
    terminal.stdout.write(`Made the cluster ${id}: ${partitions.length} logs, each on ${replicas} NATS servers.\n`);
    if (folder !== undefined) {
      terminal.stdout.write(
        `It has the data of ${folder}. Start every instance with an empty data folder, also on this machine: each fetches its copy.\n` +
          `Keep ${folder} until they serve. A service that is started on it again goes its own way.\n`,
      );
    }
    return EX_OK;
  },
});
