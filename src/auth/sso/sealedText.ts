/** Texts that a browser keeps for us in a cookie and can neither read nor change. */
import { SealedBox } from '../../sealedBox.js';

const ALPHABET = /^[\w-]+$/;

export class SealedTexts {
  readonly #box: SealedBox;

  /** Texts that were sealed for one purpose cannot be opened for another. */
  constructor(secret: string, purpose: string) {
    this.#box = new SealedBox(secret, `switchboard ${purpose} 1`);
  }

  seal(text: string): string {
    return this.#box.seal(Buffer.from(text)).toString('base64url');
  }

  /** Null if we did not seal it. */
  open(sealed: string): string | null {
    if (!ALPHABET.test(sealed)) return null;
    return this.#box.open(Buffer.from(sealed, 'base64url'))?.toString() ?? null;
  }
}
