/**
 * Seals every message between instances as a whole, with AES-256-GCM: someone who reaches NATS can neither read nor forge
 * one, nor send it again.
 *
 *   0 · 'S' 'W' version 0 · 1 · length · 0 · sender, start, time, number · ciphertext · tag
 *
 * It begins like a frame with one item, so that an instance of an earlier version can say which version it met. The key
 * is derived from the key of the cluster for one run of one sender; the nonce contains the number of the message. Subject and
 * reply subject are authenticated with it.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { CIPHER, KEY_BYTES, NONCE_BYTES, TAG_BYTES } from '../sealedBox.js';
import { PROTOCOL_VERSION } from './frame.js';
import { quote, Refusal } from './refusal.js';
import { ReplayWindow } from './replayWindow.js';

/** Where a message was published, with the prefix of the cluster. */
export interface MessagePlace {
  readonly subject: string;
  /** Empty if no answer is expected. */
  readonly replyTo: string;
}

export interface SealedMessagesOptions {
  /** The secret that the instances share, of any length. */
  readonly key: Uint8Array;
  /** The id of this instance, which is new in each run. */
  readonly sender: string;
  /** The time of day in milliseconds. */
  readonly now?: () => number;
}

const PURPOSE = 'switchboard messages between instances 1';
const START_BYTES = 32;
const NUMBER_BYTES = 8;

/** Of the outer frame: its mark as a whole message, the preamble, and a table of one item. */
const OUTER_BYTES = 1 + 8 + 8;
const LENGTH_AT = 1 + 8;
const MAX_SENDER_BYTES = 255;

/** What sealing adds to a message, at most. */
export const SEAL_BYTES = OUTER_BYTES + 1 + MAX_SENDER_BYTES + START_BYTES + 2 * NUMBER_BYTES + TAG_BYTES;

/**
 * The first message of a run must be as recent as this: it may be older than an instance that has just started, and
 * been recorded. The clocks of the machines must agree to within it.
 */
export const FIRST_CONTACT_MS = 30_000;
/** Messages of one sender overtake each other when it reconnects; one that is older than this was recorded. */
const OVERTAKEN_MS = 2_000;
/** As many runs of other instances are known; more than there can be instances. */
const MAX_STARTS = 1_024;

/** A run of another instance. */
interface Start {
  readonly key: KeyObject;
  readonly window: ReplayWindow;
  /** The time of day here, when a message was accepted last. */
  heardAt: number;
  /** The time of day there, in the message with the highest number. */
  time: number;
}

interface Head {
  /** Sender and start. */
  readonly id: string;
  readonly number: number;
  /** The time of day at the sender, in milliseconds. */
  readonly time: number;
  readonly startAt: number;
  /** Where the ciphertext begins. */
  readonly end: number;
}

export class SealedMessages {
  readonly #secret: Uint8Array;
  readonly #now: () => number;
  /** The bytes before the ciphertext; length, time and number are of the last message. */
  readonly #head: Buffer;
  readonly #key: KeyObject;
  readonly #starts = new Map<string, Start>();
  #number = 0;

  constructor({ key, sender, now = Date.now }: SealedMessagesOptions) {
    this.#secret = key;
    this.#now = now;
    const name = Buffer.from(sender);
    const start = randomBytes(START_BYTES);
    const beginning = Buffer.from([0, 0x53, 0x57, PROTOCOL_VERSION, 0, 0, 0, 0, 1, ...new Uint8Array(8), name.length]);
    this.#head = Buffer.concat([beginning, name, start, Buffer.alloc(2 * NUMBER_BYTES)]);
    this.#key = this.#keyOf(sender, start);
  }

  close(content: Uint8Array, place: MessagePlace): Uint8Array {
    this.#number += 1;
    const head = this.#head;
    head.writeUInt32BE(head.length - OUTER_BYTES + content.length + TAG_BYTES, LENGTH_AT);
    head.writeDoubleBE(this.#now(), head.length - 2 * NUMBER_BYTES);
    head.writeDoubleBE(this.#number, head.length - NUMBER_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonceIn(head, head.length)).setAAD(contextOf(head, head.length, place));
    const sealed = cipher.update(content);
    cipher.final();
    return Buffer.concat([head, sealed, cipher.getAuthTag()]);
  }

  /** Throws a `Refusal` for a message that is not sealed with the shared key, or came before. */
  open(message: Uint8Array, place: MessagePlace): Uint8Array {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
    const head = decodeHead(bytes);
    const known = this.#starts.get(head.id);
    const key = known?.key ?? this.#keyOf(senderOf(bytes), bytes.subarray(head.startAt, head.startAt + START_BYTES));
    const content = decrypt(key, head, bytes, place);
    const start = known ?? this.#meet(key, head, bytes);
    const isNewest = head.number > start.window.highest;
    // One that was not for this instance, or came before it was there, has a number that it does not know.
    const isLate = !isNewest && head.time < start.time - OVERTAKEN_MS;
    if (isLate || !start.window.accept(head.number))
      throw new Refusal('repeated', `message ${head.number} of ${quote(senderOf(bytes))} is an old one`);
    if (isNewest) start.time = head.time;
    start.heardAt = this.#now();
    return content;
  }

  #meet(key: KeyObject, { id, time }: Head, bytes: Buffer): Start {
    const behindMs = this.#now() - time;
    if (Math.abs(behindMs) > FIRST_CONTACT_MS) {
      const sender = senderOf(bytes);
      const seconds = Math.round(Math.abs(behindMs) / 1000);
      const why = `the first message of ${quote(sender)} is of ${seconds} seconds ${behindMs > 0 ? 'ago' : 'ahead'}: it is a repetition, or the clocks differ`;
      throw new Refusal('clock', why, sender);
    }
    if (this.#starts.size >= MAX_STARTS) this.#forgetOldest();
    const start = { key, window: new ReplayWindow(), heardAt: 0, time };
    this.#starts.set(id, start);
    return start;
  }

  #forgetOldest(): void {
    let oldest: [string, number] = ['', Infinity];
    for (const [id, { heardAt }] of this.#starts) if (heardAt < oldest[1]) oldest = [id, heardAt];
    this.#starts.delete(oldest[0]);
  }

  #keyOf(sender: string, start: Uint8Array): KeyObject {
    return createSecretKey(new Uint8Array(hkdfSync('sha256', this.#secret, start, `${PURPOSE} ${sender}`, KEY_BYTES)));
  }
}

function decodeHead(bytes: Buffer): Head {
  if (bytes[1] !== 0x53 || bytes[2] !== 0x57) throw new Refusal('malformed', `a message that begins with ${quote(bytes.toString('hex', 0, 4))}`);
  if (bytes[3] !== PROTOCOL_VERSION) {
    throw new Refusal('version', `an instance speaks protocol version ${bytes[3]}, this one ${PROTOCOL_VERSION}: they do not share a cluster`);
  }
  const startAt = OUTER_BYTES + 1 + (bytes[OUTER_BYTES] ?? 0);
  const end = startAt + START_BYTES + 2 * NUMBER_BYTES;
  if (bytes.length < end + TAG_BYTES) throw new Refusal('malformed', 'a message that is too short to be sealed');
  const [time, number] = [bytes.readDoubleBE(end - 2 * NUMBER_BYTES), bytes.readDoubleBE(end - NUMBER_BYTES)];
  return { id: bytes.toString('latin1', OUTER_BYTES, startAt + START_BYTES), number, time, startAt, end };
}

function senderOf(bytes: Buffer): string {
  return bytes.toString('utf8', OUTER_BYTES + 1, OUTER_BYTES + 1 + (bytes[OUTER_BYTES] ?? 0));
}

function decrypt(key: KeyObject, { end }: Head, bytes: Buffer, place: MessagePlace): Uint8Array {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonceIn(bytes, end)).setAAD(contextOf(bytes, end, place));
    const tagAt = bytes.length - TAG_BYTES;
    decipher.setAuthTag(bytes.subarray(tagAt));
    const content = decipher.update(bytes.subarray(end, tagAt));
    decipher.final();
    return content;
  } catch {
    throw new Refusal('sealed', 'a message that was sealed with another key, or for another subject', senderOf(bytes));
  }
}

/** The last bytes of the head: the number, and half of the time before it. */
function nonceIn(bytes: Buffer, end: number): Uint8Array {
  return bytes.subarray(end - NONCE_BYTES, end);
}

function contextOf(bytes: Buffer, end: number, { subject, replyTo }: MessagePlace): Uint8Array {
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`${subject} ${replyTo}`, 'latin1')]);
}
