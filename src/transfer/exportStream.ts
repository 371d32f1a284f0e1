/** Streams a board's document; the content of its files is read piece by piece while it is sent. */
import { CONTENT_KEY } from '../domain/document/boardDocument.js';
import type { ContentPort } from '../domain/ports/boardsPort.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';

/**
 * The gap that the board left for a file: its size, and its id in the place of its content. Inside a JSON text every
 * quote follows a backslash, so no user text can look like this.
 */
const GAP_START = '"size":';
const GAP = new RegExp(`^${GAP_START}(\\d+),"${CONTENT_KEY}":"([0-9a-f-]{36})"`);
/** The longest gap: a size has at most 16 digits. */
const GAP_BYTES = GAP_START.length + 16 + CONTENT_KEY.length + 6 + 36 + 1;
/** Bytes searched in one turn of the event loop: a fraction of a millisecond. */
const SEARCHED_BYTES = 512 * 1024;

/** Base64 turns three bytes into four characters. */
const BYTES = 3;
const CHARACTERS = 4;

interface Part {
  readonly start: number;
  readonly length: number;
  /** Offsets within the part. */
  read(from: number, to: number): Promise<Uint8Array>;
}

interface Gap {
  /** The offset of the id, and of the first byte after it. */
  readonly start: number;
  readonly end: number;
  readonly file: { readonly id: Uuid; readonly size: number };
}

/**
 * The total length is known before the first byte is read, so a client can see whether it has everything. The text is
 * kept once, as bytes; bytes that arrive encoded are not copied.
 */
export async function exportStream(
  document: string | Uint8Array,
  content: Pick<ContentPort, 'read'>,
): Promise<{ readonly size: number; readonly heldBytes: number; read(from: number, to: number): Promise<Uint8Array> }> {
  const text = bytesOf(document);
  const parts: Part[] = [];
  let size = 0;
  const add = (length: number, read: Part['read']): void => {
    parts.push({ start: size, length, read });
    size += length;
  };
  const addText = (start: number, end: number): void => {
    const bytes = text.subarray(start, end);
    add(bytes.length, async (from, to) => bytes.subarray(from, to));
  };
  let sent = 0;
  for await (const { start, end, file } of findGaps(text)) {
    addText(sent, start);
    add(encodedLength(file.size), (from, to) => readEncoded(content, file, from, to));
    sent = end;
  }
  addText(sent, text.length);
  return {
    size,
    heldBytes: text.length,
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

/** The files of a document, in its order. */
export async function filesOf(document: string | Uint8Array): Promise<ReadonlyArray<Gap['file']>> {
  const files: Array<Gap['file']> = [];
  for await (const { file } of findGaps(bytesOf(document))) files.push(file);
  return files;
}

async function* findGaps(text: Buffer): AsyncGenerator<Gap> {
  for (let from = 0; from < text.length; from += SEARCHED_BYTES) {
    // A gap belongs to the piece in which it begins, and may end in the next.
    const piece = text.subarray(from, from + SEARCHED_BYTES + GAP_START.length - 1);
    for (let at = piece.indexOf(GAP_START); at >= 0; at = piece.indexOf(GAP_START, at + 1)) {
      const start = from + at;
      const found = GAP.exec(text.toString('latin1', start, start + GAP_BYTES));
      if (found === null) continue;
      const [whole, bytes = '', id = ''] = found;
      const end = start + whole.length - 1;
      yield { start: end - id.length, end, file: { id, size: Number(bytes) } };
    }
    await new Promise(setImmediate);
  }
}

function bytesOf(document: string | Uint8Array): Buffer {
  return typeof document === 'string' ? Buffer.from(document) : Buffer.from(document.buffer, document.byteOffset, document.byteLength);
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
