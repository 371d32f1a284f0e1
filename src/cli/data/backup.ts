/** `backup`: copies all data, whether the service runs or not. */
import { VERSION } from '../../version.js';
import { sizeOf } from './backupSize.js';
import { command } from '../command.js';
import { EX_OK } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';

export const backup = command({
  words: 'backup',
  operand: 'folder',
  summary: 'Copy all data into a new folder, also while the service runs.',
  description: [
    'The folder must be empty or not exist. It appears when the copy is complete, and contains every change that was',
    'answered before the backup began. The service keeps running. On a machine of a cluster it contains what the copies of',
    'that machine have, and is restored to one machine.',
  ].join('\n'),
  options: {},
  async run({ operand }, { stdout, stderr }) {
    const { dataDir } = requireConfig();
    const { backUp } = await import('../../store/backup/backup.js');
    const manifest = await backUp({ dataDir, target: operand, program: VERSION, onNote: (note) => stderr.write(`${note}\n`) });
    stdout.write(`Backed up ${dataDir} to ${operand}: ${sizeOf(manifest)}.\n`);
    return EX_OK;
  },
});
