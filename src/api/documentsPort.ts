/** Parsing and validation of bodies that are too large for the I/O thread; done in a separate thread. */
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import type { ReceivedFile } from '../transfer/importPlan.js';
import type { Validated } from './validated.js';

/** A larger body takes more than a millisecond to parse and validate. */
export const LARGE_BODY_BYTES = 32 * 1024;

export interface Documents {
  /** Validates the body of an operation against its schema. */
  validateBody(operation: string, bytes: Uint8Array): Promise<Validated<unknown>>;
  /** Turns the text of a document into the records of a new board. Throws if the document is invalid. */
  planImport(request: ImportRequest, findPeople: FindPeople): Promise<PlannedImport>;
}

/** Called at most once, with every address in the document. */
export type FindPeople = (emails: readonly string[]) => Promise<FoundPeople>;

export interface FoundPeople {
  /** The user for each e-mail address, or null. */
  readonly users: ReadonlyArray<PublicUser | null>;
  /** Users whom the importer may not add today. */
  readonly notInvited: readonly Uuid[];
}

export interface ImportRequest {
  readonly text: Uint8Array;
  readonly boardId: Uuid;
  readonly importer: PublicUser;
  readonly now: string;
  /** The files of the document, by mark. */
  readonly files: readonly ReceivedFile[];
}

export const IMPORT_SOURCES = ['switchboard', 'trello'] as const;

export interface PlannedImport {
  readonly source: (typeof IMPORT_SOURCES)[number];
  /** The number of things of each kind on the board. */
  readonly imported: Readonly<Record<string, number>>;
  readonly left_out: readonly string[];
  /** The indexes of the files that the board uses. */
  readonly takenFiles: readonly number[];
  /** The new board as JSON, without its columns. */
  readonly board: string;
  readonly plan: BoardPlan;
}
