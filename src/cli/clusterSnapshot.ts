/** `cluster snapshot`: has the running instance take snapshots now. */
import { askForSnapshot } from '../control/client.js';
import { parsePartition, partitionNames } from '../partitions/partitionNames.js';
import { command } from './command.js';
import { EX_OK } from './outcome.js';
import { requireAnswer } from './requireAnswer.js';
import { requireConfig } from './requireConfig.js';

export const clusterSnapshot = command({
  words: 'cluster snapshot',
  operand: 'partition',
  operandIsOptional: true,
  summary: 'Take a snapshot of a partition, or of all, from the copy of this machine.',
  description: [
    'Instances take snapshots by themselves when a log has grown by SNAPSHOT_LOG_BYTES. The two newest are kept, and the log',
    'since the older one. A partition is the directory, or a shard as in shard-0.',
  ].join('\n'),
  options: {},
  async run({ operand }, { stdout }) {
    const config = requireConfig();
    const all = partitionNames(config.shards);
    const chosen = operand === '' ? all : [parsePartition(operand, all)];
    for (const partition of chosen) {
      const record = requireAnswer<number>(await askForSnapshot(config.dataDir, partition), config);
      stdout.write(`${partition}: a snapshot has everything up to record ${record}.\n`);
    }
    return EX_OK;
  },
});
