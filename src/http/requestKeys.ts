/** Reads the idempotency key of a request, and makes its fingerprint while the body arrives. */
import { createHmac, hkdfSync, type Hmac } from 'node:crypto';
import { KEY_HEADER, KEY_PATTERN, type RequestKey } from '../api/operation/requestKey.js';
import type { IncomingDocument, Operation, Upload } from '../api/operation/operation.js';
import type { Validated } from '../api/operation/validated.js';
import { MAX_KEY_CHARACTERS } from '../domain/idempotency.js';
import { Turns } from '../flow/turns.js';

const PURPOSE = 'switchboard fingerprints of requests 1';
const SECRET_BYTES = 32;
/** A millisecond on a slow processor. Of all bodies together, one slice is taken in a turn of the event loop. */
export const SLICE_BYTES = 128 * 1024;
const VALID = new RegExp(KEY_PATTERN);

export const NO_KEY: Validated<null> = { ok: true, value: null };
const INVALID: Validated<never> = {
  ok: false,
  error: { code: 'invalid', detail: `${KEY_HEADER}: must have 1 to ${MAX_KEY_CHARACTERS} visible characters` },
};

/** The key of a request whose body is still to come. */
export class IncomingKey implements RequestKey {
  readonly key: string;
  readonly #hmac: Hmac;
  readonly #turns: Turns;
  #digest: string | null = null;

  constructor(key: string, hmac: Hmac, turns: Turns) {
    this.key = key;
    this.#hmac = hmac;
    this.#turns = turns;
  }

  /** The next bytes of the body. */
  take(bytes: Uint8Array | string): void {
    this.#hmac.update(bytes);
  }

  /** A long body, which takes turns with others: of twenty that arrive together, the last would wait for all. */
  async takeWhole(bytes: Uint8Array, isWanted: () => boolean = () => true): Promise<void> {
    for (let at = 0; at < bytes.length && isWanted(); at += SLICE_BYTES) {
      await new Promise<void>((resolve) => this.#turns.add(resolve));
      this.take(bytes.subarray(at, at + SLICE_BYTES));
    }
  }

  fingerprint(): string {
    return (this.#digest ??= this.#hmac.digest('base64url'));
  }
}

/**
 * A fingerprint lies in a file for a day, and the body of its request may have contained a password. So it is keyed with a
 * secret that is in no file. With another secret a repeated request counts as another one.
 */
export class RequestKeys {
  readonly #secret: Uint8Array;
  readonly #turns = new Turns();

  constructor(secret: string) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), PURPOSE, SECRET_BYTES));
  }

  /** `key`: the header. A read needs none. */
  read(key: string, { method }: Operation, path: string): Validated<IncomingKey | null> {
    if (method === 'GET') return NO_KEY;
    if (!VALID.test(key)) return INVALID;
    // Ids in a path are accepted in any case.
    const hmac = createHmac('sha256', this.#secret).update(`${method} ${path.toLowerCase()}\n`);
    return { ok: true, value: new IncomingKey(key, hmac, this.#turns) };
  }
}

/** The form differs with each attempt, by its boundary, so the fingerprint is of the file. */
export function fingerprintedUpload(upload: Upload, key: IncomingKey | null): Upload {
  if (key === null) return upload;
  return {
    async receive(maxBytes, onChunk) {
      const file = await upload.receive(maxBytes, (bytes) => {
        key.take(bytes);
        return onChunk(bytes);
      });
      key.take(JSON.stringify([file.name, file.mime_type, file.size]));
      return file;
    },
  };
}

export function fingerprintedDocument(document: IncomingDocument, key: IncomingKey | null): IncomingDocument {
  if (key === null) return document;
  const { memory } = document;
  return {
    ...(memory === undefined ? {} : { memory }),
    receive: (maxBytes, onChunk) =>
      document.receive(maxBytes, (bytes) => {
        key.take(bytes);
        return onChunk(bytes);
      }),
  };
}
