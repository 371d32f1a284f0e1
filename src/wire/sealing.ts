/** Encrypts snapshots, and secrets in commits of the directory, for the other instances, with a shared key. */
import { SealedBox } from '../sealedBox.js';
import { Refusal } from './refusal.js';

const PURPOSE = 'switchboard secrets between instances 1';

export class Seal {
  readonly #box: SealedBox;

  /** `material`: the shared secret, of any length. */
  constructor(material: Uint8Array) {
    this.#box = new SealedBox(material, PURPOSE);
  }

  /** `context` is authenticated but not included; opening requires the same context. */
  close(secret: Uint8Array, context: Uint8Array): Uint8Array {
    return this.#box.seal(secret, context);
  }

  open(sealed: Uint8Array, context: Uint8Array): Uint8Array {
    const opened = this.#box.open(sealed, context);
    if (opened === null) throw new Refusal('sealed', 'a secret that was sealed with another key, or for another message, or was cut off');
    return opened;
  }
}
