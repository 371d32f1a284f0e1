/** `export`: writes a board to one file. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseUuid } from '../../domain/ids.js';
import { command, type Terminal } from '../command.js';
import { withOperator } from '../operatorAccess.js';
import { EX_OK, UsageError } from '../outcome.js';
import { progressBar } from './progressBar.js';
import { actsAsUser, reachService, serviceOptions } from './remoteService.js';
import { requireConfig } from '../requireConfig.js';

export const exportCommand = command({
  words: 'export',
  operand: 'board id',
  summary: 'Export a board, including its files, as one JSON document.',
  description:
    'Exports any board of the service on this machine, running or stopped. With --token-stdin it reads the board from a\n' +
    'running service as one of its owners. It writes to standard output or to the file of --output, which must not\n' +
    'exist yet.',
  options: {
    output: { type: 'string', short: 'o', placeholder: 'file', meaning: 'The file to write.' },
    ...serviceOptions,
  },
  async run({ options, operand }, terminal) {
    const id = parseUuid(operand);
    if (id === undefined) throw new UsageError(`"${operand}" is not the id of a board.`);
    const { output } = options;
    if (actsAsUser(options)) {
      const service = await reachService(options.url, terminal);
      const document = await service.call('GET', `/boards/${id}/export`);
      await writeDocument(document, Number(document.headers['content-length'] ?? 0), output, terminal);
    } else {
      await withOperator(requireConfig(), async (access) => {
        const document = await access.exportBoard(id);
        await writeDocument(Readable.from(document.pieces(), { objectMode: false }), document.size, output, terminal);
      });
    }
    return EX_OK;
  },
});

async function writeDocument(document: Readable, size: number, output: string | undefined, terminal: Terminal): Promise<void> {
  if (output === undefined) await pipeline(document, terminal.stdout, { end: false });
  else await writeFile(document, size, output, terminal);
}

/** Writes the complete document or none: half a document must not look like a copy of the board. */
async function writeFile(document: Readable, size: number, path: string, { stderr }: Terminal): Promise<void> {
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
