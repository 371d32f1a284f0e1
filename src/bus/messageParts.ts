/**
 * Splits messages that are too large for NATS. Every part begins with one byte: 0 for a whole message, 1 for a part
 * with an id, its offset and the size of the message. The parts of one sender arrive in order.
 */
import { MAX_FRAME_BYTES } from '../wire/frame.js';
import { Refusal } from '../wire/refusal.js';

/** Half of the default limit of NATS servers. */
export const LARGEST_PART_BYTES = 512 * 1024;
/**
 * Memory for incomplete messages: the largest possible and some of the usual. A message whose sender died stays
 * incomplete and makes room for later ones.
 */
const MAX_INCOMPLETE_BYTES = 1.5 * MAX_FRAME_BYTES;
/** A sender has one large message under way at a time; this allows for the maximum number of instances. */
const MAX_INCOMPLETE_MESSAGES = 1_024;

const GROWTH = 4;

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
  for (let start = 0; start < bytes.length; start += room) {
    const content = bytes.subarray(start, start + room);
    const part = new Uint8Array(HEADER_BYTES + content.length);
    const view = new DataView(part.buffer);
    part[0] = PART;
    part.set(id, 1);
    view.setUint32(1 + ID_BYTES, start);
    view.setUint32(1 + ID_BYTES + 4, bytes.length);
    part.set(content, HEADER_BYTES);
    yield part;
  }
}

interface Incomplete {
  readonly size: number;
  /** Grows with the received bytes, up to the size of the message. */
  bytes: Buffer;
  /** Bytes received so far. */
  filled: number;
}

export class MessageParts {
  /** In the order of their last part. */
  readonly #incomplete = new Map<string, Incomplete>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_INCOMPLETE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the message if this part completes it. Refuses bytes that are not a part. */
  add(part: Uint8Array): Uint8Array | null {
    if (part[0] === WHOLE) return part.subarray(1);
    if (part[0] !== PART || part.length <= HEADER_BYTES) {
      throw new Refusal('malformed', 'a message with an unknown beginning');
    }
    const view = new DataView(part.buffer, part.byteOffset);
    const id = Buffer.from(part.subarray(1, 1 + ID_BYTES)).toString('hex');
    const start = view.getUint32(1 + ID_BYTES);
    const size = view.getUint32(1 + ID_BYTES + 4);
    const content = part.subarray(HEADER_BYTES);
    const message = this.#incomplete.get(id) ?? (start === 0 ? this.#begin(id, size) : null);
    // An earlier part was lost.
    if (message?.filled !== start) {
      this.#drop(id);
      return null;
    }
    if (message.size !== size || start + content.length > size) {
      this.#drop(id);
      throw new Refusal('malformed', 'a part that does not fit its message');
    }
    if (start + content.length > message.bytes.length) this.#grow(id, message, start + content.length);
    message.bytes.set(content, start);
    message.filled += content.length;
    if (message.filled < size) return null;
    this.#drop(id);
    return message.bytes;
  }

  #begin(id: string, size: number): Incomplete {
    const max = Math.min(this.#maxBytes, MAX_FRAME_BYTES);
    if (size > max) throw new Refusal('too_large', `a message of ${size} bytes; max ${max}`);
    if (this.#incomplete.size >= MAX_INCOMPLETE_MESSAGES) this.#dropOldest();
    const message = { size, bytes: Buffer.alloc(0), filled: 0 };
    this.#incomplete.set(id, message);
    return message;
  }

  /** Grows in large steps to copy little, but never at once to the size that a sender claims. */
  #grow(id: string, message: Incomplete, needed: number): void {
    // Uninitialised: it is read only when it is full.
    const bytes = Buffer.allocUnsafeSlow(message.filled === 0 ? needed : Math.min(message.size, GROWTH * needed));
    bytes.set(message.bytes);
    this.#bytes += bytes.length - message.bytes.length;
    message.bytes = bytes;
    // Moved to the end, so it is given up only if it alone exceeds the limit, which was refused.
    this.#incomplete.delete(id);
    this.#incomplete.set(id, message);
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const id of this.#incomplete.keys()) return this.#drop(id);
  }

  #drop(id: string): void {
    this.#bytes -= this.#incomplete.get(id)?.bytes.length ?? 0;
    this.#incomplete.delete(id);
  }
}
