/**
 * Refresh tokens. A token names its session and its generation, and a MAC shows that we issued it. So nothing about it is
 * stored that a reader of the data could log in with.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { parseUuid, type Uuid } from '../domain/ids.js';

export interface RefreshClaim {
  readonly id: Uuid;
  readonly generation: number;
}

const PURPOSE = 'switchboard refresh tokens 1';
const SECRET_BYTES = 32;
/** Recognisable by scanners of leaked secrets. */
const PREFIX = 'swr_';
const TOKEN = /^swr_([0-9a-f-]{36})\.([1-9]\d{0,14})\.([\w-]{43})$/;

export class RefreshTokens {
  readonly #secret: Uint8Array;

  constructor(secret: string) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), PURPOSE, SECRET_BYTES));
  }

  issue({ id, generation }: RefreshClaim): string {
    return `${PREFIX}${id}.${generation}.${this.#mac(id, generation).toString('base64url')}`;
  }

  /** Null if we did not issue it. */
  read(token: string): RefreshClaim | null {
    const [, idText = '', generationText = '', macText = ''] = TOKEN.exec(token) ?? [];
    const id = parseUuid(idText);
    const generation = Number(generationText);
    if (id === undefined) return null;
    const mac = this.#mac(id, generation);
    // Compared as text, because several spellings decode to the same bytes.
    return timingSafeEqual(Buffer.from(mac.toString('base64url')), Buffer.from(macText)) ? { id, generation } : null;
  }

  #mac(id: Uuid, generation: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${id}.${generation}`).digest();
  }
}
