/** A board's document on its way out, the content of its files read piece by piece as it is sent. */
import { CONTENT_KEY } from '../domain/boardDocument.js';
import type { ContentPort } from '../domain/boardsPort.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';

/**
 * Where the board left room for a file: its size, and its id in the place of its content. Inside of a text no quote
 * stands without a backslash before it, so that nothing a user wrote can look like this.
 */
const GAP = new RegExp(`"size":(\\d+),"${CONTENT_KEY}":"([0-9a-f-]{36})"`, 'g');

/** Base64 turns three bytes into four characters. */
const BYTES = 3;
const CHARACTERS = 4;

interface Part {
  readonly start: number;
  readonly length: number;
  /** Both counted within the part. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** The length of the whole is known before the first byte is read: a client sees whether it has all of it. */
export function exportStream(
  json: string,
  content: Pick<ContentPort, 'read'>,
): { readonly size: number; read(from: number, to: number): Promise<Uint8Array> } {
  const parts: Part[] = [];
  let size = 0;
  const add = (length: number, read: Part['read']): void => {
    parts.push({ start: size, length, read });
    size += length;
  };
  const addText = (text: string): void => {
    const bytes = Buffer.from(text);
    add(bytes.length, async (from, to) => bytes.subarray(from, to));
  };
  let sent = 0;
  for (const gap of json.matchAll(GAP)) {
    const [whole, bytes = '', id = ''] = gap;
    const end = gap.index + whole.length - 1;
    addText(json.slice(sent, end - id.length));
    add(encodedLength(Number(bytes)), (from, to) => readEncoded(content, { id, size: Number(bytes) }, from, to));
    sent = end;
  }
  addText(json.slice(sent));
  return {
    size,
    async read(from, to) {
      const pieces: Uint8Array[] = [];
      for (const part of parts) {
        const [first, last] = [Math.max(from - part.start, 0), Math.min(to - part.start, part.length)];
        if (first < last) pieces.push(await part.read(first, last));
      }
      return Buffer.concat(pieces);
    },
  };
}

function encodedLength(bytes: number): number {
  return Math.ceil(bytes / BYTES) * CHARACTERS;
}

/** The characters from `from` up to but not including `to` of the file in Base64. */
async function readEncoded(
  content: Pick<ContentPort, 'read'>,
  { id, size }: { readonly id: Uuid; readonly size: number },
  from: number,
  to: number,
): Promise<Uint8Array> {
  const firstGroup = Math.floor(from / CHARACTERS);
  const start = firstGroup * BYTES;
  const end = Math.min(Math.ceil(to / CHARACTERS) * BYTES, size);
  const bytes = await content.read(id, start, end);
  if (bytes.length !== end - start) throw new AppError('not_found', 'A file was deleted while the board was exported');
  const encoded = Buffer.from(Buffer.from(bytes).toString('base64'), 'latin1');
  return encoded.subarray(from - firstGroup * CHARACTERS, to - firstGroup * CHARACTERS);
}
