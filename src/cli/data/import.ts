/** `import`: creates a board from a file. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type * as v from 'valibot';
import type { ImportedBoard } from '../../api/schemas/resources.js';
import { documentTooLarge, type SentDocument } from '../../operator/operatorPort.js';
import { AppError } from '../../domain/errors.js';
import { isTrelloExport } from '../../transfer/trelloBoard.js';
import { command, type Terminal } from '../command.js';
import { findUser } from '../users/findUser.js';
import { withOperator } from '../operatorAccess.js';
import { CommandFailure, EX_FAILURE, EX_OK, UsageError } from '../outcome.js';
import { progressBar } from './progressBar.js';
import { actsAsUser, reachService, serviceOptions } from './remoteService.js';
import { requireConfig } from '../requireConfig.js';
import { printable } from '../table.js';

type ImportReport = v.InferOutput<typeof ImportedBoard>;

export const importCommand = command({
  words: 'import',
  operand: 'file',
  summary: 'Create a board from an exported document or a Trello export.',
  description:
    'Creates the board in the service on this machine, running or stopped, for the user of --owner. With --token-stdin a\n' +
    'running service creates it, and the user of the token becomes its owner. The report lists what did not fit. A Trello\n' +
    'export is detected automatically.',
  options: {
    owner: { type: 'string', placeholder: 'user', meaning: 'The owner of the board, by e-mail address, username or id.' },
    trello: { type: 'boolean', meaning: 'Refuse a file that is not a Trello export.' },
    ...serviceOptions,
  },
  async run({ options, operand: path }, terminal) {
    const isUser = actsAsUser(options);
    if (isUser && options.owner !== undefined) throw new UsageError('--owner and --token-stdin exclude each other.');
    const { owner } = options;
    if (!isUser && owner === undefined) throw new UsageError('--owner is missing.');
    const { size } = await statFile(path);
    if (options.trello) await requireTrello(path);
    if (owner !== undefined) {
      const report = await withOperator(requireConfig(), async (access) => {
        const { id } = await findUser(access.directory, owner);
        return access.importBoard(id, documentOf(path, size, terminal));
      });
      terminal.stdout.write(describeImport(JSON.parse(report) as ImportReport));
      return EX_OK;
    }
    const service = await reachService(options.url, terminal);
    const content = createReadStream(path).pipe(progressBar('Importing', size, terminal.stderr));
    const answer = await service.call('POST', '/boards/import', { content, length: size });
    terminal.stdout.write(describeImport(JSON.parse(await text(answer)) as ImportReport));
    return EX_OK;
  },
});

async function statFile(path: string): Promise<{ readonly size: number }> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))) throw error;
    throw new CommandFailure(EX_FAILURE, `There is no file ${printable(path)}.`, { cause: error });
  }
  throw new CommandFailure(EX_FAILURE, `${printable(path)} is not a file.`);
}

/** The document passes through in pieces. */
function documentOf(path: string, size: number, { stderr }: Terminal): SentDocument {
  return {
    async receive(maxBytes, onChunk) {
      if (size > maxBytes) throw new AppError('too_large', documentTooLarge(maxBytes));
      // Not a loop over the content: one that ends early destroys a stream whose errors are no longer listened to.
      const receiver = new Writable({ write: (chunk: Buffer, _encoding, done) => void onChunk(chunk).then(() => done(), done) });
      await pipeline(createReadStream(path), progressBar('Importing', size, stderr), receiver);
    },
  };
}

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
