/** Tokens in links of mails with which their reader, without a login, gets no more of them. Sealed: they tell nothing, and do nothing else. */
import { parseUuid, type Uuid } from '../domain/ids.js';
import { SealedBox } from '../sealedBox.js';

const PURPOSE = 'switchboard unsubscribe links 1';
/** Recognisable by scanners of leaked secrets. */
const PREFIX = 'swu_';
/** Mails lie in an inbox for long. */
const LIFETIME_SECONDS = 365 * 24 * 3_600;
/** The sealed content has 48 bytes, so that it is written in one way. */
const TOKEN = /^swu_([\w-]{64})$/;
const UUID_BYTES = 16;
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

export class UnsubscribeTokens {
  readonly #box: SealedBox;

  constructor(secret: string) {
    this.#box = new SealedBox(secret, PURPOSE);
  }

  issue(userId: Uuid, now: Date): string {
    const content = Buffer.alloc(UUID_BYTES + 4);
    content.write(userId.replaceAll('-', ''), 'hex');
    content.writeUInt32BE(Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS, UUID_BYTES);
    return PREFIX + this.#box.seal(content).toString('base64url');
  }

  /** Null if we did not issue it, or it has expired. */
  read(token: string, now: Date): Uuid | null {
    const [, sealed = ''] = TOKEN.exec(token) ?? [];
    const content = this.#box.open(Buffer.from(sealed, 'base64url'));
    if (content === null || content.readUInt32BE(UUID_BYTES) * 1000 <= now.getTime()) return null;
    return parseUuid(content.toString('hex', 0, UUID_BYTES).replace(UUID, '$1-$2-$3-$4-$5')) ?? null;
  }
}
