/**
 * Shows whether instances have the same secrets, without the secrets: each digest is keyed with one that is derived from
 * the shared secret, so that whoever reads the network cannot test guesses of the other.
 */
import { createHmac, hkdfSync } from 'node:crypto';

export interface SecretDigests {
  readonly cluster: string;
  /** Of everything that access tokens are signed and checked with. Equal only if `cluster` is. */
  readonly tokens: string;
}

export interface DigestedSecrets {
  readonly clusterSecret: string | Uint8Array;
  /** The secret, and whatever else must be equal. */
  readonly tokens: readonly string[];
  /** The id of the cluster. */
  readonly context: string;
}

const KEY_BYTES = 32;
const DIGEST_CHARACTERS = 32;
const PURPOSE = 'switchboard comparison of secrets 1';

export function secretDigests({ clusterSecret, tokens, context }: DigestedSecrets): SecretDigests {
  const key = new Uint8Array(hkdfSync('sha256', clusterSecret, context, PURPOSE, KEY_BYTES));
  const digest = (name: string, value: unknown): string =>
    createHmac('sha256', key).update(JSON.stringify([name, value])).digest('hex').slice(0, DIGEST_CHARACTERS);
  return { cluster: digest('cluster', null), tokens: digest('tokens', tokens) };
}
