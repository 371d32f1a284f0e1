/** Requests with the header `Idempotency-Key`, and what a repeated one is answered. */
import { MAX_KEY_CHARACTERS, type Idempotency } from '../domain/idempotency.js';
import type { BoardAnswer } from '../domain/ports/boardsPort.js';
import { bodyOf } from '../domain/ports/boardsPort.js';
import type { OperationAnswer, RawCall } from './operation.js';

export const KEY_HEADER = 'Idempotency-Key';
export const REPLAYED_HEADER = 'Idempotency-Replayed';
export const POSITION_HEADER = 'Board-Position';

/** Visible characters of ASCII. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`;

/** The key of a request. */
export interface RequestKey {
  readonly key: string;
  /** Of the method, the path and the body. Called when the body has been received. */
  fingerprint(): string;
}

export const REPLAYED: readonly [string, string] = [REPLAYED_HEADER, 'true'];

/** The part of a command that carries the key. An invalid key is refused with the input, after access. */
export function keyIn({ idempotency }: RawCall): { readonly idempotency?: Idempotency } {
  if (!idempotency.ok || idempotency.value === null) return {};
  const { key } = idempotency.value;
  return { idempotency: { key, fingerprint: idempotency.value.fingerprint() } };
}

/** The answer to a change of a board. */
export function boardAnswer(outcome: BoardAnswer & { ok: true }): OperationAnswer {
  return toAnswer(bodyOf(outcome), outcome);
}

export function toAnswer(
  json: string | Uint8Array | null,
  { position, replayed }: Pick<BoardAnswer & { ok: true }, 'position' | 'replayed'>,
): OperationAnswer {
  const headers: Array<readonly [string, string]> = [];
  if (position !== undefined) headers.push([POSITION_HEADER, position]);
  if (replayed === true) headers.push(REPLAYED);
  return { json, headers };
}
