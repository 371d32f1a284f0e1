/** Encrypts snapshots, and secrets in commits of the directory, for the other instances: AES-256-GCM with a shared key. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Refusal } from './refusal.js';

const KEY_BYTES = 32;
/** The nonce length of AES-GCM. Random nonces repeat after about 2^32 secrets with a probability of one in 2^32. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'switchboard secrets between instances 1';

export class Seal {
  readonly #key: Uint8Array;

  /** `material`: the shared secret, of any length; the key is derived from it. */
  constructor(material: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', material, new Uint8Array(0), PURPOSE, KEY_BYTES));
  }

  /** `context` is authenticated but not included; opening requires the same context. */
  close(secret: Uint8Array, context: Uint8Array): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(context);
    return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  }

  open(sealed: Uint8Array, context: Uint8Array): Uint8Array {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Refusal('sealed', 'a sealed secret that is too short');
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce).setAAD(context);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Refusal('sealed', 'a secret that was sealed with another key, or for another message');
    }
  }
}
