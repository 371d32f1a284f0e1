import type { ErrorData } from './errors.js';

export interface Refused {
  readonly ok: false;
  readonly error: ErrorData;
}

/** The fields of a success, or the reason of a refusal. */
export type Result<Success extends object> = ({ readonly ok: true } & Success) | Refused;
