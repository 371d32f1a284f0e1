/** `cluster verify`: whether all copies have the same content. */
import type { ComparedCopy } from '../../cluster/verification.js';
import { askInstance } from '../../operator/client.js';
import { command } from '../command.js';
import { EX_FAILURE, EX_OK } from '../outcome.js';
import { requireAnswer } from '../requireAnswer.js';
import { requireConfig } from '../requireConfig.js';
import { requireReplication } from './requireReplication.js';
import { printable } from '../table.js';

export const clusterVerify = command({
  words: 'cluster verify',
  summary: 'Compare the copies of all live instances with those of this machine.',
  description: [
    'Compares a digest of the whole history, at the same record on both copies. A copy that is behind gets ten seconds to catch',
    'up. Lists what differs or could not be compared, and exits with 1 if there is anything.',
  ].join('\n'),
  options: { json: { type: 'boolean', meaning: 'Print JSON instead of lines.' } },
  async run({ options }, { stdout }) {
    const config = requireConfig();
    await requireReplication(config);
    const compared = requireAnswer<readonly ComparedCopy[]>(await askInstance(config.dataDir, 'verify'), config);
    const wrong = compared.filter(({ result }) => result !== 'equal');
    const text = options.json ? `${JSON.stringify(compared, null, 2)}\n` : describe(compared, wrong);
    stdout.write(text);
    return wrong.length === 0 && compared.length > 0 ? EX_OK : EX_FAILURE;
  },
});

function describe(compared: readonly ComparedCopy[], wrong: readonly ComparedCopy[]): string {
  if (compared.length === 0) return 'There is no other instance to compare with.\n';
  const lines = wrong.map(({ partition, instance, result, at, reason }) => {
    const what = result === 'different' ? `differs at record ${at}` : `was not compared, its last record is ${at}: ${reason ?? ''}`;
    return `${partition}: the copy of ${instance} ${printable(what)}\n`;
  });
  const instances = new Set(compared.map(({ instance }) => instance)).size;
  const equal = compared.length - wrong.length;
  const sum = `${equal} of ${compared.length} copies on ${instances} other instance${instances === 1 ? '' : 's'} are equal to those of this machine.\n`;
  return [...lines, sum].join('');
}
