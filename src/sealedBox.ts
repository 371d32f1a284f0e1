/** AES-256-GCM with a key for one purpose: what it seals can be read and changed only by who has the secret. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
/** The length that GCM is made for. Random ones repeat after about 2^32 seals with a probability of one in 2^32. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

const NO_CONTEXT = new Uint8Array(0);

export class SealedBox {
  readonly #key: Uint8Array;

  /** `secret`: of any length; the key is derived from it. What was sealed for one purpose cannot be opened for another. */
  constructor(secret: string | Uint8Array, purpose: string) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), purpose, KEY_BYTES));
  }

  /** `context` is authenticated but not included; opening requires the same context. */
  seal(content: Uint8Array, context: Uint8Array = NO_CONTEXT): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(context);
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  /** Null if it was sealed with another secret, for another purpose or in another context, or was changed. */
  open(sealed: Uint8Array, context: Uint8Array = NO_CONTEXT): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES)).setAAD(context);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      // The tag does not fit: the only way in which `final` fails.
      return null;
    }
  }
}
