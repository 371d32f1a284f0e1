import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import * as v from 'valibot';
import { answer, operation, type Operation } from '../../src/api/operation/operation.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { filePart, multipart, MULTIPART } from '../support/http/multipart.js';
import { RawConnection, sendRaw } from '../support/http/rawHttp.js';
import { rawJsonRequest, rawRequest } from '../support/http/rawRequest.js';
import { expectRefusal } from '../support/http/refusals.js';
import { newRegistration, newUser } from '../support/http/users.js';

const JSON_TYPE = 'Content-Type: application/json';
const LIMIT = 1024 * 1024;
const SLOW_PACE = { periodMs: 20, leastBytes: 1000 };
/** More than the sockets of both sides and the form hold. */
const MUCH_BYTES = 16 * 1024 * 1024;
const TOO_LARGE = { detail: `body: must be at most ${LIMIT} bytes` };

const { api, url } = await startTestApp(t);

t.test('BODY11 a body of one mebibyte is read, a larger one gets 413', async (t) => {
  const { token } = await newUser(api);
  const padded = (bytes: number): string => '{"firstname":"Ann"}'.padEnd(bytes);
  const headers = { 'content-type': 'application/json' };
  t.equal((await api.request('PATCH', '/auth/me', { token, headers, body: padded(LIMIT) })).status, 200);
  const refusal = await api.request('PATCH', '/auth/me', { token, headers, body: padded(LIMIT + 1) });
  expectRefusal(t, refusal, 413, TOO_LARGE.detail);
});

t.test('BODY11 a body whose declared length is too large is refused before it is sent', async (t) => {
  for (const bytes of [LIMIT + 1, 10 ** 12]) {
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest('POST /auth/register', [JSON_TYPE, `Content-Length: ${bytes}`]));
    const { status, body } = await connection.response();
    t.equal(status, 413);
    t.strictSame(JSON.parse(body.toString()), TOO_LARGE);
    connection.close();
  }
});

t.test('BODY11 a body without a declared length is refused when it passes the limit', async (t) => {
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('POST /auth/register', [JSON_TYPE, 'Transfer-Encoding: chunked']));
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
  const answered = connection.response();
  let refused = false;
  answered.then(
    () => (refused = true),
    () => (refused = true),
  );
  let sent = 0;
  for (; !refused && sent < 64 * LIMIT; sent += 0x8000) await connection.send(chunk);
  const { status, body } = await answered;
  t.equal(status, 413);
  t.strictSame(JSON.parse(body.toString()), TOO_LARGE);
  // The body continues (see BODY16), and other requests are served.
  for (let more = 0; more < 4; more += 1) await connection.send(chunk);
  t.equal((await api.request('GET', '/health')).status, 200);
  connection.close();
});

t.test('BODY14 a body that arrives too slowly gets 408 and its connection closes', async (t) => {
  let calls = 0;
  const echo = operation({
    name: 'echo',
    method: 'POST',
    path: '/echo',
    access: 'public',
    tag: 'Test',
    summary: 'Returns its input',
    body: { kind: 'json', schema: v.object({}) },
    success: { status: 200, description: 'The same', schema: v.object({}) },
    handle: async ({ body }) => {
      calls += 1;
      return answer(body);
    },
  });
  const { url } = await startEdge(t, [echo], {}, { bodyPace: SLOW_PACE });
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('POST /echo', [JSON_TYPE, 'Content-Length: 5000'], '{'));
  const { status, headers, body } = await connection.response();
  t.equal(status, 408);
  t.strictSame(JSON.parse(body.toString()), { detail: 'The body arrived too slowly' });
  t.strictSame(
    headers.filter(([name]) => name === 'connection'),
    [['connection', 'close']],
  );
  t.equal((await connection.closed()).length, 0, 'closed without another answer');
  t.equal(calls, 0, 'nothing was done');
  const quick = await sendRaw(url, rawJsonRequest('POST /echo', {}));
  t.equal(quick.status, 200, 'a body that arrives at once is in time');
});

t.test('BODY14 a file and a large document that become too slow in their middle get 408', async (t) => {
  const { url } = await startEdge(t, [taking('file'), taking('document')], {}, { bodyPace: SLOW_PACE });
  const form = multipart(filePart(Buffer.alloc(5000)));
  const requests = [
    ['POST /file', `Content-Type: ${MULTIPART['content-type']}`, form],
    ['POST /document', JSON_TYPE, Buffer.from(JSON.stringify({ text: 'x'.repeat(5000) }))],
  ] as const;
  for (const [line, type, body] of requests) {
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest(line, [type, `Content-Length: ${body.length}`]));
    await connection.send(body.subarray(0, 500));
    const { status, body: refusal } = await connection.response();
    t.equal(status, 408, line);
    t.strictSame(JSON.parse(refusal.toString()), { detail: 'The body arrived too slowly' });
    t.equal((await connection.closed()).length, 0);
    const quick = rawRequest(line, [type, `Content-Length: ${body.length}`], Buffer.from(body).toString('latin1'));
    t.equal((await sendRaw(url, quick)).status, 204, 'one that arrives at once is in time');
  }
});

t.test('BODY14 a large document that arrives in tiny pieces is too slow as well', async (t) => {
  const { url } = await startEdge(t, [taking('document')], {}, { bodyPace: { periodMs: 100, leastBytes: 1000 } });
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('POST /document', [JSON_TYPE, 'Content-Length: 5000']));
  const answered = connection.response();
  // The connection may be closed before the last piece.
  const dripping = setInterval(() => void connection.send(' ').catch(() => undefined), 5);
  t.teardown(() => clearInterval(dripping));
  t.equal((await answered).status, 408);
});

t.test('BODY14 a body that the service itself delays is paused, and is not too slow', async (t) => {
  const bodyPace = { periodMs: 300, leastBytes: 1 };
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const operations = [taking('file', () => opened), taking('document', () => opened)];
  const { url } = await startEdge(t, operations, {}, { bodyPace });
  const requests = [
    ['POST /file', `Content-Type: ${MULTIPART['content-type']}`, multipart(filePart(Buffer.alloc(MUCH_BYTES)))],
    ['POST /document', JSON_TYPE, Buffer.alloc(MUCH_BYTES, '[')],
  ] as const;
  let sent = 0;
  const answers = requests.map(async ([line, type, body]) => {
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest(line, [type, `Content-Length: ${body.length}`]));
    await connection.send(body);
    sent += 1;
    return (await connection.response()).status;
  });
  // This must take time: several times the limit of a client.
  await wait(3 * bodyPace.periodMs);
  t.equal(sent, 0, 'neither is read further');
  open();
  t.strictSame(await Promise.all(answers), [204, 204]);
});

/** An operation that takes a body in, and waits for `hold` at each piece of it. */
function taking(kind: 'file' | 'document', hold: () => Promise<void> = async () => undefined): Operation {
  return {
    name: kind,
    method: 'POST',
    path: `/${kind}`,
    access: 'public',
    tag: 'Test',
    summary: 'Takes it',
    query: {},
    body: kind === 'file' ? { kind } : { kind, schema: v.object({}) },
    success: { status: 204, description: 'Taken' },
    errors: {},
    async invoke({ upload, document }) {
      await (upload ?? document)?.receive(MUCH_BYTES, hold);
      return { json: null };
    },
  };
}

t.test('PASS13 passwords above the hashing capacity are refused at once, and other requests are served', async (t) => {
  const { api, url } = await startTestApp(t);
  /** Sends the requests at once, and returns the first refusal of that status. */
  const flood = async (status: number, count: number, request: (index: number) => [string, RequestInit]): Promise<void> => {
    const impatience = new AbortController();
    let onBusy: (response: Response) => void = () => undefined;
    const busy = new Promise<Response>((resolve) => (onBusy = resolve));
    const attempts = Array.from({ length: count }, async (_, index) => {
      const [path, init] = request(index);
      const response = await fetch(url + path, { method: 'POST', signal: impatience.signal, ...init });
      if (response.status === status) onBusy(response);
    });
    const refusal = await busy;
    t.match(await refusal.json(), { detail: /^Too many (password checks|registrations from this address) are waiting/ });
    t.match(refusal.headers.get('retry-after'), /^[1-9]\d*$/);
    t.equal((await api.request('GET', '/health')).status, 200);
    impatience.abort();
    await Promise.allSettled(attempts);
  };
  await flood(503, 100, (index) => {
    const body = new URLSearchParams({ username: `nobody-${index}@example.org`, password: 'wrong' });
    return ['/auth/login', { body, headers: { 'x-forwarded-for': `192.0.2.${index}` } }];
  });
  await flood(429, 150, () => {
    return ['/auth/register', { body: JSON.stringify(newRegistration()), headers: { 'content-type': 'application/json' } }];
  });
});
