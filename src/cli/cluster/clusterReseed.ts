/** `cluster reseed`: replaces the log of a partition that is lost or broken. */
import { parsePartition, partitionNames } from '../../partitions/partitionNames.js';
import { command } from '../command.js';
import { EX_OK } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { requireReplication } from './requireReplication.js';

export const clusterReseed = command({
  words: 'cluster reseed',
  operand: 'partition',
  summary: 'Replace the lost or broken log of a partition by the copy in a data folder.',
  description: [
    'Run it on the machine whose copy has the highest record, while the service there is stopped. What only other copies',
    'have is lost. Then restart every instance: each keeps its old file aside as *.sqlite.generation-N and fetches the copy.',
    'Clients of these boards read them again. Refused if the log looks sound, unless --force is given.',
  ].join('\n'),
  options: {
    from: { type: 'string', placeholder: 'folder', meaning: 'The data folder with the copy. Default: that of the settings (DATA_DIR).' },
    force: { type: 'boolean', meaning: 'Replace a log that looks sound too.' },
  },
  async run({ operand, options }, { stdout }) {
    const config = requireConfig();
    const { withLogServer } = await import('../../replication/logServer.js');
    const { reseed } = await import('../../replication/reseed.js');
    const { prefix, replicas, urls, seal, secret } = await requireReplication(config);
    const dataDir = options.from ?? config.dataDir;
    const { shardsOfCommand } = await import('../../replication/shardCount.js');
    const shards = await shardsOfCommand(config, dataDir);
    const partition = parsePartition(operand, partitionNames(shards));
    const { generation, applied } = await withLogServer(urls, (server) =>
      reseed({ server, prefix, replicas, shards, seal, secret, partition, dataDir, isForced: options.force }),
    );
    stdout.write(
      `The ${partition} has a new log, of generation ${generation}, with everything up to record ${applied} of the old one.\n` +
        'Restart every instance.\n',
    );
    return EX_OK;
  },
});
