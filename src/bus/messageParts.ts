/**
 * Messages larger than NATS carries travel in parts. Every part begins with one byte: 0 for a whole message, 1 for a
 * part with an id, its index and the number of parts. Parts of one sender arrive in order.
 */

/** Half of what NATS servers allow by default. */
export const LARGEST_PART_BYTES = 512 * 1024;
/**
 * What incomplete messages may take: the largest board with room to spare. The rest of one whose sender died never
 * comes; it makes room for later ones.
 */
const MOST_INCOMPLETE_BYTES = 256 * 1024 * 1024;

const WHOLE = 0;
const PART = 1;
const ID_BYTES = 8;
const HEADER_BYTES = 1 + ID_BYTES + 4 + 4;

export interface SplitOptions {
  readonly largestPart: number;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function* splitMessage(bytes: Uint8Array, { largestPart, randomBytes }: SplitOptions): Generator<Uint8Array> {
  if (bytes.length < largestPart) {
    const whole = new Uint8Array(1 + bytes.length);
    whole[0] = WHOLE;
    whole.set(bytes, 1);
    yield whole;
    return;
  }
  const id = randomBytes(ID_BYTES);
  const room = largestPart - HEADER_BYTES;
  const count = Math.ceil(bytes.length / room);
  for (let index = 0; index < count; index += 1) {
    const content = bytes.subarray(index * room, (index + 1) * room);
    const part = new Uint8Array(HEADER_BYTES + content.length);
    const view = new DataView(part.buffer);
    part[0] = PART;
    part.set(id, 1);
    view.setUint32(1 + ID_BYTES, index);
    view.setUint32(1 + ID_BYTES + 4, count);
    part.set(content, HEADER_BYTES);
    yield part;
  }
}

interface Incomplete {
  readonly parts: Uint8Array[];
  bytes: number;
}

export class MessageParts {
  /** In the order in which they began. */
  readonly #incomplete = new Map<string, Incomplete>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes = MOST_INCOMPLETE_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The message, when this was all of it or the last of it. Throws when the bytes are none of ours. */
  add(part: Uint8Array): Uint8Array | null {
    if (part[0] === WHOLE) return part.subarray(1);
    if (part[0] !== PART || part.length < HEADER_BYTES) throw new Error('a message with an unknown beginning');
    const view = new DataView(part.buffer, part.byteOffset);
    const id = Buffer.from(part.subarray(1, 1 + ID_BYTES)).toString('hex');
    const index = view.getUint32(1 + ID_BYTES);
    const count = view.getUint32(1 + ID_BYTES + 4);
    const message = this.#incomplete.get(id) ?? { parts: [], bytes: 0 };
    if (index !== message.parts.length) {
      this.#drop(id);
      return null;
    }
    // Copied: the memory belongs to the connection.
    message.parts.push(part.slice(HEADER_BYTES));
    message.bytes += part.length - HEADER_BYTES;
    this.#bytes += part.length - HEADER_BYTES;
    this.#incomplete.set(id, message);
    if (message.parts.length < count) {
      this.#makeRoom();
      return null;
    }
    this.#drop(id);
    return Buffer.concat(message.parts);
  }

  #drop(id: string): void {
    this.#bytes -= this.#incomplete.get(id)?.bytes ?? 0;
    this.#incomplete.delete(id);
  }

  #makeRoom(): void {
    for (const id of this.#incomplete.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(id);
    }
  }
}
