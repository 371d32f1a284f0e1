/** `import`: creates a board in a running service from a file. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type * as v from 'valibot';
import type { ImportedBoard } from '../api/schemas/resources.js';
import { isTrelloExport } from '../transfer/trelloBoard.js';
import { command } from './command.js';
import { CommandFailure, EX_FAILURE, EX_OK } from './outcome.js';
import { progressBar } from './progressBar.js';
import { reachService, serviceOptions } from './remoteService.js';
import { printable } from './table.js';

type ImportReport = v.InferOutput<typeof ImportedBoard>;

export const importCommand = command({
  words: 'import',
  operand: 'file',
  summary: 'Create a board from an exported document or a Trello export.',
  description:
    'A running service creates the board; the user of the token becomes its owner. The report lists what did not fit.\n' +
    'A Trello export is detected automatically.',
  options: {
    trello: { type: 'boolean', meaning: 'Refuse a file that is not a Trello export.' },
    ...serviceOptions,
  },
  async run({ options, operand: path }, terminal) {
    const { size } = await stat(path);
    if (options.trello) await requireTrello(path);
    const service = await reachService(options.url, terminal);
    const content = createReadStream(path).pipe(progressBar('Importing', size, terminal.stderr));
    const answer = await service.call('POST', '/boards/import', { content, length: size });
    terminal.stdout.write(describeImport(JSON.parse(await text(answer)) as ImportReport));
    return EX_OK;
  },
});

/** Trello's exports contain no files, so they can be read as a whole. */
async function requireTrello(path: string): Promise<void> {
  let document: unknown;
  try {
    document = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailure(EX_FAILURE, `${path} is not JSON. In Trello, choose "Export as JSON".`, { cause: error });
  }
  if (!isTrelloExport(document)) throw new CommandFailure(EX_FAILURE, `${path} is not a Trello export.`);
}

export function describeImport({ board, source, imported, left_out }: ImportReport): string {
  const counts = Object.entries(imported).map(([things, count]) => `${count} ${things}`);
  const origin = source === 'trello' ? ' from Trello' : '';
  const lines = [`Created board "${printable(board.title)}"${origin} with id ${board.id}: ${counts.join(', ')}.`];
  if (left_out.length > 0) lines.push('', 'Not imported:', ...left_out.map((note) => `  - ${printable(note)}`));
  return `${lines.join('\n')}\n`;
}
