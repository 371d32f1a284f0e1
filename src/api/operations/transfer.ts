/** Boards as documents: export, import, and import from Trello. */
import * as v from 'valibot';
import type { BoardPlan } from '../../domain/document/boardPlan.js';
import { bodyOf, type BoardAnswer, type ImportAnswer } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import type { KeptAnswer } from '../../domain/idempotency.js';
import type { PublicUser } from '../../domain/user.js';
import { exportStream } from '../../transfer/exportStream.js';
import { FileSplitter } from '../../transfer/fileSplitter.js';
import { MAX_THINGS } from '../../transfer/modesty.js';
import { askBoard, requireCaller, roleFor } from '../boardOperation.js';
import { cleanUp } from '../cleanUp.js';
import { toAnswer } from '../keyedAnswer.js';
import type { RequestKey } from '../requestKey.js';
import { findBoardOfRequest, replayOf, tryAgain } from './boardOfRequest.js';
import { withinBoardQuota } from './boardQuota.js';
import { attachmentDisposition } from '../contentDisposition.js';
import type { FoundPeople } from '../documentsPort.js';
import { reserveGrants, type ReservedGrants } from './invitations.js';
import { accepted, type IncomingDocument, type Operation, type OperationAnswer, type RawCall, type Services } from '../operation.js';
import { BoardDocument, ImportedBoard } from '../schemas/resources.js';
import { StagedFiles } from './stagedFiles.js';
import { TrelloExport } from '../schemas/transferSchemas.js';

const tag = 'Export and import';

/**
 * The limit of a document without its files, which is held in memory and parsed at once: a board of about 50,000 cards.
 */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;

const RELEASING = 'releasing memberships that were not granted';
const DROPPING = 'dropping its files';

const exportBoard: Operation = {
  name: 'board.export',
  method: 'GET',
  path: '/boards/{board_id}/export',
  access: roleFor('board.export'),
  quota: 'export',
  tag,
  summary: 'Export a board',
  description:
    'Returns everything on the board, including its files, as one document. It names users by their e-mail addresses ' +
    'and shows the board at one point in time. If a file is deleted while the document is sent, the connection ends early.',
  query: {},
  body: null,
  success: {
    status: 200,
    description: 'The document',
    schema: BoardDocument,
    headers: { 'Content-Disposition': 'A name for the file' },
  },
  errors: {},
  async invoke(call, services) {
    const caller = requireCaller(call);
    const target = call.params['board_id'] ?? '';
    const document = await askBoard(services, caller, { op: 'board.export', target, input: {} });
    return {
      json: null,
      headers: [
        ['Content-Type', 'application/json'],
        ['Content-Disposition', attachmentDisposition(`board-${target}.json`)],
      ],
      stream: await exportStream(bodyOf(document) ?? '', services.content),
    };
  },
};

const importBoard: Operation = {
  name: 'board.import',
  method: 'POST',
  path: '/boards/import',
  access: 'user',
  quota: 'import',
  tag,
  summary: 'Import a board',
  description:
    'Creates a board from an export of this service or of Trello (“Export as JSON”), and detects which one it is. The ' +
    'caller becomes an owner of the new board. Members whose e-mail address belongs to a user are imported. The board ' +
    'is created as a whole or not at all, and `left_out` lists what did not fit. The setting `MAX_IMPORT_BYTES` limits ' +
    `the document; without its files it has at most ${MAX_TEXT_BYTES} bytes and ${MAX_THINGS} cards, items and other things.`,
  query: {},
  body: { kind: 'document', schema: v.union([BoardDocument, TrelloExport]) },
  success: { status: 201, description: 'The new board, and the result of the import', schema: ImportedBoard },
  errors: {},
  async invoke(call, services) {
    const importer = requireCaller(call);
    const { content, ids, config } = services;
    const key = accepted(call.idempotency);
    const { boardId, kept } =
      key === null ? { boardId: ids.fresh(), kept: null } : await findBoardOfRequest(services, importer.id, key.key);
    if (key !== null && kept !== null) return repeat(call, services, key, kept);
    const files = new StagedFiles({ content, ids, boardId, maxBytes: config.maxAttachmentBytes });
    // The cast prevents TypeScript from narrowing it to null: a callback sets it.
    let grants = null as ReservedGrants | null;
    let isOver = false as boolean;
    try {
      const text = await receiveText(call, services, files);
      const now = services.now().toISOString();
      const request = { text, boardId, importer, now, files: files.received };
      const { plan, board, takenFiles, ...outcome } = await services.documents.planImport(request, async (emails) => {
        const { grants: reserved, ...people } = await findPeople(services, importer, emails);
        if (isOver) await cleanUp(services, RELEASING, reserved.release);
        else grants = reserved;
        return people;
      });
      await files.dropAllBut(takenFiles);
      const body = `{"board":${board},${JSON.stringify(outcome).slice(1)}`;
      const keep = key && { scope: importer.id, key: key.key, fingerprint: key.fingerprint(), body };
      const made = await makeBoard(services, importer, plan, keep ?? undefined);
      if (made.replayed !== true) return toAnswer(body, made);
      // The same request was faster, and its board counts.
      await cleanUp(services, RELEASING, async () => grants?.release());
      await cleanUp(services, DROPPING, () => files.dropAllBut([]));
      return toAnswer(made.json, made);
    } catch (error) {
      isOver = true;
      await cleanUp(services, RELEASING, async () => grants?.release());
      await cleanUp(services, DROPPING, () => files.dropAllBut([]));
      throw error;
    }
  },
};

export const transferOperations: readonly Operation[] = [exportBoard, importBoard];

async function receiveText(call: RawCall, { config }: Services, files: StagedFiles): Promise<Buffer> {
  const splitter = new FileSplitter(files, MAX_TEXT_BYTES);
  await documentOf(call).receive(config.maxImportBytes, (chunk) => splitter.push(chunk));
  return splitter.finish();
}

/** The key was used before. The document is compared and not stored again. */
async function repeat(call: RawCall, { config }: Services, key: RequestKey, kept: KeptAnswer): Promise<OperationAnswer> {
  await documentOf(call).receive(config.maxImportBytes, async () => undefined);
  return replayOf(kept, key);
}

function documentOf({ document }: RawCall): IncomingDocument {
  if (document === null) throw new Error('an import was routed without its body');
  return document;
}

/** The users named in the document, and those whom the importer may not add today. */
async function findPeople(
  services: Services,
  importer: PublicUser,
  emails: readonly string[],
): Promise<FoundPeople & { readonly grants: ReservedGrants }> {
  const users = emails.length === 0 ? [] : await services.directory.ask('user.findByEmail', { emails });
  const others = [...new Set(users.flatMap((user) => (user === null || user.id === importer.id ? [] : [user.id])))];
  const grants = await reserveGrants(services, importer.id, others.length);
  return { users, notInvited: others.slice(grants.count), grants };
}

async function makeBoard(
  services: Services,
  importer: PublicUser,
  plan: BoardPlan,
  keep: ImportAnswer | undefined,
): Promise<BoardAnswer & { ok: true }> {
  const outcome = await withinBoardQuota(services, importer.id, plan.board_id, () => services.imports.import(plan, keep));
  if (outcome.ok) return outcome;
  // The key is taken. The files are stored under it, so only a new request helps.
  throw outcome.error.code === 'conflict' ? tryAgain() : AppError.from(outcome.error);
}
