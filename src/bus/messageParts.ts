/**
 * Messages larger than NATS carries travel in parts. Every part begins with one byte: 0 for a whole message, 1 for a
 * part with an id, its index and the number of parts. Parts of one sender arrive in order.
 */

/** Half of what NATS servers allow by default. */
export const LARGEST_PART_BYTES = 512 * 1024;
/** What one message may grow to: the largest board with room to spare, and a bound on what a stray sender can cost. */
const LARGEST_MESSAGE_BYTES = 256 * 1024 * 1024;
/** Messages of which a part got lost. When this many are incomplete, the oldest is given up. */
const MOST_INCOMPLETE = 64;

const WHOLE = 0;
const PART = 1;
const ID_BYTES = 8;
const HEADER_BYTES = 1 + ID_BYTES + 4 + 4;

export function* splitMessage(bytes: Uint8Array, randomBytes: (size: number) => Uint8Array): Generator<Uint8Array> {
  if (bytes.length < LARGEST_PART_BYTES) {
    const whole = new Uint8Array(1 + bytes.length);
    whole[0] = WHOLE;
    whole.set(bytes, 1);
    yield whole;
    return;
  }
  const id = randomBytes(ID_BYTES);
  const room = LARGEST_PART_BYTES - HEADER_BYTES;
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
  readonly #incomplete = new Map<string, Incomplete>();

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
      this.#incomplete.delete(id);
      return null;
    }
    // Copied: the memory belongs to the connection.
    message.parts.push(part.slice(HEADER_BYTES));
    message.bytes += part.length - HEADER_BYTES;
    if (message.bytes > LARGEST_MESSAGE_BYTES) {
      this.#incomplete.delete(id);
      throw new Error(`a message of more than ${LARGEST_MESSAGE_BYTES} bytes`);
    }
    if (message.parts.length < count) {
      this.#keep(id, message);
      return null;
    }
    this.#incomplete.delete(id);
    return Buffer.concat(message.parts);
  }

  #keep(id: string, message: Incomplete): void {
    this.#incomplete.set(id, message);
    const oldest = this.#incomplete.keys().next();
    if (this.#incomplete.size > MOST_INCOMPLETE && !oldest.done) this.#incomplete.delete(oldest.value);
  }
}
