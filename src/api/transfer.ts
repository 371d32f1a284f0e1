/** Boards as documents: out of the service, into it, and from Trello. */
import * as v from 'valibot';
import type { BoardDocument as Document } from '../domain/boardDocument.js';
import { bodyOf, textOf } from '../domain/boardsPort.js';
import { AppError } from '../domain/errors.js';
import type { ImportedBoard as Plan } from '../domain/importedBoard.js';
import type { PublicUser } from '../domain/user.js';
import { exportStream } from '../transfer/exportStream.js';
import { FileSplitter } from '../transfer/fileSplitter.js';
import { planImport } from '../transfer/importPlan.js';
import { LeftOut } from '../transfer/leftOut.js';
import { fromTrello } from '../transfer/trello.js';
import { countTrelloThings, isTrelloExport, TrelloBoard } from '../transfer/trelloBoard.js';
import { askBoard, requireCaller } from './boardOperation.js';
import { attachmentDisposition } from './contentDisposition.js';
import { judge } from './judge.js';
import { accepted, type Operation, type RawCall, type Services } from './operation.js';
import { BoardDocument, ImportedBoard } from './resources.js';
import { StagedFiles } from './stagedFiles.js';
import { parseJson } from './strictJson.js';
import { IncomingBoard, TrelloExport } from './transferSchemas.js';

const tag = 'Export and import';

/** Of a document without its files, which is held in memory and parsed in one go: a board of some 50,000 cards. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** Cards, items and the rest together: they are written in one commit, for which all boards of the shard wait. */
const MOST_THINGS = 50_000;

const exportBoard: Operation = {
  name: 'board.export',
  method: 'GET',
  path: '/boards/{board_id}/export',
  access: 'owner',
  tag,
  summary: 'A board as one document',
  description:
    'Everything on the board, its files included. People are named by their e-mail addresses. The document is the ' +
    'board at one moment; when a file is deleted while it is sent, the connection breaks off before its end.',
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
    const document = await askBoard(services, caller, 'owner', { op: 'board.export', target, input: {} });
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
  tag,
  summary: 'Make a board from a document',
  description:
    'From an export of this service, or of Trello (“Export as JSON”), which is recognised by itself. The caller ' +
    'becomes an owner of the new board; people are taken over where someone here has their e-mail address. The board ' +
    'is made as a whole or not at all, and `left_out` tells what did not fit. The setting `MAX_IMPORT_BYTES` bounds ' +
    `the document; without its files it may have ${MAX_TEXT_BYTES} bytes, and name ${MOST_THINGS} things.`,
  query: {},
  body: { kind: 'document', schema: v.union([BoardDocument, TrelloExport]) },
  success: { status: 201, description: 'The new board, and what became of the document', schema: ImportedBoard },
  errors: {},
  async invoke(call, services) {
    const importer = requireCaller(call);
    const { content, ids, config } = services;
    const boardId = ids.fresh();
    const files = new StagedFiles({ content, ids, boardId, maxBytes: config.maxAttachmentBytes });
    try {
      const leftOut = new LeftOut();
      const { source, document } = readDocument(parseJson(await receiveText(call, services, files)), leftOut);
      const people = await findPeople(document, services);
      const plan = planImport(document, { importer, people, takeFile: (mark) => files.take(mark) }, leftOut);
      await files.drop('not taken');
      const board = await makeBoard(services, importer, boardId, plan);
      const outcome = JSON.stringify({ source, imported: countThings(plan), left_out: leftOut.notes });
      return { json: `{"board":${board},${outcome.slice(1)}` };
    } catch (error) {
      await files.drop('all');
      throw error;
    }
  },
};

export const transferOperations: readonly Operation[] = [exportBoard, importBoard];

async function receiveText({ document }: RawCall, { config }: Services, files: StagedFiles): Promise<Buffer> {
  if (document === null) throw new Error('an import was routed without its body');
  const splitter = new FileSplitter(files, MAX_TEXT_BYTES);
  await document.receive(config.maxImportBytes, (chunk) => splitter.push(chunk));
  return splitter.finish();
}

/** What comes from Trello is held against the same rules as our own documents. */
function readDocument(value: unknown, leftOut: LeftOut): { source: 'switchboard' | 'trello'; document: Document } {
  const isTrello = isTrelloExport(value);
  requireModest(isTrello ? countTrelloThings(value) : countObjects(value) - 1);
  const own = isTrello ? fromTrello(accepted(judge(TrelloBoard, value, 'body')) as TrelloBoard, leftOut) : value;
  // The judged value came out of the schema, which has the form of a document.
  const document = accepted(judge(IncomingBoard, own, 'body')) as Document;
  return { source: isTrello ? 'trello' : 'switchboard', document };
}

async function findPeople({ members }: Document, { directory }: Services): Promise<Map<string, PublicUser | null>> {
  const emails = [...new Set(members.map(({ email }) => email))];
  if (emails.length === 0) return new Map();
  const users = await directory.ask('user.findByEmail', { emails });
  return new Map(emails.map((email, place) => [email, users[place] ?? null]));
}

async function makeBoard(services: Services, importer: PublicUser, target: string, plan: Plan): Promise<string> {
  const outcome = await services.boards.ask({
    op: 'board.import',
    asker: { user_id: importer.id, role: 'anyone' },
    target,
    input: plan,
  });
  if (outcome.ok) return textOf(outcome) ?? 'null';
  // Another board has drawn the same key. The files are stored under this one, so that only a new try helps.
  if (outcome.error.code === 'conflict') throw new AppError('unavailable', 'Try again', { retryAfter: 1 });
  throw AppError.from(outcome.error);
}

/** Before they are judged and written, which takes longer than to count them. */
function requireModest(things: number): void {
  if (things <= MOST_THINGS) return;
  throw new AppError('too_large', `body: has ${things} cards, items and other things; at most ${MOST_THINGS} are taken`);
}

/** Each thing is an object, and so is the document. */
function countObjects(document: unknown): number {
  let objects = 0;
  for (const waiting: unknown[] = [document]; waiting.length > 0; ) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) objects += 1;
    for (const part of Object.values(value)) if (typeof part === 'object') waiting.push(part);
  }
  return objects;
}

function countThings({ members, labels, columns, rules }: Plan): Record<string, number> {
  const cards = columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  return {
    members: members.length,
    labels: labels.length,
    columns: columns.length,
    cards: cards.length,
    checklists: checklists.length,
    items: checklists.reduce((sum, { items }) => sum + items.length, 0),
    attachments: cards.reduce((sum, { attachments }) => sum + attachments.length, 0),
    rules: rules.length,
  };
}
