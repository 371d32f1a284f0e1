import type { ErrorData } from '../domain/errors.js';

/** Validated input, or its error to be reported later. */
export type Validated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorData };
