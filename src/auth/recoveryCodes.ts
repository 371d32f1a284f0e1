/** Codes that work once, for a user who has lost the device with the second factor. */
import { createHash, randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '../domain/account/factor.js';
import { toBase32 } from './totp.js';

/** 80 bits: too many to guess, so a fast hash is enough. */
const CODE_BYTES = 10;
const CODE = /^[a-z2-7]{16}$/;

export interface NewRecoveryCodes {
  /** For the user, this once. */
  readonly codes: readonly string[];
  /** What is stored. */
  readonly hashes: readonly string[];
}

export function newRecoveryCodes(): NewRecoveryCodes {
  const plain = Array.from({ length: RECOVERY_CODES }, () => toBase32(randomBytes(CODE_BYTES)).toLowerCase());
  return { codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')), hashes: plain.map(hash) };
}

/** Null if the text does not have the form of a recovery code. Dashes, spaces and capital letters do not matter. */
export function hashRecoveryCode(text: string): string | null {
  const plain = text.replace(/[\s-]/g, '').toLowerCase();
  return CODE.test(plain) ? hash(plain) : null;
}

function hash(plain: string): string {
  return createHash('sha256').update(`recovery code ${plain}`).digest('hex');
}
