/** The secrets of API keys. They are random, so a plain hash of one reveals nothing. */
import { createHash, randomBytes } from 'node:crypto';

/** Recognisable by scanners of leaked secrets. */
const PREFIX = 'swb_';
const SECRET_BYTES = 32;
/** Of the secret: enough to recognise a key by, and useless for guessing the rest. */
const SHOWN_CHARACTERS = 4;
const KEY = /^swb_[\w-]{43}$/;

export interface NewKeySecret {
  readonly key: string;
  readonly prefix: string;
  readonly token_hash: string;
}

export function newApiKey(): NewKeySecret {
  const key = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { key, prefix: key.slice(0, PREFIX.length + SHOWN_CHARACTERS), token_hash: hashApiKey(key) };
}

export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** Whether a credential is meant as a key: access tokens begin otherwise. */
export function isApiKey(credential: string): boolean {
  return credential.startsWith(PREFIX);
}

/** Whether it has the form of a key that we make. */
export function isWellFormedKey(credential: string): boolean {
  return KEY.test(credential);
}
