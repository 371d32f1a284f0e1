import type { QueryParameter } from './operation.js';
import { integerText } from '../schemas/fields.js';

interface Range {
  readonly min: number;
  /** Absent if there is none. */
  readonly max?: number;
  /** The value without the parameter. */
  readonly absent: number;
}

/** A whole number in a query string, which the document describes with the same bounds. */
export function integerParameter(description: string, { min, max, absent }: Range): QueryParameter<ReturnType<typeof integerText>> {
  const bounds = max === undefined ? { minimum: min } : { minimum: min, maximum: max };
  return {
    schema: integerText(min, max ?? Number.MAX_SAFE_INTEGER, absent),
    description,
    document: { type: 'integer', ...bounds, default: absent },
  };
}
