/** Seals the secrets of second factors, so that a reader of the data cannot make codes: AES-256-GCM. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Uuid } from '../domain/ids.js';

const PURPOSE = 'switchboard second factors 1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class FactorSecrets {
  readonly #key: Uint8Array;

  /** `secret`: that of the access tokens. With another one, what was sealed cannot be opened. */
  constructor(secret: string) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), PURPOSE, KEY_BYTES));
  }

  /** A sealed secret opens for its own user alone. */
  seal(userId: Uuid, secret: Uint8Array): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(userId));
    return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** Null if it was sealed with another secret, or for another user. */
  open(userId: Uuid, sealed: string): Buffer | null {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(userId));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      // The tag does not fit: the only way in which `final` fails.
      return null;
    }
  }
}
