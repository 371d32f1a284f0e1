/** `restore`: turns a backup into the data folder. */
import { sizeOf } from './backupSize.js';
import { command } from '../command.js';
import { EX_OK } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';

export const restore = command({
  words: 'restore',
  operand: 'folder',
  summary: 'Create the data folder from a backup.',
  description: [
    'The data folder (DATA_DIR) must be empty or not exist: nothing is ever overwritten. Verifies the backup. A backup',
    'that is damaged, incomplete or of a newer program leaves no data folder behind.',
  ].join('\n'),
  options: {},
  async run({ operand }, { stdout }) {
    const { dataDir, shards } = requireConfig();
    const backups = await import('../../store/backup/backupRestore.js');
    const manifest = await backups.restore({ source: operand, dataDir });
    stdout.write(`Restored ${operand} to ${dataDir}: ${sizeOf(manifest)}, as of ${manifest.started_at}.\n`);
    if (shards !== null && manifest.shards !== shards && manifest.shards > 0) {
      const advice = `set SHARDS=${manifest.shards} before you start the service`;
      stdout.write(`The number of shards is ${manifest.shards}, not ${shards}: ${advice}.\n`);
    }
    return EX_OK;
  },
});
