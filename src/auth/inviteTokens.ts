/** The secrets of invitation links. They are random, so a plain hash of one reveals nothing. */
import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'swi_';
const SECRET_BYTES = 24;

export function newInviteToken(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

export function hashInviteToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
