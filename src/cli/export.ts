/** `export`: writes a board of a running service to one file. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseUuid } from '../domain/ids.js';
import { command, type Terminal } from './command.js';
import { EX_OK, UsageError } from './outcome.js';
import { progressBar } from './progressBar.js';
import { reachService, serviceOptions } from './remoteService.js';

export const exportCommand = command({
  words: 'export',
  operand: 'board id',
  summary: 'Export a board, including its files, as one JSON document.',
  description:
    'Reads the board from a running service with the token of one of its owners, and writes it to standard output\n' +
    'or to the file of --output, which must not exist yet.',
  options: {
    output: { type: 'string', short: 'o', placeholder: 'file', meaning: 'The file to write.' },
    ...serviceOptions,
  },
  async run({ options, operand }, terminal) {
    const id = parseUuid(operand);
    if (id === undefined) throw new UsageError(`"${operand}" is not the id of a board.`);
    const service = await reachService(options.url, terminal);
    const document = await service.call('GET', `/boards/${id}/export`);
    const size = Number(document.headers['content-length'] ?? 0);
    if (options.output === undefined) await pipeline(document, terminal.stdout, { end: false });
    else await writeFile(document, size, options.output, terminal);
    return EX_OK;
  },
});

/** Writes the complete document or none: half a document must not look like a copy of the board. */
async function writeFile(
  document: NodeJS.ReadableStream,
  size: number,
  path: string,
  { stderr }: Terminal,
): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx' });
  let isOurs = false;
  file.once('open', () => (isOurs = true));
  try {
    await pipeline(document, progressBar('Exporting', size, stderr), file);
  } catch (error) {
    if (isOurs) await rm(path, { force: true });
    throw error;
  }
}
