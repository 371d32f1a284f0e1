import t from 'tap';
import * as v from 'valibot';
import { answer, operation, type Operation } from '../../src/api/operation/operation.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { temporaryFolder } from '../support/store/folder.js';
import { freePort } from '../support/service/ports.js';
import { RawConnection } from '../support/http/rawHttp.js';
import { rawJsonRequest, rawRequest } from '../support/http/rawRequest.js';
import { logIn, newRegistration, newUser } from '../support/http/users.js';

interface Gate {
  readonly operation: Operation;
  /** Resolves when a request is being worked on. */
  readonly entered: Promise<void>;
  readonly release: () => void;
}

/** An operation that takes until it is released. */
function gate(): Gate {
  let onEnter = (): void => undefined;
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => (onEnter = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    entered,
    release: () => release(),
    operation: operation({
      name: 'wait',
      method: 'GET',
      path: '/wait',
      access: 'public',
      tag: 'Test',
      summary: 'Waits',
      success: { status: 200, description: 'Released', schema: v.object({}) },
      async handle() {
        onEnter();
        await released;
        return answer({ released: true });
      },
    }),
  };
}

t.test('STOP1 requests in flight are answered, with the announcement that the connection ends', async (t) => {
  const { operation, entered, release } = gate();
  const { url, server } = await startEdge(t, [operation]);
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('GET /wait'));
  await entered;
  let stopped = false;
  const stopping = server.stop().then(() => (stopped = true));
  await new Promise(setImmediate);
  t.equal(stopped, false, 'the stop waits for it');
  release();
  const { status, headers, body } = await connection.response();
  t.equal(status, 200);
  t.strictSame(JSON.parse(body.toString()), { released: true });
  t.strictSame(
    headers.filter(([name]) => name === 'connection'),
    [['connection', 'close']],
  );
  await connection.closed();
  await stopping;
});

t.test('STOP1 a stopping service accepts no new connections and closes idle ones', async (t) => {
  const { operation, entered, release } = gate();
  const { url, server } = await startEdge(t, [operation]);
  const [idle, busy] = [await RawConnection.open(url), await RawConnection.open(url)];
  await idle.send(rawRequest('GET /nothing'));
  t.equal((await idle.response()).status, 404);
  await busy.send(rawRequest('GET /wait'));
  await entered;
  const stopping = server.stop();
  await t.rejects(RawConnection.open(url), { code: 'ECONNREFUSED' }, 'while the stop waits');
  release();
  t.equal((await busy.response()).status, 200);
  await stopping;
  t.equal((await idle.closed()).length, 0, 'the idle connection is closed without an answer');
  await t.rejects(RawConnection.open(url), { code: 'ECONNREFUSED' }, 'and after it');
});

t.test('STOP1 a kept-alive connection gets the announcement with its next request during the stop', async (t) => {
  const { operation, entered, release } = gate();
  const { url, server } = await startEdge(t, [operation]);
  const busy = await RawConnection.open(url);
  const open: Array<{ method: string; connection: RawConnection }> = [];
  for (const method of ['GET', 'HEAD', 'OPTIONS']) open.push({ method, connection: await RawConnection.open(url) });
  await busy.send(rawRequest('GET /wait'));
  await entered;
  const stopping = server.stop();
  for (const { method, connection } of open) {
    await connection.send(rawRequest(`${method} /wait-not`));
    const { status, headers } = await connection.response({ head: method === 'HEAD' });
    t.equal(status, 404, method);
    t.strictSame(
      headers.filter(([name]) => name === 'connection'),
      [['connection', 'close']],
      method,
    );
  }
  release();
  await stopping;
  for (const { connection } of open) await connection.closed();
});

t.test('STOP1 a request that never ends does not delay the stop beyond its deadline', async (t) => {
  const { operation, entered } = gate();
  const { url, server } = await startEdge(t, [operation], {}, { stopDeadlineMs: 20 });
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('GET /wait'));
  await entered;
  await server.stop();
  t.equal((await connection.closed()).length, 0, 'it is cut off');
});

t.test('STOP1 a half-received request is finished during the stop, and acknowledged changes are kept', async (t) => {
  const { api, url, config, close } = await startTestApp(t);
  const user = await newUser(api);
  const registration = newRegistration();
  const request = rawJsonRequest('POST /auth/register', registration);
  const connection = await RawConnection.open(url);
  await connection.send(request.slice(0, -5));
  // After two later answers, the first half of this request has been read.
  for (let turn = 0; turn < 2; turn += 1) await api.request('GET', '/auth/me', { token: user.token });
  const closing = close();
  await connection.send(request.slice(-5));
  t.equal((await connection.response()).status, 201);
  await closing;
  await close();
  t.pass('closing again does nothing');

  const again = await startTestApp(t, { DATA_DIR: config.dataDir });
  t.ok(await logIn(again.api, registration.email, registration.password), 'the new user is there after a restart');
  t.equal((await again.api.request('GET', '/auth/me', { token: user.token })).status, 200, 'old tokens are still valid');
});

t.test('STOP6 a port that is in use is a clear error that leaves nothing behind', async (t) => {
  const port = String(await freePort());
  await startTestApp(t, { PORT: port });
  const dataDir = await temporaryFolder(t);
  await t.rejects(startTestApp(t, { PORT: port, DATA_DIR: dataDir }), {
    message: `cannot listen on 127.0.0.1:${port}: another service listens on port ${port}. Stop it ("ss -ltnp" shows it), or set PORT to a free port`,
    code: 'unavailable',
  });
  const other = await startTestApp(t, { DATA_DIR: dataDir });
  t.equal((await other.api.request('GET', '/health')).status, 200, 'the folder is free for another start');
});

t.test('STOP6 a port is free as soon as its service has stopped', async (t) => {
  const settings = { PORT: String(await freePort()) };
  const { url, close } = await startTestApp(t, settings);
  const connection = await RawConnection.open(url);
  await connection.send(rawRequest('GET /nothing'));
  await connection.response();
  // The side that closes first keeps the port busy for a while; here that is the service.
  await close();
  await connection.closed();
  const again = await startTestApp(t, settings);
  t.equal((await again.api.request('GET', '/health')).status, 200);
});
