/** `check`: verifies a data folder or a backup. */
import { InUse } from '../../domain/errors.js';
import type { FolderReport } from '../../store/check/checkFolder.js';
import { command } from '../command.js';
import { CommandFailure, EX_FAILURE, EX_OK, EX_TEMPFAIL } from '../outcome.js';
import { requireConfig } from '../requireConfig.js';
import { printable } from '../table.js';

export const check = command({
  words: 'check',
  operand: 'folder',
  operandIsOptional: true,
  summary: 'Verify the data folder or a backup.',
  description: [
    'The default is the folder of the settings (DATA_DIR). Checks every file, board and membership, and changes nothing.',
    'Lists the problems and exits with 1 if there are any, or with 75 if a service is running on the data.',
  ].join('\n'),
  options: {},
  async run({ operand }, { stdout }) {
    const folder = operand || requireConfig().dataDir;
    const { problems, notes, files, boards } = await checkUnused(folder);
    for (const note of notes) stdout.write(`Note: ${note}\n`);
    for (const problem of problems) stdout.write(`${printable(problem)}\n`);
    const verdict = problems.length === 0 ? 'no problems' : countOf(problems.length, 'problem');
    stdout.write(`${folder}: ${verdict} in ${countOf(files, 'file')} with ${countOf(boards, 'board')}.\n`);
    return problems.length === 0 ? EX_OK : EX_FAILURE;
  },
});

async function checkUnused(folder: string): Promise<FolderReport> {
  const { checkFolder } = await import('../../store/check/checkFolder.js');
  try {
    return await checkFolder(folder);
  } catch (error) {
    if (!(error instanceof InUse)) throw error;
    const advice = 'Stop it first, or make a backup and check the backup.';
    throw new CommandFailure(EX_TEMPFAIL, `${error.message}. ${advice}`, { cause: error });
  }
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
