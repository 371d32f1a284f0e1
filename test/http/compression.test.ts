import t, { type Test } from 'tap';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Compression, isCompressible } from '../../src/http/answer/compression.js';
import { operations } from '../../src/api/operations/table.js';
import { newKey } from '../support/http/keys.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { until } from '../support/until.js';

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent. */
  readonly body: Buffer;
}

/** `fetch` decodes what it gets, so the bytes are read below it. */
function send(url: string, method: string, token: string, headers: Readonly<Record<string, string>> = {}, json?: object): Promise<Received> {
  return new Promise((resolve, reject) => {
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(url, { method, headers: { authorization: `Bearer ${token}`, ...type, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject).end(json === undefined ? undefined : JSON.stringify(json));
  });
}

const GZIP = { 'accept-encoding': 'gzip, deflate' };

/** A busy machine may take longer than an answer waits for its compression; the next one finds it done. */
function compressed(...request: Parameters<typeof send>): ReturnType<typeof send> {
  return until(async () => {
    const answer = await send(...request);
    return answer.headers['content-encoding'] === 'gzip' ? answer : null;
  });
}

interface World extends TestApp {
  readonly user: TestUser;
  readonly board: string;
  readonly card: string;
}

async function fill(t: Test, cards: number): Promise<World> {
  const app = await startTestApp(t);
  const user = await newUser(app.api);
  const create = async (path: string, json: object): Promise<string> =>
    (await app.api.request<{ id: string }>('POST', path, { token: user.token, json })).body.id;
  const board = await create('/boards', { title: 'Plans' });
  const column = await create(`/boards/${board}/columns`, { title: 'To do' });
  let card = '';
  for (let index = 0; index < cards; index += 1) {
    card = await create(`/boards/${board}/columns/${column}/cards`, { title: `Card ${index}`, description: 'All work and no play. '.repeat(10) });
  }
  return { ...app, user, board, card };
}

t.test('HTTP20 JSON above a kibibyte is compressed if the client asks for it, and is the same', async (t) => {
  const { url, user, board } = await fill(t, 30);
  const address = `${url}/boards/${board}`;
  const plain = await send(address, 'GET', user.token);
  t.equal(plain.headers['content-encoding'], undefined);
  t.equal(plain.headers['vary'], 'Accept-Encoding', 'a cache is told, whichever form comes first');
  for (const accepted of ['gzip', 'br;q=1, gzip;q=0.5', '*']) {
    const { status, headers, body } = await compressed(address, 'GET', user.token, { 'accept-encoding': accepted });
    t.equal(status, 200, accepted);
    t.equal(headers['vary'], 'Accept-Encoding');
    t.equal(headers['etag'], plain.headers['etag'], 'the tag names the state, not the form');
    t.ok(body.length < plain.body.length / 4, `${body.length} of ${plain.body.length} bytes`);
    t.ok(gunzipSync(body).equals(plain.body));
  }
  for (const refused of ['identity', 'gzip;q=0', 'br', 'gzip;q=0, *']) {
    const { headers, body } = await send(address, 'GET', user.token, { 'accept-encoding': refused });
    t.equal(headers['content-encoding'], undefined, refused);
    t.ok(body.equals(plain.body));
  }
});

t.test('HTTP20 a compressed board is revalidated by its tag, changes with the board, and HEAD describes it', async (t) => {
  const { url, api, user, board } = await fill(t, 20);
  const address = `${url}/boards/${board}`;
  const first = await compressed(address, 'GET', user.token, GZIP);
  const tag = String(first.headers['etag']);
  const unchanged = await send(address, 'GET', user.token, { ...GZIP, 'if-none-match': tag });
  t.equal(unchanged.status, 304);
  t.equal(unchanged.headers['vary'], 'Accept-Encoding');
  t.equal(unchanged.headers['content-encoding'], undefined);
  t.equal((await send(address, 'GET', user.token, { 'if-none-match': tag })).status, 304, 'also for the plain form');

  const head = await send(address, 'HEAD', user.token, GZIP);
  t.equal(head.headers['content-encoding'], 'gzip');
  t.equal(head.headers['content-length'], String(first.body.length));

  await api.request('PATCH', `/boards/${board}`, { token: user.token, json: { title: 'Other plans' } });
  const second = await compressed(address, 'GET', user.token, { ...GZIP, 'if-none-match': tag });
  t.equal(second.status, 200);
  t.equal((JSON.parse(gunzipSync(second.body).toString()) as { title: string }).title, 'Other plans');
  t.not(second.headers['etag'], tag);
});

t.test('HTTP20 small answers, files and answers with secrets are never compressed', async (t) => {
  const { url, api, user, card } = await fill(t, 1);
  const small = await send(`${url}/health`, 'GET', '', GZIP);
  t.equal(small.headers['content-encoding'], undefined);
  // Each name makes an answer larger than the limit for the kinds that may be compressed.
  for (let index = 0; index < 12; index += 1) await newKey(api, user, { name: `${'key '.repeat(40)}${index}` });
  const keys = await send(`${url}/auth/keys`, 'GET', user.token, GZIP);
  t.ok(keys.body.length > 2048, 'it is long enough');
  t.equal(keys.headers['content-encoding'], undefined, 'the list of keys');
  const made = await send(`${url}/auth/keys`, 'POST', user.token, GZIP, { name: 'x'.repeat(200), scopes: ['read'] });
  t.equal(made.status, 201);
  t.equal(made.headers['content-encoding'], undefined, 'a new key');
  const form = new FormData();
  form.append('file', new File(['text '.repeat(1000)], 'notes.txt', { type: 'text/plain' }));
  const uploaded = await fetch(`${url}/cards/${card}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  t.equal((await send(`${url}/attachments/${id}`, 'GET', user.token, GZIP)).headers['content-encoding'], undefined, 'a file');

  const secret = operations.filter(({ path, isAnswerKept }) => path.startsWith('/auth') || isAnswerKept === false);
  t.ok(secret.some(({ path }) => path === '/invitations') && secret.length > 10, 'there are such operations');
  t.strictSame(secret.filter(isCompressible), []);
});

t.test('HTTP20 a hot board is compressed once for all its readers', async (t) => {
  const compression = new Compression(60_000);
  const body = Buffer.from(JSON.stringify(Array.from({ length: 2000 }, (_, index) => ({ id: index, title: 'A card' }))));
  const both = await Promise.all([compression.of(body, 'gzip', 'ann'), compression.of(body, 'gzip', 'ben')]);
  t.ok(both[0] !== null && both[0] === both[1], 'requests at once share the work');
  t.equal(compression.of(body, 'gzip', 'cleo'), both[0], 'later ones get it at once');
  t.ok(gunzipSync(both[0] ?? '').equals(body));

  const text = body.toString().slice(0, 10_000);
  const first = await compression.of(text, 'gzip', 'ann');
  t.equal(compression.of(`${text.slice(0, 5000)}${text.slice(5000)}`, 'gzip', 'ben'), first, 'so does an equal text');
});

t.test('HTTP20 an answer does not wait for the compression of others', async (t) => {
  const compression = new Compression(60_000);
  const bodies = Array.from({ length: 3 }, (_, index) => Buffer.alloc(2_000_000, `${index} some text `));
  const [one, two, three] = bodies as [Buffer, Buffer, Buffer];
  const first = compression.of(one, 'gzip', 'ann');
  t.ok(first instanceof Promise);
  t.equal(compression.of(two, 'gzip', 'ann'), null, 'one answer for each caller');
  const second = compression.of(two, 'gzip', 'ben');
  t.ok(second instanceof Promise);
  t.equal(compression.of(three, 'gzip', 'cleo'), null, 'two in all');
  await Promise.all([first, second]);
  // A random body cannot become smaller, which is found out once.
  const noise = Buffer.from(Array.from({ length: 100_000 }, () => Math.floor(Math.random() * 256)));
  t.equal(await compression.of(noise, 'gzip', 'ann'), null);
  t.equal(compression.of(noise, 'gzip', 'ann'), null);
});

t.test('HTTP20 an answer that would wait too long leaves as it is', async (t) => {
  const compression = new Compression(0);
  const body = Buffer.alloc(8_000_000, 'some text ');
  t.equal(await compression.of(body, 'gzip', 'ann'), null);
  const later = await until(() => {
    const known = compression.of(body, 'gzip', 'ann');
    return known instanceof Promise ? null : known;
  });
  t.ok(gunzipSync(later).equals(body), 'the next one finds it done');
});
