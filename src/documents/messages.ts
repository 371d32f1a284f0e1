/** Messages between the I/O thread and the document thread. */
import type { FoundPeople, ImportRequest, PlannedImport } from '../api/documentsPort.js';
import type { Validated } from '../api/operation/validated.js';
import type { ErrorData } from '../domain/errors.js';
import type { BoardLimits } from '../domain/limits.js';

/** The worker data of the thread. */
export interface DocumentThreadSettings {
  readonly limits: BoardLimits;
}

/** One task at a time. */
export type ToThread =
  | { readonly kind: 'body'; readonly operation: string; readonly bytes: Uint8Array }
  /** `bytes`: the size of its text, which is transferred. */
  | { readonly kind: 'import'; readonly request: ImportRequest; readonly bytes: number }
  /** The answer to the thread's question about people. */
  | { readonly kind: 'people'; readonly people: FoundPeople };

export type FromThread =
  /** First of all. `clock`: the file that has its time on the processor, if there is one. */
  | { readonly kind: 'ready'; readonly clock: string | null }
  | { readonly kind: 'validated'; readonly validated: Validated<unknown> }
  /** Asks which users the addresses in the document belong to. */
  | { readonly kind: 'people'; readonly emails: readonly string[] }
  | { readonly kind: 'planned'; readonly planned: PlannedImport }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  /** A fault of ours. */
  | { readonly kind: 'failed'; readonly reason: string };
