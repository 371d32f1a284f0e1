/** Parsing and validation of bodies that are too large for the I/O thread; done in a separate thread. */
import type { BoardPlan } from '../domain/document/boardPlan.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/account/user.js';
import type { CopyOptions } from '../transfer/documentToCopy.js';
import type { ReceivedFile } from '../transfer/importPlan.js';
import type { Validated } from './operation/validated.js';

/** A larger body takes more than a millisecond to parse and validate. */
export const LARGE_BODY_BYTES = 32 * 1024;

/** Counts the memory of a document that is arriving or waits for its turn. */
export interface DocumentMemory {
  /** The receiver keeps this many bytes of it from now on. */
  keep(bytes: number): void;
  /** Sets the listener for a refusal: the memory is needed, or the client is gone. Called at once if that is so. */
  onRefused(listener: (reason: Error) => void): void;
}

export interface Documents {
  /** Validates the body of an operation against its schema. Callers take turns; those who are not known share theirs. */
  validateBody(operation: string, bytes: Uint8Array, caller: string): Promise<Validated<unknown>>;
  /**
   * Runs the rest of an import, whose document has this many bytes, when it is the user's turn. Rejects if the document
   * is refused before.
   */
  inTurn<Result>(user: Uuid, bytes: number, document: { readonly memory?: DocumentMemory }, task: () => Promise<Result>): Promise<Result>;
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
  /** The document in pieces, each with memory of its own. It is transferred: it can be used once. */
  readonly text: readonly Uint8Array[];
  readonly boardId: Uuid;
  readonly importer: PublicUser;
  readonly now: string;
  /** The files of the document, by mark. */
  readonly files: readonly ReceivedFile[];
  /** For one file. */
  readonly maxFileBytes: number;
  /** The document is of a board of this service, and its copy is wanted. */
  readonly copy?: CopyOptions;
}

/** A file of a new board that was no file of its document. */
export interface NewFile {
  readonly id: Uuid;
  readonly bytes: Uint8Array;
}

export const IMPORT_SOURCES = ['switchboard', 'trello'] as const;

export interface PlannedImport {
  readonly source: (typeof IMPORT_SOURCES)[number];
  /** The number of things of each kind on the board. */
  readonly imported: Readonly<Record<string, number>>;
  readonly left_out: readonly string[];
  /** The indexes of the files that the board uses. */
  readonly takenFiles: readonly number[];
  /** To be stored before the board is created. */
  readonly newFiles: readonly NewFile[];
  /** The new board as JSON, without its columns. */
  readonly board: string;
  readonly plan: BoardPlan;
}
