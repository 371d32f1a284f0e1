import { AppError } from '../domain/errors.js';

/** Characters that decode together. */
const GROUP = 4;
const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes Base64 that arrives in pieces. Node's decoder skips unknown characters, so damage would go unnoticed. */
export class Base64Decoder {
  #rest = '';
  #ended = false;

  push(piece: Uint8Array): Buffer {
    const text = this.#rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    if (text === '') return Buffer.alloc(0);
    if (this.#ended || !ALPHABET.test(text)) throw damaged();
    const whole = text.length - (text.length % GROUP);
    this.#rest = text.slice(whole);
    this.#ended = text.endsWith('=') && this.#rest === '';
    return Buffer.from(text.slice(0, whole), 'base64');
  }

  /** No more input follows. */
  finish(): void {
    if (this.#rest !== '') throw damaged();
  }
}

function damaged(): AppError {
  return new AppError('malformed', 'body: the content of a file is not valid Base64');
}
