import t from 'tap';
import { exportStream } from '../../src/transfer/exportStream.js';

const PIECE = 512 * 1024;
const FILE = Buffer.from('the content of a file');
const ID = '11111111-1111-4111-8111-111111111111';
const GAP = `"size":${FILE.length},"content_base64":"${ID}"`;
const FILLED = `"size":${FILE.length},"content_base64":"${FILE.toString('base64')}"`;

const content = { read: async (_id: string, from: number, to: number) => FILE.subarray(from, to) };

function shared(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

async function readAll(stream: Awaited<ReturnType<typeof exportStream>>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < stream.size; from += 10_000) {
    pieces.push(await stream.read(from, Math.min(from + 10_000, stream.size)));
  }
  return Buffer.concat(pieces).toString();
}

t.test('an export is the same from text and from bytes, wherever its files are', async (t) => {
  const edges = [0, 1, 6, 7, 20, GAP.length - 1, GAP.length];
  const documents = edges.map((before) => `{${'é'.repeat((PIECE - 2 - before) >> 1)}${before % 2 === 0 ? '' : ' '},${GAP}}`);
  documents.push(`{${GAP},${GAP}}`, '{}', '', `{"description":"\\"size\\":5","size":7,"other":1}`);
  for (const document of documents) {
    const expected = document.replaceAll(GAP, FILLED);
    for (const form of [document, shared(document)]) {
      const stream = await exportStream(form, content);
      t.equal(stream.size, Buffer.byteLength(expected));
      t.equal(stream.heldBytes, Buffer.byteLength(document), 'its text is kept once');
      t.ok((await readAll(stream)) === expected, `${document.length} characters as ${typeof form}`);
    }
  }
});
