/** `cluster snapshot`: has the running instance take snapshots now. */
import { connectControl } from '../control/client.js';
import { parsePartition, partitionNames } from '../partitions/partitionNames.js';
import { command } from './command.js';
import { CommandFailure, EX_OK, EX_TEMPFAIL } from './outcome.js';
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
    const { dataDir, shards } = requireConfig();
    const all = partitionNames(shards);
    const chosen = operand === '' ? all : [parsePartition(operand, all)];
    const service = await connectControl(dataDir);
    if (service === null) throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers.`);
    try {
      for (const partition of chosen) {
        stdout.write(`${partition}: a snapshot has everything up to record ${await service.takeSnapshot(partition)}.\n`);
      }
    } finally {
      service.close();
    }
    return EX_OK;
  },
});
