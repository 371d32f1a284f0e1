/** What is too large to be parsed and validated where requests are served: it is done in a thread of its own. */
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import type { ReceivedFile } from '../transfer/importPlan.js';
import type { Validated } from './validated.js';

/** A larger body takes more than a millisecond to parse and validate. */
export const LARGE_BODY_BYTES = 32 * 1024;

export interface Documents {
  /** The body of an operation, against its schema. */
  validateBody(operation: string, bytes: Uint8Array): Promise<Validated<unknown>>;
  /** From the text of a document to the records of a new board. Throws what is wrong with the document. */
  planImport(request: ImportRequest, findPeople: FindPeople): Promise<PlannedImport>;
}

/** Called once at most, with every address that the document names. */
export type FindPeople = (emails: readonly string[]) => Promise<FoundPeople>;

export interface FoundPeople {
  /** For each e-mail address its user, or null. */
  readonly users: ReadonlyArray<PublicUser | null>;
  /** Those of them whom the importer may not add today. */
  readonly notInvited: readonly Uuid[];
}

export interface ImportRequest {
  readonly text: Uint8Array;
  readonly boardId: Uuid;
  readonly importer: PublicUser;
  readonly now: string;
  /** The files of the document by their marks. */
  readonly files: readonly ReceivedFile[];
}

export const IMPORT_SOURCES = ['switchboard', 'trello'] as const;

export interface PlannedImport {
  readonly source: (typeof IMPORT_SOURCES)[number];
  /** How many things of each kind the board will have. */
  readonly imported: Readonly<Record<string, number>>;
  readonly left_out: readonly string[];
  /** The places of the files that the board will have. */
  readonly takenFiles: readonly number[];
  /** The new board as JSON, without its columns. */
  readonly board: string;
  readonly plan: BoardPlan;
}
