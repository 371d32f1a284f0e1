/** The header `Idempotency-Key`, and the headers of answers that belong to it. */
import { MAX_KEY_CHARACTERS } from '../../domain/idempotency.js';

export const KEY_HEADER = 'Idempotency-Key';
export const REPLAYED_HEADER = 'Idempotency-Replayed';
/** On the answer to a request that was carried out before. */
export const REPLAYED: readonly [string, string] = [REPLAYED_HEADER, 'true'];
export const POSITION_HEADER = 'Board-Position';

/** Visible characters of ASCII. */
export const KEY_PATTERN = `^[\\x21-\\x7e]{1,${MAX_KEY_CHARACTERS}}$`;

/** The key of a request. */
export interface RequestKey {
  readonly key: string;
  /** Of the method, the path and the body. Called when the body has been received. */
  fingerprint(): string;
}
