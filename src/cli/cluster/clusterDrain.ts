/** `cluster drain` and `cluster undrain`: whether the instance on this machine owns partitions. */
import { askInstance } from '../../operator/client.js';
import { command } from '../command.js';
import { EX_OK } from '../outcome.js';
import { requireAnswer } from '../requireAnswer.js';
import { requireConfig } from '../requireConfig.js';
import { requireReplication } from './requireReplication.js';

export const clusterDrain = command({
  words: 'cluster drain',
  summary: 'Give all partitions of the instance on this machine to the others.',
  description: [
    'It takes none until `cluster undrain`, or until it is restarted. It still follows the logs and serves every request, by',
    'asking the others. Refused if no other instance could take the partitions.',
  ].join('\n'),
  options: {},
  async run(_, { stdout }) {
    const config = requireConfig();
    await requireReplication(config);
    requireAnswer(await askInstance(config.dataDir, 'drain'), config);
    stdout.write('Other instances own all partitions now. `switchboard cluster undrain` or a restart ends this.\n');
    return EX_OK;
  },
});

export const clusterUndrain = command({
  words: 'cluster undrain',
  summary: 'Let the instance on this machine own partitions again.',
  options: {},
  async run(_, { stdout }) {
    const config = requireConfig();
    await requireReplication(config);
    requireAnswer(await askInstance(config.dataDir, 'undrain'), config);
    stdout.write('The instance takes its share of the partitions again.\n');
    return EX_OK;
  },
});
