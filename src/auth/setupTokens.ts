/** The secret with which the operator makes the first superuser. It is random, so a plain hash of it reveals nothing. */
import { createHash, randomBytes } from 'node:crypto';

/** Recognisable by scanners of leaked secrets. */
const PREFIX = 'sws_';
const SECRET_BYTES = 24;
const TOKEN = /^sws_[\w-]{32}$/;

export function newSetupToken(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

export function isSetupToken(text: string): boolean {
  return TOKEN.test(text);
}

export function hashSetupToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
