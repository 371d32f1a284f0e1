/**
 * An id is an address. A board's id begins with 48 random bits, its board key; the ids of everything on that board
 * begin with the same 48 bits. So an id alone gives the board and, with `shardOf`, the shard. All ids are version 4
 * UUIDs in lower case.
 */
import { createHash, randomFillSync } from 'node:crypto';

export type Uuid = string;
/** The first 48 bits of a board's id as 12 hex digits. */
export type BoardKey = string;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const POOL_IDS = 256;
const ID_BYTES = 16;

/** The id in lower case, or undefined if the text is not a UUID. */
export function parseUuid(text: string): Uuid | undefined {
  return text.length === 36 && UUID.test(text) ? text.toLowerCase() : undefined;
}

export function boardKeyOf(id: Uuid): BoardKey {
  return id.slice(0, 8) + id.slice(9, 13);
}

export function shardOf(key: BoardKey, shards: number): number {
  return Number.parseInt(key.slice(0, 8), 16) % shards;
}

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Where the last 80 bits of a UUID begin. */
const TAIL = 14;

/**
 * The id on the board that a caller can know beforehand: its key followed by the last 80 bits of a version 4 UUID. Null
 * for any other text.
 */
export function idFromUuid(key: BoardKey, text: string): Uuid | null {
  const uuid = parseUuid(text);
  if (uuid === undefined || !VERSION_4.test(uuid)) return null;
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-${uuid.slice(TAIL)}`;
}

/**
 * The id of a board that a request with an idempotency key creates: the same for every repetition, which so finds the
 * shard of its first answer. If the board key is taken, the next attempt has another one.
 */
export function boardIdFrom(user: Uuid, idempotencyKey: string, attempt: number): Uuid {
  const text = JSON.stringify(['board of a request', user, idempotencyKey, attempt]);
  return uuidFrom(createHash('sha256').update(text).digest('hex'));
}

/** The id of what one operation of a batch with an idempotency key creates: the same for every repetition. */
export function idInBatch(key: BoardKey, idempotencyKey: string, index: number): Uuid {
  const text = JSON.stringify(['operation of a batch', idempotencyKey, index]);
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-${tail(createHash('sha256').update(text).digest('hex'))}`;
}

/** Draws ids. Random bytes are fetched for many ids at once, because a system call per id shows in a profile. */
export class IdSource {
  readonly #pool = Buffer.allocUnsafe(POOL_IDS * ID_BYTES);
  #next = this.#pool.length;

  /** An id without a board (users), or of a new board. */
  fresh(): Uuid {
    return uuidFrom(this.#draw());
  }

  /** An id of something on the board with this key. */
  onBoard(key: BoardKey): Uuid {
    return `${key.slice(0, 8)}-${key.slice(8, 12)}-${tail(this.#draw())}`;
  }

  #draw(): string {
    if (this.#next === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const start = this.#next;
    this.#next += ID_BYTES;
    return this.#pool.toString('hex', start, this.#next);
  }
}

function uuidFrom(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${tail(hex)}`;
}

/** The last three groups, with the version and variant digits of a version 4 UUID. */
function tail(hex: string): string {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3);
  return `4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
