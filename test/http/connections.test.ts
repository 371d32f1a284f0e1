import t from 'tap';
import { startTestApp } from '../support/service/app.js';
import { RawConnection, sendRaw } from '../support/http/rawHttp.js';
import { rawJsonRequest, rawRequest } from '../support/http/rawRequest.js';
import { newRegistration, newUser, type TestUser } from '../support/http/users.js';
import type { Api } from '../support/http/api.js';

// The requests that are cut into pieces change a name, hundreds of times.
const { api, url } = await startTestApp(t, { MAX_PROFILE_CHANGES_PER_MINUTE: '10000' });

/** Answered by the directory, so it comes after all earlier asks. */
async function firstnameOf(api: Api, { id, token }: TestUser): Promise<unknown> {
  return (await api.request<{ firstname: string | null }>('GET', `/users/${id}`, { token })).body.firstname;
}

t.test('HTTP10 a request of ambiguous length is cut off, and the request after it does not run', async (t) => {
  const user = await newUser(api);
  const change = (firstname: string): string => rawJsonRequest('PATCH /auth/me', { firstname }, [`Authorization: Bearer ${user.token}`]);
  t.equal((await sendRaw(url, change('alone'))).status, 200, 'the hidden request is valid');
  t.equal(await firstnameOf(api, user), 'alone');

  const hidden = change('smuggled');
  const length = Buffer.byteLength(hidden);
  const framings: Record<string, string[]> = {
    'two lengths, the first 0': ['Content-Length: 0', `Content-Length: ${length}`],
    'two equal lengths': [`Content-Length: ${length}`, `Content-Length: ${length}`],
    'two lengths, the second 0': [`Content-Length: ${length}`, 'Content-Length: 0'],
    'a length behind an empty one': ['Content-Length:', `Content-Length: ${length}`],
    'lengths in different case': ['content-length: 0', `CONTENT-LENGTH: ${length}`],
    'a list of lengths': [`Content-Length: 0, ${length}`],
    'an empty length': ['Content-Length:'],
    'a signed length': ['Content-Length: +0'],
    'a length in hex': ['Content-Length: 0x0'],
    'a length and chunks': [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'],
    'an empty length and chunks': ['Content-Length:', 'Transfer-Encoding: chunked'],
    'two codings': ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    'an empty coding and chunks': ['Transfer-Encoding:', 'Transfer-Encoding: chunked'],
    'an unknown coding': ['Transfer-Encoding: identity'],
    'a list of codings': ['Transfer-Encoding: gzip, chunked'],
  };
  for (const [name, framing] of Object.entries(framings)) {
    const connection = await RawConnection.open(url);
    const isChunked = framing.some((line) => line.startsWith('Transfer-Encoding'));
    const body = (isChunked ? '0\r\n\r\n' : '') + hidden;
    await connection.send(rawRequest('POST /auth/register', ['Content-Type: application/json', ...framing], body));
    const received = (await connection.closed()).toString();
    t.ok(received === '' || received.startsWith('HTTP/1.1 400 '), `${name}: cut off or refused`, { received });
    t.equal(received.split('HTTP/1.1').length <= 2, true, `${name}: at most one answer`);
    t.equal(await firstnameOf(api, user), 'alone', `${name}: the hidden request did not run`);
  }
});

t.test('HTTP12 a request may arrive in any two pieces', async (t) => {
  const { token } = await newUser(api);
  const request = rawJsonRequest('PATCH /auth/me', { firstname: 'Zoë' }, [`Authorization: Bearer ${token}`]);
  const bytes = Buffer.from(request);
  // uWebSockets 20.49 requires the request line in one piece.
  for (let at = request.indexOf('\r\n') + 2; at < bytes.length; at += 1) {
    const { status, body } = await sendRaw(url, bytes.subarray(0, at), bytes.subarray(at));
    if (status !== 200 || !body.includes('Zoë')) t.fail(`split at ${at}: ${status} ${body.toString()}`);
  }
  const body = bytes.subarray(request.indexOf('\r\n\r\n') + 4);
  const head = bytes.subarray(0, bytes.length - body.length);
  const singly = await sendRaw(url, head, ...Array.from(body, (byte) => Buffer.of(byte)));
  t.equal(singly.status, 200, 'byte by byte');
  const chunks = Array.from(body, (byte) => Buffer.of(0x31, 0x0d, 0x0a, byte, 0x0d, 0x0a));
  const chunkedHead = head.toString().replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
  const chunked = await sendRaw(url, chunkedHead, ...chunks, '0\r\n\r\n');
  t.equal(chunked.status, 200, 'in chunks');
  t.match(chunked.body.toString(), 'Zoë');
});

t.test('HTTP12 a connection carries one request after another, after every result of the last', async (t) => {
  const { token } = await newUser(api);
  const authorization = `Authorization: Bearer ${token}`;
  const connection = await RawConnection.open(url);
  const megabytes = 'x'.repeat(3 * 1024 * 1024);
  const requests: Array<[status: number, text: string]> = [
    [200, rawRequest('GET /auth/me', [authorization])],
    [401, rawJsonRequest('PATCH /auth/me', { firstname: 'x'.repeat(100_000) })],
    [404, rawJsonRequest('POST /nothing', { a: 1 })],
    [405, rawJsonRequest('POST /users', { a: 1 })],
    [413, rawJsonRequest('PATCH /auth/me', megabytes, [authorization])],
    [204, rawRequest('DELETE /auth/sessions', [authorization, 'Content-Length: 5'], 'hello')],
    [400, rawRequest('PATCH /auth/me', [authorization, 'Content-Type: application/json', 'Content-Length: 0'])],
    [
      401,
      rawRequest(
        'POST /cards/11111111-1111-4111-8111-111111111111/attachments',
        ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${megabytes.length}`],
        megabytes,
      ),
    ],
    [200, rawRequest('GET /auth/me', [authorization])],
  ];
  for (const [status, text] of requests) {
    await connection.send(text);
    t.equal((await connection.response()).status, status, text.slice(0, text.indexOf(' HTTP')));
  }
  connection.close();
});

t.test('HTTP12 pipelined requests get their own answers in order, or the connection ends', async (t) => {
  const { token, id } = await newUser(api);
  const connection = await RawConnection.open(url);
  const paths = ['/docs/start.js', '/nothing', '/docs/start.js'];
  await connection.send(paths.map((path) => rawRequest(`GET ${path}`)).join(''));
  const statuses = [];
  for (const _ of paths) statuses.push((await connection.response()).status);
  t.strictSame(statuses, [200, 404, 200], 'answers that are ready at once');
  connection.close();

  // uWebSockets ends a connection that pipelines while an answer is pending: it could not separate the answers.
  const impatient = await RawConnection.open(url);
  const ids = ['first', 'second'];
  const requests = ids.map((each) => rawRequest(`GET /users/${id}`, [`Authorization: Bearer ${token}`, `X-Request-Id: ${each}`]));
  await impatient.send(requests.join(''));
  const received = (await impatient.closed()).toString();
  const answered = [...received.matchAll(/X-Request-Id: (\w+)/g)].map(([, each]) => each);
  t.strictSame(answered, ids.slice(0, answered.length), 'never out of order');
  t.equal((await api.request('GET', '/health')).status, 200);
});

t.test('HTTP14 a client that disconnects during a request leaves nothing behind and affects no other', async (t) => {
  const user = await newUser(api);
  const registration = newRegistration();
  const registering = rawJsonRequest('POST /auth/register', registration);
  const changing = rawJsonRequest('PATCH /auth/me', { firstname: 'gone' }, [`Authorization: Bearer ${user.token}`]);
  for (const leave of ['abort', 'close'] as const) {
    for (const text of [registering, changing]) {
      const connection = await RawConnection.open(url);
      await connection.send(text.slice(0, -1));
      connection[leave]();
      await connection.closed();
    }
    const asking = await RawConnection.open(url);
    await asking.send(rawRequest(`GET /users/${user.id}`, [`Authorization: Bearer ${user.token}`]));
    asking[leave]();
    await asking.closed();
  }
  t.equal((await api.request('GET', '/health')).status, 200);
  t.equal(await firstnameOf(api, user), null, 'nothing was changed');
  t.equal((await sendRaw(url, registering)).status, 201, 'no user was registered');
});

t.test('HTTP14 bytes that are not HTTP end only their own connection', async (t) => {
  const bystander = await RawConnection.open(url);
  for (const [name, bytes] of Object.entries({
    'a TLS greeting': Buffer.from('16030100a5010000a103030d0a0d0a', 'hex'),
    noise: Buffer.from([...Array.from({ length: 1024 }, (_, index) => (index * 151 + 14) % 256), 13, 10, 13, 10]),
    'HTTP/1.0': 'GET /health HTTP/1.0\r\nHost: test\r\n\r\n',
    'too many headers': `GET /health HTTP/1.1\r\nHost: test\r\nX: ${'x'.repeat(9000)}\r\n\r\n`,
    'a chunk without a size': rawRequest('POST /auth/register', ['Transfer-Encoding: chunked'], 'zz\r\n'),
  })) {
    const connection = await RawConnection.open(url);
    await connection.send(bytes);
    const received = (await connection.closed()).toString('latin1');
    t.match(received, /^$|^HTTP\/1\.1 [45]\d\d /, name);
  }
  await bystander.send(rawRequest('GET /nothing'));
  t.equal((await bystander.response()).status, 404, 'a connection opened before still works');
  bystander.close();
  t.equal((await api.request('GET', '/health')).status, 200);
});
