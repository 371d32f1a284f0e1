/** Copies of cards and columns on their board, and of whole boards. */
import * as v from 'valibot';
import type { AuditDetails } from '../../../domain/audit.js';
import type { BoardToCopy, CopiedFile, RefusedInput, StagedCopy } from '../../../domain/commands/commands.js';
import { COPY_BOUNDS } from '../../../domain/commands/steps/copying.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import { bodyOf, textOf } from '../../../domain/ports/boardsPort.js';
import { filesOf } from '../../../transfer/exportStream.js';
import { MAX_THINGS } from '../../../transfer/documentBounds.js';
import { clientOf } from '../../operation/audited.js';
import { askBoard, boardAnswer, boardOperation, keyIn, requireCaller, roleFor, toAnswer } from '../../operation/boardOperation.js';
import { cleanUp } from '../../operation/cleanUp.js';
import { accepted, type Operation, type RawCall, type Services } from '../../operation/operation.js';
import { POSITION_HEADER } from '../../operation/requestKey.js';
import { position, title, uuid } from '../../schemas/fields.js';
import { Board, Card, Column } from '../../schemas/resources.js';
import { findBoardOfRequest, replayOf } from '../boards/boardOfRequest.js';
import { makeFrom, MAX_TEXT_BYTES, withStagedFiles, type NewBoard } from './importDocument.js';
import { StagedFiles } from './stagedFiles.js';

const AT_ONCE = `At most ${COPY_BOUNDS} are copied at once.`;

const CardCopy = v.object({
  column_id: v.optional(v.nullable(uuid())),
  position: v.optional(position()),
  comments: v.optional(v.boolean(), false),
  attachments: v.optional(v.boolean(), false),
});

const copyCard: Operation = {
  name: 'card.copy',
  method: 'POST',
  path: '/cards/{card_id}/copy',
  access: roleFor('card.copy'),
  quota: 'upload',
  tag: 'Cards',
  summary: 'Copy a card',
  description:
    'The copy has the title, description, dates, labels, assignees and checklists of the card, a number of its own and no history. It goes last in the ' +
    'column of the card, unless the request gives a column or a position. With `comments` they come along with their authors and times, with `attachments` ' +
    `the files and links; each file is stored again and counts in the board’s limits. ${AT_ONCE}`,
  query: {},
  body: { kind: 'json', schema: CardCopy },
  success: { status: 201, description: 'The new card', schema: Card },
  errors: { 404: 'No such card, or no such column on its board', 409: 'Too much is on the card, or it is in the archive' },
  async invoke(call, services) {
    const caller = requireCaller(call);
    const target = call.params['card_id'] ?? '';
    const refusal = refusedInput(call);
    if (refusal !== null) return boardAnswer(await askBoard(services, caller, { op: 'card.copy', target, input: refusal }));
    const { column_id = null, position: place = null, comments, attachments } = accepted(call.body) as v.InferOutput<typeof CardCopy>;
    const copy = (files: readonly StagedCopy[] | null): ReturnType<typeof askBoard> => {
      return askBoard(services, caller, { op: 'card.copy', target, input: { column_id, position: place, comments, files }, ...keyIn(call) });
    };
    if (!attachments) return boardAnswer(await copy(null));
    const begun = await askBoard(services, caller, { op: 'card.beginCopy', target, input: {}, ...keyIn(call) });
    // It was carried out before: nothing is stored again.
    if (begun.replayed === true) return boardAnswer(await copy([]));
    const { content, ids, config } = services;
    const staged = new StagedFiles({ content, ids, boardId: target, maxBytes: config.maxAttachmentBytes });
    const drop = (): Promise<void> => cleanUp(services, DROPPING, () => staged.dropAllBut([]));
    try {
      const originals = JSON.parse(textOf(begun) ?? '[]') as readonly CopiedFile[];
      for (const file of originals) await staged.copy(file);
      const files = staged.received.flatMap((file, place) => {
        const from = originals[place]?.id;
        return file.kind === 'stored' && from !== undefined ? [{ from, to: file.id }] : [];
      });
      const outcome = await copy(files);
      // The same request was faster, and its files are those of the copy.
      if (outcome.replayed === true) await drop();
      return boardAnswer(outcome);
    } catch (error) {
      await drop();
      throw error;
    }
  },
};

const DROPPING = 'dropping its files';

const copyColumn = boardOperation({
  op: 'column.copy',
  method: 'POST',
  path: '/columns/{column_id}/copy',
  tag: 'Columns',
  summary: 'Copy a column with its cards',
  description: `The cards come without comments and files. The copy goes last, unless the request gives a position. ${AT_ONCE}`,
  body: { kind: 'json', schema: v.object({ position: v.optional(position()) }) },
  success: { status: 201, description: 'The new column with its cards', schema: Column },
  errors: { 409: 'Too much is in the column, or it is in the archive' },
  input: ({ body }) => ({ position: body.position ?? null }),
});

const BoardCopy = v.object({
  title: title(),
  comments: v.optional(v.boolean(), false),
  attachments: v.optional(v.boolean(), false),
  people: v.optional(v.boolean(), false),
});

const CopiedBoard = v.object({
  ...Board.entries,
  left_out: v.pipe(v.array(v.string()), v.description('What of the board is not part of the copy, in sentences')),
});

const copyBoard: Operation = {
  name: 'board.copy',
  method: 'POST',
  path: '/boards/{board_id}/copy',
  access: roleFor('board.beginCopy'),
  quota: 'import',
  tag: 'Boards',
  summary: 'Copy a board',
  description:
    'Everyone who reads the board may copy it, and owns the copy: a new board with its columns, cards, labels, checklists, rules and archive, as an export ' +
    'and an import would make it, and within the same limits. Nobody else is on it and nobody is assigned, unless `people` is true: then its members are too, ' +
    'with their roles, as far as the caller may add them. `comments` come without their authors then, unless `people` is true. `attachments` are ' +
    `files and links; the files together have at most \`MAX_IMPORT_BYTES\`, everything else at most ${MAX_TEXT_BYTES} bytes and ${MAX_THINGS} things. ` +
    'History, versions, webhooks, invitations and the trash are not copied.',
  query: {},
  body: { kind: 'json', schema: BoardCopy },
  success: { status: 201, description: 'The new board', schema: CopiedBoard, headers: { [POSITION_HEADER]: 'The position of the new board' } },
  lateSchema: Board,
  errors: { 409: 'The caller has as many boards as `MAX_BOARDS_PER_USER` allows, or the board is too large', 413: 'The board has too many things' },
  async invoke(call, services) {
    const importer = requireCaller(call);
    // Such a key creates no boards.
    if (call.key !== null && call.key.boards !== null) throw new AppError('forbidden', 'The API key is for some boards only');
    const original = call.params['board_id'] ?? '';
    const begun = await askBoard(services, importer, { op: 'board.beginCopy', target: original, input: refusedInput(call) ?? {} });
    const { bytes } = JSON.parse(textOf(begun) ?? '') as BoardToCopy;
    const { attachments, ...options } = accepted(call.body) as v.InferOutput<typeof BoardCopy>;
    const key = accepted(call.idempotency);
    const { boardId, kept, isMade } =
      key === null ? { boardId: services.ids.fresh(), kept: null, isMade: false } : await findBoardOfRequest(services, importer.id, key.key);
    if (key !== null && kept !== null) return replayOf(kept, key);
    if (isMade)
      return toAnswer(asMade(textOf(await askBoard(services, importer, { op: 'board.summary', target: boardId, input: {} }))), { replayed: true });
    const client = clientOf(call);
    const onMembers = (details: AuditDetails): void => {
      services.audit.record({ kind: 'board.imported', user: importer, client, subject: { id: boardId }, details });
    };
    const wanted: NewBoard = { importer, boardId, key, onMembers };
    const read = async (): Promise<string | Uint8Array> => {
      return bodyOf(await askBoard(services, importer, { op: 'board.export', target: original, input: {} })) ?? '';
    };
    // One large document at a time is in memory, whatever it is read for.
    const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => services.documents.inTurn(importer.id, bytes, {}, task);
    return withStagedFiles(services, wanted, async (staged, reserve) => {
      // Between two turns: a large file must not keep others from theirs.
      const files = attachments ? await stageAll(services, staged, await inTurn(async () => filesOf(await read()))) : null;
      return inTurn(async () => {
        const source = { files: staged, reserve, text: [requireSmall(await read())], copy: { ...options, files } };
        return makeFrom(services, wanted, source, ({ board, left_out }) => `${board.slice(0, -1)},"left_out":${JSON.stringify(left_out)}}`);
      });
    });
  },
};

/** Returns the ids of the originals, in the order of the staged files. */
async function stageAll({ config }: Services, staged: StagedFiles, files: readonly CopiedFile[]): Promise<readonly Uuid[]> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > config.maxImportBytes) {
    throw new AppError('limit', `A board can be copied with at most ${config.maxImportBytes} bytes of files (MAX_IMPORT_BYTES)`);
  }
  for (const file of files) await staged.copy(file);
  return files.map(({ id }) => id);
}

function requireSmall(document: string | Uint8Array): Uint8Array {
  const text = typeof document === 'string' ? Buffer.from(document) : document;
  if (text.length > MAX_TEXT_BYTES) throw new AppError('limit', `A board can be copied with at most ${MAX_TEXT_BYTES} bytes besides its files`);
  return text;
}

/** A copy that was made long ago, as it is now. */
function asMade(summary: string | null): string {
  const board = JSON.parse(summary ?? '{}') as Readonly<Record<string, unknown>>;
  return JSON.stringify(Object.fromEntries(Object.keys(Board.entries).map((name) => [name, board[name]])));
}

/** Null if everything about the request is valid. */
function refusedInput({ body, idempotency }: RawCall): RefusedInput | null {
  const refused = [idempotency, body].find((validated) => !validated.ok);
  return refused === undefined || refused.ok ? null : { refused: refused.error, path: {} };
}

export const copyOperations: readonly Operation[] = [copyCard, copyColumn, copyBoard];
