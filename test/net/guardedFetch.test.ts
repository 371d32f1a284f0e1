import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Deferred } from '../../src/flow/deferred.js';
import { FetchRefused, GuardedFetch, type GuardedFetchOptions } from '../../src/net/guardedFetch.js';
import { findOpenssl, makeCertificate } from '../support/http/certificates.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';
import { answering, Receiver } from '../support/webhooks/receiver.js';

const openssl = await findOpenssl();

function fetchOf(t: Test, options: Partial<GuardedFetchOptions> = {}): GuardedFetch {
  const fetch = new GuardedFetch({ allowed: ['127.0.0.0/8'], ...options });
  t.teardown(() => fetch.close());
  return fetch;
}

const MESSAGE = { headers: {}, body: '{}' };

/** A server that answers with these bytes, and goes on as told. */
async function rawServer(t: Test, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof FetchRefused)) throw new Error(`no refusal: ${String(error)}`);
  return error.message;
}

t.test('HOOK4 a name is resolved once, and the connection goes to the address that was checked', async (t) => {
  const receiver = await Receiver.start(t);
  const { port } = new URL(receiver.url);
  const asked: string[] = [];
  const fetch = fetchOf(t, {
    // The second answer would lead elsewhere.
    resolve: async (name) => (asked.push(name) === 1 ? ['127.0.0.1'] : ['192.0.2.1']),
  });
  t.strictSame(await fetch.post({ url: `http://receiver.example:${port}/a?b=c`, ...MESSAGE }), { status: 204 });
  t.strictSame(asked, ['receiver.example']);
  t.equal(receiver.all[0]?.headers['host'], `receiver.example:${port}`, 'the name stays in the request');
  t.equal(receiver.all[0]?.path, '/a?b=c');
});

t.test('HOOK4 the next connection resolves the name again, and is refused if the name has moved to a forbidden address', async (t) => {
  const connections: Socket[] = [];
  const url = await rawServer(t, (socket) => {
    connections.push(socket);
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  const asked: string[] = [];
  const fetch = fetchOf(t, {
    allowed: ['127.0.0.1/32'],
    // Each is this machine, and only the first is allowed.
    resolve: async (name) => (asked.push(name) === 1 ? ['127.0.0.1'] : ['127.0.0.2']),
  });
  const moved = `http://receiver.example:${new URL(url).port}/`;
  t.strictSame(await fetch.post({ url: moved, ...MESSAGE }), { status: 200 });
  t.match(await refusalOf(fetch.post({ url: moved, ...MESSAGE })), /not allowed/);
  t.strictSame(asked, ['receiver.example', 'receiver.example']);
  t.equal(connections.length, 1);
});

t.test('HOOK4 the proxies of the environment are not used', async (t) => {
  const [receiver, proxy] = [await Receiver.start(t), await Receiver.start(t)];
  // Node reads them when a process starts.
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  const env = { ...Object.fromEntries(names.map((name) => [name, new URL(proxy.url).origin])), NODE_USE_ENV_PROXY: '1' };
  const module = new URL('../../src/net/guardedFetch.js', import.meta.url).href;
  const program = `
    const { GuardedFetch } = await import(${JSON.stringify(module)});
    const fetch = new GuardedFetch({ allowed: ['127.0.0.0/8'] });
    console.log(JSON.stringify(await fetch.post(${JSON.stringify({ url: receiver.url, ...MESSAGE })})));
    fetch.close();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  t.strictSame(JSON.parse(stdout), { status: 204 });
  t.strictSame([receiver.all.length, proxy.all.length], [1, 0]);
});

t.test(
  'HOOK4 over TLS the name of the URL is asked for and checked, although the connection goes to the checked address',
  { skip: skipWithout(openssl) },
  async (t) => {
    const certificate = await makeCertificate(pathOf(openssl), await temporaryFolder(t), 'receiver.example');
    const [cert, key] = [await readFile(certificate.certFile), await readFile(certificate.keyFile)];
    const names: Array<string | null> = [];
    const server = createServer(
      {
        cert,
        key,
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
      (_request, response) => response.writeHead(204).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const fetch = fetchOf(t, { ca: certificate.pem, resolve: async () => ['127.0.0.1'] });
    // The certificate is valid for localhost and for 127.0.0.1.
    t.strictSame(await fetch.post({ url: `https://localhost:${port}/`, ...MESSAGE }), { status: 204 });
    t.match(
      await refusalOf(fetch.post({ url: `https://receiver.example:${port}/`, ...MESSAGE })),
      /certificate/,
      'that the certificate names the address is not enough',
    );
    t.strictSame(names, ['localhost', 'receiver.example']);
  },
);

t.test('HOOK4 a name with a forbidden address is refused, whatever else it has', async (t) => {
  for (const addresses of [['169.254.169.254'], ['127.0.0.1', '10.0.0.1'], ['8.8.8.8', '::ffff:10.0.0.1'], []]) {
    const fetch = fetchOf(t, { resolve: async () => addresses });
    t.match(await refusalOf(fetch.post({ url: 'http://receiver.example:9/', ...MESSAGE })), /not allowed|no address/, addresses.join());
  }
  t.match(await refusalOf(fetchOf(t, { allowed: [] }).post({ url: 'http://127.0.0.1:9/', ...MESSAGE })), /not allowed/);
});

t.test('HOOK4 a redirect is an answer, and nobody goes there', async (t) => {
  const [receiver, elsewhere] = [await Receiver.start(t), await Receiver.start(t)];
  receiver.behaviour = answering(307, { location: elsewhere.url });
  t.strictSame(await fetchOf(t).post({ url: receiver.url, ...MESSAGE }), { status: 307 });
  t.equal(elsewhere.all.length, 0);
});

t.test('HOOK4 an endless answer counts by its status, and its connection is closed', async (t) => {
  const closed = new Deferred<undefined>();
  const url = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const timer = setInterval(() => socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`), 1);
    socket.on('close', () => {
      clearInterval(timer);
      closed.resolve(undefined);
    });
  });
  t.strictSame(await fetchOf(t).post({ url, ...MESSAGE }), { status: 200 });
  await closed.promise;
});

t.test('HOOK4 a request ends with its answer, so that it has no connection left', async (t) => {
  const order: string[] = [];
  const url = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n');
    setTimeout(() => {
      order.push('the last byte');
      socket.write('x');
    }, 50);
  });
  t.strictSame(await fetchOf(t).post({ url, ...MESSAGE }), { status: 200 });
  order.push('the end');
  t.strictSame(order, ['the last byte', 'the end']);
});

t.test('HOOK4 headers that are slow, endless or not HTTP are refused', async (t) => {
  const fetch = fetchOf(t, { timeoutMs: 300 });
  const drop = await rawServer(t, (socket) => {
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
    socket.write('HTTP/1.1 200 OK\r\nx: ');
  });
  t.match(await refusalOf(fetch.post({ url: drop, ...MESSAGE })), /in time/);
  const silent = await rawServer(t, () => undefined);
  t.match(await refusalOf(fetch.post({ url: silent, ...MESSAGE })), /in time/);
  const long = await rawServer(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`));
  t.match(await refusalOf(fetch.post({ url: long, ...MESSAGE })), /headers|HTTP/);
  const noise = await rawServer(t, (socket) => socket.end('hello\r\n\r\n'));
  t.match(await refusalOf(fetch.post({ url: noise, ...MESSAGE })), /HTTP/);
});

t.test('HOOK4 a name that takes for ever to resolve is given up', async (t) => {
  const fetch = fetchOf(t, { timeoutMs: 200, resolve: () => new Promise(() => undefined) });
  t.match(await refusalOf(fetch.post({ url: 'http://receiver.example/', ...MESSAGE })), /in time/);
});

t.test('HOOK4 a kept connection that the receiver has closed is made anew', async (t) => {
  let requests = 0;
  const url = await rawServer(t, (socket) => {
    requests += 1;
    // The next request on this connection finds it closed.
    socket.once('data', () => socket.resetAndDestroy());
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const fetch = fetchOf(t);
  t.strictSame(await fetch.post({ url, ...MESSAGE }), { status: 200 });
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(await fetch.post({ url, ...MESSAGE }), { status: 200 });
  t.equal(requests, 2, 'two connections');
});

t.test('HOOK4 an answer that wants another protocol is an answer, and holds nothing up', async (t) => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const url = await rawServer(t, (socket) => socket.write(upgrade));
  t.strictSame(await fetchOf(t).post({ url, ...MESSAGE }), { status: 101 });
});

t.test('HOOK4 a connection that closes before an answer ends the request', async (t) => {
  const url = await rawServer(t, (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'));
  t.match(await refusalOf(fetchOf(t).post({ url, ...MESSAGE })), /closed|hang up/);
});
