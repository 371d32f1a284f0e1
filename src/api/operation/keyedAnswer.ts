/** From a request that may have a key to the command, and from the board's answer to that of the request. */
import type { Idempotency } from '../../domain/idempotency.js';
import { bodyOf, type BoardAnswer } from '../../domain/ports/boardsPort.js';
import type { OperationAnswer, RawCall } from './operation.js';
import { POSITION_HEADER, REPLAYED_HEADER } from './requestKey.js';

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
