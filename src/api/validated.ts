import type { ErrorData } from '../domain/errors.js';

/** Input that has been held against its schema, with the verdict still to be acted upon. */
export type Validated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorData };
