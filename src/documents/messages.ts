/** What travels between the I/O thread and the document thread. */
import type { FoundPeople, ImportRequest, PlannedImport } from '../api/documentsPort.js';
import type { Validated } from '../api/validated.js';
import type { ErrorData } from '../domain/errors.js';
import type { BoardLimits } from '../domain/limits.js';

/** What the thread is started with. */
export interface DocumentThreadSettings {
  readonly limits: BoardLimits;
}

/** One task at a time. */
export type ToThread =
  | { readonly kind: 'body'; readonly operation: string; readonly bytes: Uint8Array }
  | { readonly kind: 'import'; readonly request: ImportRequest }
  /** The answer to the question for people. */
  | { readonly kind: 'people'; readonly people: FoundPeople };

export type FromThread =
  | { readonly kind: 'validated'; readonly validated: Validated<unknown> }
  /** The document names these: who are they? */
  | { readonly kind: 'people'; readonly emails: readonly string[] }
  | { readonly kind: 'planned'; readonly planned: PlannedImport }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  /** A fault of ours. */
  | { readonly kind: 'failed'; readonly reason: string };
