/** Creates a board from a document. */
import type { AuditDetails } from '../../../domain/audit.js';
import { membersIn, readSlice, type BoardPlan } from '../../../domain/document/boardPlan.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { BoardAnswer, ImportAnswer } from '../../../domain/ports/boardsPort.js';
import type { PublicUser } from '../../../domain/account/user.js';
import type { CopyOptions } from '../../../transfer/documentToCopy.js';
import { FileSplitter } from '../../../transfer/fileSplitter.js';
import { cleanUp } from '../../operation/cleanUp.js';
import type { FoundPeople, PlannedImport } from '../../documentsPort.js';
import { toAnswer } from '../../operation/boardOperation.js';
import type { IncomingDocument, OperationAnswer, Services } from '../../operation/operation.js';
import type { RequestKey } from '../../operation/requestKey.js';
import { tryAgain } from '../boards/boardOfRequest.js';
import { withinBoardQuota } from '../boards/boardQuota.js';
import { reserveGrants, type ReservedGrants } from '../accounts/invitations.js';
import { StagedFiles } from './stagedFiles.js';

/**
 * The limit of a document without its files, which is held in memory and parsed at once: a board of about 50,000 cards.
 */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** About 2 KB. */
const MEMBERS_PER_ENTRY = 50;
const RELEASING = 'releasing memberships that were not granted';
const DROPPING = 'dropping its files';

export type ImportServices = Pick<
  Services,
  'config' | 'directory' | 'imports' | 'trashedBoards' | 'content' | 'documents' | 'ids' | 'now' | 'report'
>;

export interface NewBoard {
  readonly importer: PublicUser;
  /** Of the new board. */
  readonly boardId: Uuid;
  readonly key: RequestKey | null;
  /** Called when the board exists, if it has members besides the importer: some of them at a time, each once. */
  readonly onMembers: (details: AuditDetails) => void;
}

export interface DocumentImport extends NewBoard {
  readonly document: IncomingDocument;
}

export async function importDocument(services: ImportServices, wanted: DocumentImport): Promise<OperationAnswer> {
  const { importer, document } = wanted;
  return withStagedFiles(services, wanted, async (files, reserve) => {
    const { text, bytes } = await receiveText(document, services, files);
    return services.documents.inTurn(importer.id, bytes, document, () => {
      return makeFrom(services, wanted, { files, reserve, text }, ({ board, ...report }) => `{"board":${board},${JSON.stringify(report).slice(1)}`);
    });
  });
}

/** Who reserves the memberships that the new board grants. */
export type Reserve = (reserved: ReservedGrants) => Promise<void>;

/** Files and memberships of a board that is not made are given back. */
export async function withStagedFiles(
  services: ImportServices,
  { boardId }: Pick<NewBoard, 'boardId'>,
  make: (files: StagedFiles, reserve: Reserve) => Promise<MadeBoard>,
): Promise<OperationAnswer> {
  const { content, ids, config } = services;
  const files = new StagedFiles({ content, ids, boardId, maxBytes: config.maxAttachmentBytes });
  // The cast prevents TypeScript from narrowing it to null: a callback sets it.
  let grants = null as ReservedGrants | null;
  let isOver = false as boolean;
  const reserve: Reserve = async (reserved) => {
    if (isOver) await cleanUp(services, RELEASING, reserved.release);
    else grants = reserved;
  };
  const giveBack = async (): Promise<void> => {
    await cleanUp(services, RELEASING, async () => grants?.release());
    await cleanUp(services, DROPPING, () => files.dropAllBut([]));
  };
  try {
    const { made, body } = await make(files, reserve);
    if (made.replayed !== true) return toAnswer(body, made);
    // The same request was faster, and its board counts.
    await giveBack();
    return toAnswer(made.json, made);
  } catch (error) {
    isOver = true;
    await giveBack();
    throw error;
  }
}

interface Source {
  readonly files: StagedFiles;
  readonly reserve: Reserve;
  readonly text: readonly Uint8Array[];
  /** Of the copy of a board. */
  readonly copy?: CopyOptions;
}

export type MadeReport = Pick<PlannedImport, 'board' | 'source' | 'imported' | 'left_out'>;

export interface MadeBoard {
  readonly made: Made;
  readonly body: string;
}

/** Makes the board of a document whose files are staged. */
export async function makeFrom(
  services: ImportServices,
  wanted: NewBoard,
  { files, reserve, text, copy }: Source,
  write: (report: MadeReport) => string,
): Promise<MadeBoard> {
  const { importer, boardId, key } = wanted;
  const request = {
    text,
    boardId,
    importer,
    now: services.now().toISOString(),
    files: files.received,
    maxFileBytes: services.config.maxAttachmentBytes,
    ...(copy && { copy }),
  };
  const { plan, takenFiles, newFiles, ...report } = await services.documents.planImport(request, async (emails) => {
    const { grants, ...people } = await findPeople(services, importer, emails);
    await reserve(grants);
    return people;
  });
  await files.dropAllBut(takenFiles);
  for (const file of newFiles) await files.add(file);
  const body = write(report);
  const keep = key && { scope: importer.id, key: key.key, fingerprint: key.fingerprint(), body };
  const made = await makeBoard(services, importer, plan, keep ?? undefined);
  if (made.replayed !== true) reportMembers(plan, wanted);
  return { made, body };
}

/** For the audit log. Several entries of a bounded size, because none of the members may be missing. */
function reportMembers({ last }: BoardPlan, { importer, onMembers }: NewBoard): void {
  const others = membersIn(readSlice(last)).filter(({ user }) => user.id !== importer.id);
  for (let from = 0; from < others.length; from += MEMBERS_PER_ENTRY) {
    const listed = others.slice(from, from + MEMBERS_PER_ENTRY).map(({ user, role }) => `${user.id} ${role}`);
    onMembers({ members: listed.join(', ') });
  }
}

/** The document without its files. */
interface ReceivedText {
  readonly text: readonly Uint8Array[];
  readonly bytes: number;
}

type Made = BoardAnswer & { readonly ok: true };

async function receiveText(document: IncomingDocument, { config }: ImportServices, files: StagedFiles): Promise<ReceivedText> {
  const splitter = new FileSplitter(files, MAX_TEXT_BYTES);
  await document.receive(config.maxImportBytes, async (chunk) => {
    await splitter.push(chunk);
    document.memory?.keep(splitter.textBytes);
  });
  return { text: splitter.finish(), bytes: splitter.textBytes };
}

/** The users named in the document, and those whom the importer may not add today. */
async function findPeople(
  services: ImportServices,
  importer: PublicUser,
  emails: readonly string[],
): Promise<FoundPeople & { readonly grants: ReservedGrants }> {
  const users = emails.length === 0 ? [] : await services.directory.ask('user.findByEmail', { emails });
  const others = [...new Set(users.flatMap((user) => (user === null || user.id === importer.id ? [] : [user.id])))];
  const grants = await reserveGrants(services, importer.id, others.length);
  return { users, notInvited: others.slice(grants.count), grants };
}

async function makeBoard(services: ImportServices, importer: PublicUser, plan: BoardPlan, keep: ImportAnswer | undefined): Promise<Made> {
  const outcome = await withinBoardQuota(services, importer.id, plan.board_id, () => services.imports.import(plan, keep));
  if (outcome.ok) return outcome;
  // The key is taken. The files are stored under it, so only a new request helps.
  throw outcome.error.code === 'conflict' ? tryAgain() : AppError.from(outcome.error);
}
