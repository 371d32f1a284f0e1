/** From the text of a document to the records of a new board. */
import type { FindPeople, ImportRequest, NewFile, PlannedImport } from '../api/documentsPort.js';
import { validate } from '../api/operation/validate.js';
import { accepted } from '../api/operation/operation.js';
import { digestOf } from '../api/operations/transfer/chunkWriter.js';
import { parseJson } from '../api/operation/strictJson.js';
import { IncomingBoard } from '../api/schemas/transferSchemas.js';
import type { BoardDocument } from '../domain/document/boardDocument.js';
import { cutIntoSlices } from '../domain/document/boardPlan.js';
import { decide } from '../domain/commands/decide.js';
import { AppError } from '../domain/errors.js';
import { boardKeyOf, IdSource, type Uuid } from '../domain/ids.js';
import type { ImportedBoard } from '../domain/document/importedBoard.js';
import type { BoardLimits } from '../domain/limits.js';
import type { PublicUser } from '../domain/account/user.js';
import { documentToCopy } from '../transfer/documentToCopy.js';
import { LongTexts } from '../transfer/longTexts.js';
import { planImport, type ReceivedFile } from '../transfer/importPlan.js';
import { Omissions } from '../transfer/omissions.js';
import { countThings, requireBounded } from '../transfer/documentBounds.js';
import { fromTrello } from '../transfer/trello.js';
import { isTrelloExport, TrelloBoard } from '../transfer/trelloBoard.js';

/** A board of fifty thousand cards has a third of this. */
const MAX_VALUES = 2_000_000;

export async function planBoard(request: ImportRequest, findPeople: FindPeople, limits: BoardLimits): Promise<PlannedImport> {
  const { text, boardId, importer, now, files, maxFileBytes, copy } = request;
  const leftOut = new Omissions();
  const parsed = parseJson(Buffer.concat(text), MAX_VALUES);
  const { source, document, longTexts } = readDocument(copy === undefined ? parsed : documentToCopy(parsed as BoardDocument, copy), leftOut);
  const { people, notInvited } = await findMembers(document, findPeople);
  const taken = new Set<number>();
  const takeFile = (mark: string): ReceivedFile => takeOnce(files, taken, mark);
  const ids = new IdSource();
  const key = boardKeyOf(boardId);
  const newFiles: NewFile[] = [];
  const store = (bytes: Uint8Array): { id: Uuid; digest: string } => {
    const id = ids.onBoard(key);
    newFiles.push({ id, bytes });
    return { id, digest: digestOf(bytes) };
  };
  const planned = planImport(document, { importer, people, notInvited, takeFile }, leftOut);
  const imported = longTexts.attach(planned, { limits, maxFileBytes, store }, leftOut);
  const { outcome, changes } = decide(
    null,
    { op: 'board.import', caller: { user_id: importer.id }, target: boardId, input: imported },
    { now, newId: () => ids.onBoard(key), limits },
  );
  if (!outcome.ok) throw AppError.from(outcome.error);
  return {
    source,
    imported: countImported(imported),
    left_out: leftOut.notes,
    takenFiles: [...taken],
    newFiles,
    board: outcome.json ?? 'null',
    plan: cutIntoSlices(boardId, changes),
  };
}

interface ReadDocument {
  readonly source: PlannedImport['source'];
  readonly document: BoardDocument;
  readonly longTexts: LongTexts;
}

/** Trello exports are converted and then validated by the same rules as our own documents. */
function readDocument(value: unknown, leftOut: Omissions): ReadDocument {
  const isTrello = isTrelloExport(value);
  requireBounded(countThings(value, isTrello));
  const { document: own, longTexts } = isTrello
    ? fromTrello(accepted(validateDocument(TrelloBoard, value)) as TrelloBoard, leftOut)
    : { document: value, longTexts: new LongTexts() };
  // The schema has validated the form of a document.
  const document = accepted(validateDocument(IncomingBoard, own)) as BoardDocument;
  return { source: isTrello ? 'trello' : 'switchboard', document, longTexts };
}

function validateDocument(schema: typeof IncomingBoard | typeof TrelloBoard, value: unknown) {
  return validate(schema, value, 'body', { firstOnly: true });
}

async function findMembers(
  { members }: BoardDocument,
  findPeople: FindPeople,
): Promise<{ people: ReadonlyMap<string, PublicUser | null>; notInvited: ReadonlySet<Uuid> }> {
  const emails = [...new Set(members.map(({ email }) => email))];
  if (emails.length === 0) return { people: new Map(), notInvited: new Set() };
  const { users, notInvited } = await findPeople(emails);
  const people = new Map(emails.map((email, place) => [email, users[place] ?? null]));
  return { people, notInvited: new Set(notInvited) };
}

/** By its mark, which is its index. Each file is returned only once. */
function takeOnce(files: readonly ReceivedFile[], taken: Set<number>, mark: string): ReceivedFile {
  const place = /^\d{1,5}$/.test(mark) ? Number(mark) : -1;
  const file = files[place];
  if (file === undefined || taken.has(place)) return { kind: 'missing' };
  taken.add(place);
  return file;
}

function countImported({ members, labels, columns, rules }: ImportedBoard): Record<string, number> {
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
    comments: cards.reduce((sum, { comments }) => sum + comments.length, 0),
    rules: rules.length,
  };
}
