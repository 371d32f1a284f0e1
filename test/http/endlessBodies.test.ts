import t from 'tap';
import { operation } from '../../src/api/operation/operation.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { RawConnection, type RawResponse } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { newUser } from '../support/http/users.js';

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: multipart/form-data; boundary=x';
const CARD = '11111111-1111-4111-8111-111111111111';
const PIECE = ' '.repeat(0x4000);
const CHUNK = `4000\r\n${PIECE}\r\n`;
/** uWebSockets ends a connection that sends nothing for ten seconds; with its coarse clock, up to sixteen. */
const END_MS = 20_000;
const MODEST_BYTES = 4 * 1024 * 1024;

const FRAMINGS = {
  'a length': { header: 'Content-Length: 10000000000', piece: PIECE },
  chunks: { header: 'Transfer-Encoding: chunked', piece: CHUNK },
} as const;

function connectionHeader({ headers }: RawResponse): string[] {
  return headers.filter(([name]) => name === 'connection').map(([, value]) => value);
}

/** Sends until the connection ends; false if it does not. */
async function sendsUntilTheEnd(connection: RawConnection, piece: string): Promise<boolean> {
  let isOver = false;
  const ended = connection.closed().then(() => (isOver = true));
  const feed = async (): Promise<void> => {
    while (!isOver) {
      // This waits for a write that the connection no longer accepts.
      await connection.send(piece).catch(() => (isOver = true));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  void feed();
  const timedOut = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), END_MS).unref());
  const result = await Promise.race([ended, timedOut]);
  isOver = true;
  connection.close();
  return result;
}

t.test('BODY16 a body that continues after its answer is not read, and its connection ends', async (t) => {
  const { api, url } = await startTestApp(t);
  const { token } = await newUser(api);
  const authorization = `Authorization: Bearer ${token}`;
  const requests: Array<[status: number, line: string, headers: string[]]> = [
    [401, 'PATCH /auth/me', [JSON_TYPE]],
    [413, 'PATCH /auth/me', [authorization, JSON_TYPE]],
    [404, 'POST /nothing', [JSON_TYPE]],
    [405, 'POST /users', [JSON_TYPE]],
    [401, `POST /cards/${CARD}/attachments`, [FORM_TYPE]],
    [404, `POST /cards/${CARD}/attachments`, [authorization, FORM_TYPE]],
    [401, 'POST /boards/import', [JSON_TYPE]],
    [200, 'GET /auth/me', [authorization]],
    [200, 'GET /openapi.json', []],
    [200, 'HEAD /openapi.json', []],
    [200, 'GET /docs/swagger-ui.css', []],
    [204, 'OPTIONS /users', []],
    [404, `DELETE /cards/${CARD}`, [authorization]],
  ];
  await Promise.all(
    requests.flatMap(([status, line, headers]) =>
      Object.entries(FRAMINGS).map(async ([name, { header, piece }]) => {
        // A chunked body is too large only when it has passed the limit, which the first piece does not.
        const first = status === 413 ? piece.repeat(65) : piece;
        const connection = await RawConnection.open(url);
        await connection.send(rawRequest(line, [...headers, header], first));
        const response = await connection.response({ head: line.startsWith('HEAD') });
        t.equal(response.status, status, `${line} with ${name} is answered`);
        t.strictSame(connectionHeader(response), ['close'], `${line} with ${name}: the answer announces the end`);
        t.equal(await sendsUntilTheEnd(connection, piece), true, `${line} with ${name}: and cut off`);
      }),
    ),
  );
  t.equal((await api.request('GET', '/health')).status, 200);
});

t.test('BODY16 a small rest of a body is read, and the connection stays open', async (t) => {
  const { api, url } = await startTestApp(t);
  const { token } = await newUser(api);
  const authorization = `Authorization: Bearer ${token}`;
  const connection = await RawConnection.open(url);
  const length = `Content-Length: ${MODEST_BYTES}`;
  for (const [status, line, headers] of [
    [401, 'PATCH /auth/me', [JSON_TYPE]],
    [413, 'PATCH /auth/me', [authorization, JSON_TYPE]],
    [404, 'POST /nothing', []],
    [200, 'GET /auth/me', [authorization]],
    [401, 'POST /boards/import', [JSON_TYPE]],
  ] as const) {
    await connection.send(rawRequest(line, [...headers, length]));
    const response = await connection.response();
    t.equal(response.status, status, line);
    t.strictSame(connectionHeader(response), [], line);
    await connection.send(' '.repeat(MODEST_BYTES));
    await connection.send(rawRequest(line, [...headers, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'));
    const chunked = await connection.response();
    t.ok(chunked.status >= 200, `${line} in chunks that are all there`);
    t.strictSame(connectionHeader(chunked), [], line);
  }
  connection.close();
});

t.test('BODY16 a body that no operation reads is cut off while its answer is prepared', async (t) => {
  let answerAll = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answerAll = resolve));
  const patient = operation({
    name: 'patient',
    method: 'GET',
    path: '/patient',
    access: 'public',
    tag: 'Test',
    summary: 'Answers on demand',
    success: { status: 204, description: 'Nothing' },
    handle: async () => {
      await answered;
      return { json: null };
    },
  });
  const { url } = await startEdge(t, [patient]);
  t.teardown(answerAll);
  for (const { header, piece } of Object.values(FRAMINGS)) {
    const connection = await RawConnection.open(url);
    await connection.send(rawRequest('GET /patient', [header]));
    t.equal(await sendsUntilTheEnd(connection, piece.repeat(64)), true, header);
  }
});
