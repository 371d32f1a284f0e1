/** What travels between the I/O thread and the document thread. */
import type { ImportRequest, PlannedImport } from '../api/documentsPort.js';
import type { Judged } from '../api/judged.js';
import type { ErrorData } from '../domain/errors.js';
import type { PublicUser } from '../domain/user.js';

/** One task at a time. */
export type ToThread =
  | { readonly kind: 'body'; readonly operation: string; readonly bytes: Uint8Array }
  | { readonly kind: 'import'; readonly request: ImportRequest }
  /** The answer to the question for people. */
  | { readonly kind: 'people'; readonly users: ReadonlyArray<PublicUser | null> };

export type FromThread =
  | { readonly kind: 'judged'; readonly judged: Judged<unknown> }
  /** The document names these: who are they? */
  | { readonly kind: 'people'; readonly emails: readonly string[] }
  | { readonly kind: 'planned'; readonly planned: PlannedImport }
  | { readonly kind: 'refused'; readonly error: ErrorData }
  /** A fault of ours. */
  | { readonly kind: 'failed'; readonly reason: string };
