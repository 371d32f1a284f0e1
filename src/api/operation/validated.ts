import type { Result } from '../../domain/result.js';

/** Validated input, or its error to be reported later. */
export type Validated<T> = Result<{ readonly value: T }>;
