/** Boards as documents: export, import, and import from Trello. */
import * as v from 'valibot';
import type { AuditDetails } from '../../../domain/audit.js';
import { bodyOf, textOf } from '../../../domain/ports/boardsPort.js';
import type { KeptAnswer } from '../../../domain/idempotency.js';
import type { Uuid } from '../../../domain/ids.js';
import { exportStream } from '../../../transfer/exportStream.js';
import { MAX_THINGS } from '../../../transfer/documentBounds.js';
import { clientOf } from '../../operation/audited.js';
import { askBoard, requireCaller, roleFor, toAnswer } from '../../operation/boardOperation.js';
import type { RequestKey } from '../../operation/requestKey.js';
import { findBoardOfRequest, replayOf } from '../boards/boardOfRequest.js';
import { importDocument, MAX_TEXT_BYTES } from './importDocument.js';
import { attachmentDisposition } from '../../operation/contentDisposition.js';
import { accepted, type IncomingDocument, type Operation, type OperationAnswer, type RawCall, type Services } from '../../operation/operation.js';
import { BoardDocument, ImportedBoard, RepeatedImport } from '../../schemas/resources.js';
import { IncomingBoard, TrelloExport } from '../../schemas/transferSchemas.js';

const tag = 'Export and import';

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
    'and shows the board at one point in time. If a file is deleted while the document is sent, the connection ends early. ' +
    'If `Accept-Encoding` allows gzip, it is compressed while it is sent and states no length.',
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
    'is created as a whole or not at all, and `left_out` lists what did not fit. A text of Trello that is too long is shortened, ' +
    'and a text file of its card has all of it. The setting `MAX_IMPORT_BYTES` limits ' +
    `the document; without its files it has at most ${MAX_TEXT_BYTES} bytes and ${MAX_THINGS} cards, items and other things.`,
  query: {},
  body: { kind: 'document', schema: v.union([IncomingBoard, TrelloExport]) },
  success: { status: 201, description: 'The new board, and the result of the import', schema: ImportedBoard },
  lateSchema: RepeatedImport,
  errors: {},
  async invoke(call, services) {
    const importer = requireCaller(call);
    const { ids } = services;
    const key = accepted(call.idempotency);
    const { boardId, kept, isMade } =
      key === null ? { boardId: ids.fresh(), kept: null, isMade: false } : await findBoardOfRequest(services, importer.id, key.key);
    if (key !== null && kept !== null) return repeat(call, services, key, kept);
    if (isMade) return repeatLate(call, services, boardId);
    const client = clientOf(call);
    const onMembers = (details: AuditDetails): void => {
      services.audit.record({ kind: 'board.imported', user: importer, client, subject: { id: boardId }, details });
    };
    return importDocument(services, { importer, boardId, key, document: documentOf(call), onMembers });
  },
};

export const transferOperations: readonly Operation[] = [exportBoard, importBoard];

/** The board, read by the rights that the caller has now. What was left out of the document is known no longer. */
async function repeatLate(call: RawCall, services: Services, target: Uuid): Promise<OperationAnswer> {
  await documentOf(call).receive(services.config.maxImportBytes, async () => undefined);
  const board = await askBoard(services, requireCaller(call), { op: 'board.summary', target, input: {} });
  return toAnswer(`{"board":${textOf(board) ?? ''}}`, { replayed: true });
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
