/** Parses the bytes of a body. */
import { AppError } from '../../domain/errors.js';
import { refused } from './validate.js';
import type { Validated } from './validated.js';
import type { BodySpec } from './operation.js';
import { decodeText, parseJson } from './strictJson.js';

export function parseBody({ kind }: BodySpec, bytes: Uint8Array): unknown {
  return kind === 'json' ? parseJson(bytes) : Object.fromEntries(new URLSearchParams(decodeText(bytes)));
}

/** A refusal is a value, not an exception: it may have to wait for other checks. */
export function refusedBody(error: unknown): Validated<never> {
  if (error instanceof AppError) return refused(error);
  throw error;
}
