import { request, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { operation, type ByteStream } from '../../src/api/operation/operation.js';
import { MAX_CHUNK_BYTES } from '../../src/domain/ports/boardsPort.js';
import { EMPTY_BLOCK, GzipParts } from '../../src/http/answer/gzipParts.js';
import type { HttpServer } from '../../src/http/server.js';
import { startEdge } from '../support/http/edge.js';
import { newUser } from '../support/http/users.js';
import { randomNumbers } from '../support/seededRandom.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { until } from '../support/until.js';

const GZIP = { 'accept-encoding': 'gzip' };
/** More than the system keeps of one connection. */
const LONG = 24 * 1024 * 1024;
/** What a stream takes at once. */
const PIECE = MAX_CHUNK_BYTES;

/** `fetch` decodes what it gets, so the bytes are read below it. */
function open(t: Test, url: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, resolve);
    sent.on('error', reject).end();
    t.teardown(() => sent.destroy());
  });
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Hexadecimal digits become half as long, and no shorter. Repeated after a mebibyte, which no compressor sees. */
function digits(bytes: number): Buffer {
  const random = randomNumbers(7);
  const bytesOnce = Array.from({ length: Math.min(bytes, 1024 * 1024) / 2 }, () => Math.floor(random() * 256));
  return Buffer.alloc(bytes, Buffer.from(bytesOnce).toString('hex'));
}

interface Counted {
  readonly url: string;
  readonly server: HttpServer;
  /** Pieces that the answers have taken so far. */
  readonly reads: () => number;
}

async function serve(t: Test, content: Buffer): Promise<Counted> {
  let reads = 0;
  const stream: ByteStream = {
    size: content.length,
    read: async (from, to) => {
      reads += 1;
      return content.subarray(from, to);
    },
  };
  const text = operation({
    name: 'text',
    method: 'GET',
    path: '/text',
    access: 'public',
    tag: 'Test',
    summary: 'Some text',
    success: { status: 200, description: 'Text', schema: v.string() },
    handle: async () => ({ json: null, stream }),
  });
  const { url, server } = await startEdge(t, [text]);
  return { url: `${url}/text`, server, reads: () => reads };
}

const LOOK_MS = 25;

/** Resolves when no more is read for a while. */
function stalled({ reads }: Counted): Promise<number> {
  let [before, quietLooks] = [0, 0];
  const look = (): number | null => {
    quietLooks = reads() === before ? quietLooks + 1 : 0;
    before = reads();
    return before > 0 && quietLooks >= 8 ? before : null;
  };
  return until(look, reads, LOOK_MS);
}

interface Exported {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A board with a card that has a long text, and files of this size. */
async function exportedBoard({ api, url }: TestApp, files: readonly number[]): Promise<Exported> {
  const { token } = await newUser(api);
  const create = async (path: string, json: object): Promise<string> => (await api.request<{ id: string }>('POST', path, { token, json })).body.id;
  const board = await create('/boards', { title: 'Plans' });
  const column = await create(`/boards/${board}/columns`, { title: 'To do' });
  const card = await create(`/boards/${board}/columns/${column}/cards`, {
    title: 'Räksmörgås',
    description: 'All work and no play. '.repeat(400),
  });
  const headers = { authorization: `Bearer ${token}` };
  for (const bytes of files) {
    const form = new FormData();
    form.append('file', new File([digits(bytes).toString('latin1')], 'notes.txt'));
    const { status } = await fetch(`${url}/cards/${card}/attachments`, { method: 'POST', headers, body: form });
    if (status !== 201) throw new Error(`the file got ${status}`);
  }
  return { address: `${url}/boards/${board}/export`, headers };
}

t.test('HTTP20 an export is compressed while it is sent, and is the same', async (t) => {
  const { address, headers } = await exportedBoard(await startTestApp(t), [200_001]);
  const plain = await open(t, address, headers);
  const document = await bodyOf(plain);
  t.equal(plain.headers['content-length'], String(document.length));
  t.strictSame([plain.headers['content-encoding'], plain.headers['vary']], [undefined, undefined]);
  for (const accepted of ['gzip', 'br;q=1, gzip;q=0.5', '*']) {
    const packed = await open(t, address, { ...headers, 'accept-encoding': accepted });
    t.equal(packed.statusCode, 200);
    t.match(packed.headers, {
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
      'transfer-encoding': 'chunked',
      'content-type': plain.headers['content-type'],
      'content-disposition': plain.headers['content-disposition'],
      'cache-control': plain.headers['cache-control'],
    });
    t.equal(packed.headers['content-length'], undefined, 'it is not known');
    const body = await bodyOf(packed);
    t.ok(body.length < document.length * 0.8, `${body.length} of ${document.length} bytes`);
    t.ok(gunzipSync(body).equals(document));
  }
  for (const refused of ['identity', 'gzip;q=0', 'br']) {
    const { headers: got } = await open(t, address, { ...headers, 'accept-encoding': refused });
    t.strictSame([got['content-encoding'], got['content-length']], [undefined, String(document.length)], refused);
  }
  const head = await open(t, address, { ...headers, ...GZIP }, 'HEAD');
  t.strictSame([head.headers['content-encoding'], head.headers['content-length']], ['gzip', undefined], 'HEAD describes it');
});

t.test('HTTP20 a compressed stream waits for its client, and arrives complete', async (t) => {
  const content = digits(LONG);
  const served = await serve(t, content);
  const response = await open(t, served.url, GZIP);
  const [taken, all] = [await stalled(served), content.length / PIECE];
  t.ok(taken < all, `${taken} of ${all} pieces are taken for a client that does not read`);
  t.ok(gunzipSync(await bodyOf(response)).equals(content));
  const small = await serve(t, content.subarray(0, 1024));
  t.equal((await open(t, small.url, GZIP)).headers['content-encoding'], undefined, 'not if it is small');
});

t.test('HTTP20 of compressed streams whose clients are gone nothing goes on', async (t) => {
  const served = await serve(t, digits(LONG));
  // As many as one caller may have: one more would wait.
  const openAll = (): Promise<IncomingMessage[]> => Promise.all(Array.from({ length: 16 }, () => open(t, served.url, GZIP)));
  const unread = await openAll();
  await stalled(served);
  for (const client of unread) client.destroy();
  const later = await openAll();
  t.ok(
    later.every(({ statusCode }) => statusCode === 200),
    'all their places are free',
  );
  for (const client of later) client.destroy();
  // Waits for all that is in flight.
  await served.server.stop();
  const taken = served.reads();
  // A stream that went on would get its turns between these.
  for (let n = 0; n < 20; n += 1) await new GzipParts().add(digits(PIECE));
  t.equal(served.reads(), taken);
});

t.test('HTTP20 an export whose client is gone gives its place back', async (t) => {
  const { address, headers: own } = await exportedBoard(await startTestApp(t, { MAX_EXPORTS_PER_USER: '1' }), Array(4).fill(6_000_000));
  const headers = { ...GZIP, ...own };
  for (let round = 0; round < 2; round += 1) {
    const unread = await open(t, address, headers);
    t.equal(unread.headers['content-encoding'], 'gzip');
    t.equal((await open(t, address, headers)).statusCode, 429, 'it is under way');
    unread.destroy();
    const next = await until(async () => {
      const response = await open(t, address, headers);
      if (response.statusCode === 200) return response;
      response.destroy();
      return null;
    });
    const document = JSON.parse(gunzipSync(await bodyOf(next)).toString()) as { title: string };
    t.equal(document.title, 'Plans');
  }
});

t.test('HTTP20 the parts of a compressed stream are one file, with empty blocks anywhere between them', async (t) => {
  const random = randomNumbers(11);
  for (let round = 0; round < 20; round += 1) {
    const parts = new GzipParts();
    const [pieces, packed]: [Buffer[], Uint8Array[]] = [[], []];
    const count = 1 + Math.floor(random() * 5);
    for (let n = 0; n < count; n += 1) {
      const piece = random() < 0.5 ? digits(2 * (1 + Math.floor(random() * 30_000))) : Buffer.alloc(1 + Math.floor(random() * 60_000), 'text ');
      pieces.push(piece);
      packed.push(await parts.add(piece));
      for (let empty = Math.floor(random() * 3); empty > 0; empty -= 1) packed.push(EMPTY_BLOCK);
    }
    packed.push(parts.end());
    t.ok(gunzipSync(Buffer.concat(packed)).equals(Buffer.concat(pieces)), `${count} parts`);
  }
});
