/** `cluster snapshot`: has the running instance take snapshots now. */
import { askForSnapshot } from '../../operator/client.js';
import { parsePartition, partitionNames } from '../../partitions/partitionNames.js';
import type { PartitionName } from '../../partitions/messages.js';
import { AppError } from '../../domain/errors.js';
import { command } from '../command.js';
import { EX_FAILURE, EX_OK } from '../outcome.js';
import { requireAnswer } from '../requireAnswer.js';
import { requireConfig } from '../requireConfig.js';
import { printable } from '../table.js';

export const clusterSnapshot = command({
  words: 'cluster snapshot',
  operand: 'partition',
  operandIsOptional: true,
  summary: 'Take a snapshot of a partition, or of all, from the copy of this machine.',
  description: [
    'Instances take snapshots by themselves when a log has grown by SNAPSHOT_LOG_BYTES. The two newest are kept, and the log',
    'since the older one. Afterwards the newest has everything that the copy of this machine has, also if nothing was changed',
    'since the last. A partition is the directory, or a shard as in shard-0.',
  ].join('\n'),
  options: {},
  async run({ operand }, { stdout, stderr }) {
    const config = requireConfig();
    const { shardsOfCommand } = await import('../../replication/shardCount.js');
    const all = partitionNames(await shardsOfCommand(config));
    const chosen = operand === '' ? all : [parsePartition(operand, all)];
    const failed: PartitionName[] = [];
    for (const partition of chosen) {
      try {
        const record = requireAnswer<number>(await askForSnapshot(config.dataDir, partition), config);
        stdout.write(`${partition}: a snapshot has everything up to record ${record}.\n`);
      } catch (error) {
        // The others need theirs all the same.
        if (!(error instanceof AppError)) throw error;
        failed.push(partition);
        stderr.write(`${partition}: no snapshot was taken: ${printable(error.message)}\n`);
      }
    }
    if (failed.length === 0) return EX_OK;
    stderr.write('Try it on another machine. `switchboard cluster doctor` says what is wrong here.\n');
    return EX_FAILURE;
  },
});
