/** `cluster init`: makes the logs of a new cluster in NATS, once. */
import { command } from './command.js';
import { EX_OK } from './outcome.js';
import { requireConfig } from './requireConfig.js';
import { requireReplication } from './requireReplication.js';

export const clusterInit = command({
  words: 'cluster init',
  summary: 'Make the logs of a new cluster in NATS. Run it once, before the first instance is started.',
  options: {},
  async run(_, terminal) {
    const config = requireConfig();
    const { createStreams } = await import('../log/clusterStreams.js');
    const { withLogServer } = await import('../replication/logServer.js');
    const { partitionNames } = await import('../partitions/partitionNames.js');
    const { prefix, replicas, urls } = requireReplication(config);
    const partitions = partitionNames(config.shards);
    const id = await withLogServer(urls, (server) => createStreams(server, { prefix, partitions, replicas }));
    terminal.stdout.write(`Made the cluster ${id}: ${partitions.length} logs, each on ${replicas} NATS servers.\n`);
    return EX_OK;
  },
});
