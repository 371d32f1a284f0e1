/** Seals secrets of users, so that a reader of the data cannot use them. */
import type { Uuid } from '../domain/ids.js';
import { SealedBox } from '../sealedBox.js';

/** What a secret is for: each has a key of its own. */
const PURPOSES = {
  factors: 'switchboard second factors 1',
  webhooks: 'switchboard webhooks 1',
} as const;

export class SealedSecrets {
  readonly #box: SealedBox;

  /** `secret`: the secret of the access tokens. With another one, what was sealed cannot be opened. */
  constructor(secret: string, purpose: keyof typeof PURPOSES) {
    this.#box = new SealedBox(secret, PURPOSES[purpose]);
  }

  /** A sealed secret opens for its own user or webhook alone. */
  seal(owner: Uuid, secret: Uint8Array): string {
    return this.#box.seal(secret, Buffer.from(owner)).toString('base64');
  }

  /** Null if it was sealed with another secret, or for another owner. */
  open(owner: Uuid, sealed: string): Buffer | null {
    return this.#box.open(Buffer.from(sealed, 'base64'), Buffer.from(owner));
  }
}
