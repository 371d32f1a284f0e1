/** The parameters in the path of an operation: ids, and the number of a card. */
import { AppError } from '../../domain/errors.js';
import { parseUuid } from '../../domain/ids.js';

export const NUMBER = 'number';
/** No number of a card is longer. */
const WHOLE = /^[1-9]\d{0,9}$/;

export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** As the API document describes it. */
export function pathParameterSchema(name: string): {
  readonly type: 'integer' | 'string';
  readonly format?: 'uuid';
  readonly minimum?: number;
  readonly maximum?: number;
} {
  return name === NUMBER ? { type: 'integer', minimum: 1, maximum: 9_999_999_999 } : { type: 'string', format: 'uuid' };
}

/** In their normal form. Throws if one is no id, or no number. */
export function parsePathParameters(params: Record<string, string>): Record<string, string> {
  for (const name in params) {
    const text = params[name] ?? '';
    const parsed = name === NUMBER ? (WHOLE.test(text) ? text : undefined) : parseUuid(text);
    if (parsed === undefined) throw new AppError('invalid', name === NUMBER ? `${name}: must be a whole number from 1` : `${name}: must be a UUID`);
    params[name] = parsed;
  }
  return params;
}
