/**
 * The bytes of a message between instances: a list of items, each of them JSON with binary attachments behind it.
 *
 *   'S' 'W' version 0 · number of items · for each item: length of its JSON, number of attachments, length of each ·
 *   for each item: its JSON, its attachments
 *
 * Numbers are 32 bits, big-endian. A table at the front lets a receiver check all lengths before it reads anything, and
 * lets one bad item be refused without the others.
 */
import { quote, Refusal } from './refusal.js';

/**
 * Instances of different versions do not share a cluster. Raise it only if old instances would misread new messages.
 */
export const PROTOCOL_VERSION = 4;

/** A batch of asks has up to 256 KiB, and the smallest ask about 60 bytes. */
export const MAX_ITEMS = 8_192;
/** In all items together. A batch has at most one for each ask. */
export const MAX_ATTACHMENTS = 16_384;
/** The largest board with room to spare. Sender and receiver hold the whole frame in memory. */
export const MAX_FRAME_BYTES = 128 * 1024 * 1024;

const MAGIC = [0x53, 0x57] as const;
const PREAMBLE_BYTES = 8;
const WORD_BYTES = 4;

export interface FrameItem {
  readonly json: Uint8Array;
  readonly attachments: readonly Uint8Array[];
}

export interface Frame {
  readonly version: number;
  readonly items: readonly FrameItem[];
}

/** Bytes of the item in a frame. */
export function itemBytes({ json, attachments }: FrameItem): number {
  return attachments.reduce((sum, { length }) => sum + WORD_BYTES + length, 2 * WORD_BYTES + json.length);
}

export function encodeFrame(items: readonly FrameItem[], version = PROTOCOL_VERSION): Uint8Array {
  const size = items.reduce((sum, item) => sum + itemBytes(item), PREAMBLE_BYTES);
  if (size > MAX_FRAME_BYTES) throw new Refusal('too_large', `a message of ${size} bytes; max ${MAX_FRAME_BYTES}`);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set([...MAGIC, version, 0]);
  view.setUint32(WORD_BYTES, items.length);
  let at = PREAMBLE_BYTES;
  const writeWord = (word: number): void => {
    view.setUint32(at, word);
    at += WORD_BYTES;
  };
  for (const { json, attachments } of items) {
    writeWord(json.length);
    writeWord(attachments.length);
    for (const { length } of attachments) writeWord(length);
  }
  for (const { json, attachments } of items) {
    for (const piece of [json, ...attachments]) {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}

/** Accepts our own version only. */
export function decodeFrame(bytes: Uint8Array): readonly FrameItem[] {
  const { version, items } = decodeAnyFrame(bytes);
  if (version === PROTOCOL_VERSION) return items;
  throw new Refusal('version', `protocol version ${version}; this instance speaks ${PROTOCOL_VERSION}`);
}

/** Accepts any version. Every version keeps the preamble and the table. The items are views of the bytes. */
export function decodeAnyFrame(bytes: Uint8Array): Frame {
  if (bytes.length < PREAMBLE_BYTES || bytes[0] !== MAGIC[0] || bytes[1] !== MAGIC[1]) {
    const beginning = Buffer.from(bytes.subarray(0, WORD_BYTES)).toString('hex');
    throw new Refusal('malformed', `a message that begins with ${quote(beginning)}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = WORD_BYTES;
  const readWord = (): number => {
    if (at + WORD_BYTES > bytes.length) throw new Refusal('malformed', 'a message that ends inside its table');
    at += WORD_BYTES;
    return view.getUint32(at - WORD_BYTES);
  };
  const count = readWord();
  if (count > MAX_ITEMS) throw new Refusal('too_large', `${count} items in a message; max ${MAX_ITEMS}`);
  const lengths: number[][] = [];
  let attachmentsLeft = MAX_ATTACHMENTS;
  for (let item = 0; item < count; item += 1) {
    const own = [readWord()];
    const attachments = readWord();
    attachmentsLeft -= attachments;
    if (attachmentsLeft < 0) throw new Refusal('too_large', `too many attachments; max ${MAX_ATTACHMENTS}`);
    for (let attachment = 0; attachment < attachments; attachment += 1) own.push(readWord());
    lengths.push(own);
  }
  const content = lengths.flat().reduce((sum, length) => sum + length, 0);
  if (at + content !== bytes.length) throw new Refusal('malformed', 'a message whose length differs from its table');
  const take = (length: number): Uint8Array => bytes.subarray(at, (at += length));
  const items = lengths.map(([json = 0, ...attachments]) => ({ json: take(json), attachments: attachments.map(take) }));
  return { version: bytes[2] ?? 0, items };
}
