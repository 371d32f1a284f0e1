/**
 * Shows whether instances check access tokens alike, without the secret: the digest is keyed with one that is derived
 * from the secret of the cluster.
 */
import { createHmac, hkdfSync } from 'node:crypto';

export interface TokenSecrets {
  readonly clusterSecret: string | Uint8Array;
  /** Everything that access tokens are signed and checked with: the secret, and whatever else must be equal. */
  readonly tokens: readonly string[];
  /** The id of the cluster. */
  readonly context: string;
}

const KEY_BYTES = 32;
const DIGEST_CHARACTERS = 32;
const PURPOSE = 'switchboard comparison of secrets 1';

export function tokenDigest({ clusterSecret, tokens, context }: TokenSecrets): string {
  const key = new Uint8Array(hkdfSync('sha256', clusterSecret, context, PURPOSE, KEY_BYTES));
  return createHmac('sha256', key)
    .update(JSON.stringify(['tokens', tokens]))
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS);
}
