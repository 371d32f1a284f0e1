import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino, type Logger } from 'pino';
import t, { type Test } from 'tap';
import { askInstance, connectOperator, readOverview, type OperatorClient } from '../../src/operator/client.js';
import type { OperatorPort } from '../../src/operator/operatorPort.js';
import { startOperatorServer, type ClusterControl } from '../../src/operator/server.js';
import type { DirectoryCommands, DirectoryOperation, DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import { publicUser } from '../support/publicUser.js';
import { shortFolder } from '../support/store/folder.js';
import { NO_AUDIT } from '../support/noAudit.js';
import { until } from '../support/until.js';

const ANN = publicUser('ann', { firstname: 'Ann' });

const silent = pino({ level: 'silent' });

type Answers = { [Op in DirectoryOperation]?: (input: DirectoryCommands[Op]['input']) => unknown };

const NO_OPERATOR: OperatorPort = {
  deleteUser: () => Promise.reject(new Error('unexpected deletion')),
  exportBoard: () => Promise.reject(new Error('unexpected export')),
  importBoard: () => Promise.reject(new Error('unexpected import')),
};

/** A directory with fixed answers that records its asks. */
class FakeDirectory implements DirectoryPort {
  readonly asked: Array<{ op: DirectoryOperation; input: unknown }> = [];
  readonly #answers: Answers;

  constructor(answers: Answers = {}) {
    this.#answers = { 'health.check': () => true, ...answers };
  }

  async ask<Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input']): Promise<DirectoryCommands[Op]['output']> {
    this.asked.push({ op, input });
    const answer: Answers[Op] = this.#answers[op];
    if (!answer) throw new Error(`unexpected ask: ${op}`);
    return (await answer(input)) as DirectoryCommands[Op]['output'];
  }
}

async function start(
  t: Test,
  dataDir: string,
  directory: DirectoryPort,
  log: Logger = silent,
  cluster: ClusterControl | null = null,
  operator: OperatorPort = NO_OPERATOR,
) {
  const overview = () => ({ pubsub: 'embedded', instances: [], partitions: ['directory'] }) as const;
  const control = await startOperatorServer({ dataDir, directory, operator, overview, takeSnapshot: async () => 0, cluster, audit: NO_AUDIT, log });
  t.teardown(() => control.close());
  return control;
}

async function connected(dataDir: string): Promise<OperatorClient> {
  const client = await connectOperator(dataDir);
  if (!client) throw new Error('no service answers');
  return client;
}

function socketsIn(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'control')).map((name) => join(dataDir, 'control', name));
}

interface Exchanged {
  readonly status: number | undefined;
  readonly body: unknown;
}

/** One HTTP request over the socket. */
async function exchange(dataDir: string, method: string, path: string, body = ''): Promise<Exchanged> {
  const sent = request({ socketPath: socketsIn(dataDir)[0] ?? '', method, path, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as unknown };
}

/** A socket whose process was killed. */
async function leaveDeadSocket(path: string): Promise<void> {
  const script = 'require("node:net").createServer().listen(process.argv[1], () => console.log("ready"))';
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

t.test('CLI42 an ask of a client reaches the directory of the service, and the answer returns', async (t) => {
  const dataDir = shortFolder(t);
  const inactive = { ...ANN, is_active: false };
  const directory = new FakeDirectory({ 'user.search': () => [ANN], 'user.update': () => inactive });
  await start(t, dataDir, directory);
  const client = await connected(dataDir);
  const search = { search: 'an', limit: 10, offset: 0 };
  const change = { id: ANN.id, now: '2030-01-01T00:00:00.000Z', changes: { is_active: false } };
  const [found, changed] = await Promise.all([client.ask('user.search', search), client.ask('user.update', change)]);
  t.strictSame(found, [ANN]);
  t.strictSame(changed, inactive);
  t.match(directory.asked[0], { op: 'health.check', input: {} });
  t.same(
    new Set(directory.asked.slice(1)),
    new Set([
      { op: 'user.search', input: search },
      { op: 'user.update', input: change },
    ]),
  );
});

t.test('CLI22 a refusal keeps its code and text', async (t) => {
  const dataDir = shortFolder(t);
  const refusal = new AppError('unavailable', 'come back later', { retryAfter: 3 });
  await start(t, dataDir, new FakeDirectory({ 'user.get': () => Promise.reject(refusal) }));
  const client = await connected(dataDir);
  const asked = client.ask('user.get', { id: ANN.id });
  await t.rejects(asked, { name: 'AppError', code: 'unavailable', detail: 'come back later', retryAfter: 3 });
});

t.test('CLI22 any other failure is internal, and its cause is only in the log', async (t) => {
  const dataDir = shortFolder(t);
  let logged = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const directory = new FakeDirectory({ 'user.get': () => Promise.reject(new Error('the cause')) });
  await start(t, dataDir, directory, pino(sink));
  const client = await connected(dataDir);
  await t.rejects(client.ask('user.get', { id: ANN.id }), { code: 'internal', detail: 'Internal Server Error' });
  t.match(logged, 'the cause');
});

t.test('CTRL4 only the owner can reach the socket, and it is removed at the stop', async (t) => {
  const dataDir = shortFolder(t);
  mkdirSync(join(dataDir, 'control'), { mode: 0o755 });
  const control = await start(t, dataDir, new FakeDirectory());
  const [socket = '', ...others] = socketsIn(dataDir);
  t.strictSame(others, []);
  t.equal(statSync(socket).mode & 0o777, 0o600);
  t.equal(statSync(join(dataDir, 'control')).mode & 0o777, 0o700);
  await control.close();
  t.strictSame(socketsIn(dataDir), []);
  t.equal(await connectOperator(dataDir), null);
});

t.test('CLI42 a data folder with a path too long for a socket works, also through a link', async (t) => {
  const temporary = shortFolder(t);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  t.teardown(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const root = t.testdir({ real: {}, link: t.fixture('symlink', 'real') });
  const name = 'd'.repeat(100);
  await start(t, join(root, 'real', name), new FakeDirectory({ 'user.get': () => ANN }));
  const client = await connected(join(root, 'link', name));
  t.strictSame(await client.ask('user.get', { id: ANN.id }), ANN);
  const [folder = '', ...others] = readdirSync(temporary);
  t.strictSame(others, []);
  t.equal(statSync(join(temporary, folder)).mode & 0o777, 0o700);
});

t.test('CLI42 however many commands there are, none leaves a connection behind', async (t) => {
  const dataDir = shortFolder(t);
  await start(t, dataDir, new FakeDirectory({ 'user.get': () => ANN }));
  const client = await connected(dataDir);
  for (let count = 0; count < 100; count += 1) await client.ask('user.get', { id: ANN.id });
  t.match(await readOverview(dataDir), { pubsub: 'embedded' });
});

t.test('without a data folder or a service the client reports that no service answers', async (t) => {
  const dataDir = shortFolder(t);
  t.equal(await connectOperator(dataDir), null);
  t.equal(await connectOperator(join(dataDir, 'missing')), null);
});

t.test('CLI42 sockets of dead processes are skipped and removed, by a client and by the next service', async (t) => {
  const dataDir = shortFolder(t);
  mkdirSync(join(dataDir, 'control'));
  const dead = join(dataDir, 'control', '1-dead.sock');
  await leaveDeadSocket(dead);
  t.strictSame(socketsIn(dataDir), [dead]);
  t.equal(await connectOperator(dataDir), null);
  t.strictSame(socketsIn(dataDir), []);

  await leaveDeadSocket(dead);
  await start(t, dataDir, new FakeDirectory());
  t.equal(socketsIn(dataDir).length, 1);
  t.notOk(socketsIn(dataDir).includes(dead));
});

t.test('CLI42 of several services on one folder, one with a working directory is used', async (t) => {
  const dataDir = shortFolder(t);
  const sick = { 'health.check': () => Promise.reject(new AppError('unavailable', 'away')), 'user.get': () => null };
  await start(t, dataDir, new FakeDirectory(sick));
  t.equal(await connectOperator(dataDir), null);
  await start(t, dataDir, new FakeDirectory({ 'user.get': () => ANN }));
  await start(t, dataDir, new FakeDirectory(sick));
  const client = await connected(dataDir);
  t.strictSame(await client.ask('user.get', { id: ANN.id }), ANN);
});

t.test('CTRL4 a request that is not an accepted command is refused', async (t) => {
  const dataDir = shortFolder(t);
  const directory = new FakeDirectory();
  await start(t, dataDir, directory);
  const refused = [
    ['POST', '/operator/health.check', 'no json', 400],
    ['POST', '/operator/health.check', '[]', 422],
    ['POST', '/operator/health.check', 'null', 422],
    ['POST', '/operator/health.check', '{"op":"user.get","input":{"id":1}}', 422],
    ['POST', '/operator/directory.drop', '{"input":{}}', 422],
    ['POST', '/operator/__proto__', '{"input":{}}', 422],
    ['POST', '/operator/user.get', '{}', 422],
    ['POST', '/operator/user.get', '{"input":{"id":1}}', 422],
    ['POST', '/operator/user.update', JSON.stringify({ input: { id: ANN.id, now: '', changes: { email: 'other@example.org' } } }), 422],
    ['POST', '/operator/health.check', `"${'x'.repeat(64 * 1024)}"`, 413],
    ['POST', '/operator/import/..', '{}', 422],
    ['GET', '/operator/export/..', '', 422],
    ['GET', '/operator/health.check', '', 404],
    ['POST', '/boards', '{}', 404],
  ] as const;
  for (const [method, path, body, status] of refused) {
    const answer = await exchange(dataDir, method, path, body);
    t.equal(answer.status, status, `${method} ${path} ${body.slice(0, 40)}`);
    t.match(answer.body, { code: String, detail: String });
  }
  t.strictSame(directory.asked, []);
  t.strictSame(await exchange(dataDir, 'POST', '/operator/health.check', '{"input":{}}'), { status: 200, body: true });
});

t.test('CLI42 a service that stops during an ask leaves no client waiting', async (t) => {
  const dataDir = shortFolder(t);
  let reached = (): void => undefined;
  const asked = new Promise<void>((resolve) => (reached = resolve));
  const directory = new FakeDirectory({
    'user.get': () => {
      reached();
      return new Promise(() => undefined);
    },
  });
  const control = await start(t, dataDir, directory);
  const client = await connected(dataDir);
  const answer = client.ask('user.get', { id: ANN.id });
  const lost = t.rejects(answer, { code: 'unavailable', detail: /closed the connection/ });
  await asked;
  await control.close();
  await lost;
  await t.rejects(client.ask('health.check', {}), { code: 'unavailable' });
});

t.test('CLI42 commands about a cluster reach the instance, and are refused by one without copies', async (t) => {
  const alone = shortFolder(t);
  t.equal(await askInstance(alone, 'drain'), undefined, 'no service runs');
  await start(t, alone, new FakeDirectory());
  await t.rejects(askInstance(alone, 'drain'), { code: 'conflict', detail: /without REPLICATION=jetstream/ });
  const replicated = shortFolder(t);
  const done: string[] = [];
  await start(t, replicated, new FakeDirectory({ 'health.check': () => Promise.reject(new Error('broken')) }), silent, {
    verify: async () => [{ partition: 'directory', instance: 'b', result: 'equal', at: 3 }],
    diagnose: async () => ({ cluster: 'c', instances: [], strangers: [], differingSettings: [] }),
    drain: async () => void done.push('drain'),
    undrain: () => Promise.reject(new AppError('unavailable', 'not now')),
  });
  t.strictSame(await askInstance(replicated, 'verify'), [{ partition: 'directory', instance: 'b', result: 'equal', at: 3 }]);
  t.equal(await askInstance(replicated, 'drain'), null);
  t.strictSame(done, ['drain'], 'although the directory is broken');
  await t.rejects(askInstance(replicated, 'undrain'), { code: 'unavailable', detail: 'not now' });
});

t.test('a document travels in pieces in both directions', async (t) => {
  const dataDir = shortFolder(t);
  const document = Buffer.from('a document with "quotes"\n'.repeat(10_000));
  const received: Buffer[] = [];
  const operator: OperatorPort = {
    ...NO_OPERATOR,
    exportBoard: async () => ({
      size: document.length,
      async *pieces() {
        yield document.subarray(0, 100_000);
        yield document.subarray(100_000);
      },
    }),
    importBoard: async (_owner, sent) => {
      await sent.receive(document.length, async (bytes) => void received.push(bytes));
      return 'the report';
    },
  };
  await start(t, dataDir, new FakeDirectory(), silent, null, operator);
  const client = await connected(dataDir);
  const exported = await client.exportBoard(ANN.id);
  t.equal(exported.size, document.length);
  const pieces: Uint8Array[] = [];
  for await (const piece of exported.pieces()) pieces.push(piece);
  t.strictSame(Buffer.concat(pieces), document);
  const report = await client.importBoard(ANN.id, { receive: (_max, onChunk) => onChunk(document) });
  t.equal(report, 'the report');
  t.ok(received.length > 1, 'in several pieces');
  t.strictSame(Buffer.concat(received), document);
});

t.test('CLI41 an import that is refused, too large or abandoned ends on both sides', async (t) => {
  const dataDir = shortFolder(t);
  const ended: string[] = [];
  let refusal: AppError | null = new AppError('not_found', 'User not found');
  const operator: OperatorPort = {
    ...NO_OPERATOR,
    importBoard: async (_owner, document) => {
      if (refusal !== null) throw refusal;
      await document
        .receive(10, async () => undefined)
        .catch((error: AppError) => {
          ended.push(error.message);
          throw error;
        });
      return '';
    },
  };
  await start(t, dataDir, new FakeDirectory(), silent, null, operator);
  const send = (client: OperatorClient, bytes: number) => client.importBoard(ANN.id, { receive: (_max, onChunk) => onChunk(Buffer.alloc(bytes)) });
  const client = await connected(dataDir);
  await t.rejects(send(client, 5), { code: 'not_found', detail: 'User not found' });
  refusal = null;
  await t.rejects(send(client, 11), { code: 'too_large', detail: /MAX_IMPORT_BYTES/ });
  t.match(ended.splice(0), [/MAX_IMPORT_BYTES/]);
  await send(client, 10);

  const broken = client.importBoard(ANN.id, {
    receive: async (_max, onChunk) => {
      await onChunk(Buffer.alloc(5));
      throw new Error('the disk of the command is broken');
    },
  });
  await t.rejects(broken, { message: 'the disk of the command is broken' });
  await until(() => ended.length > 0);
  t.match(ended, [/ended before its document did/]);
});

t.test('CLI41 a refused import does not wait until all of a large document has been sent', async (t) => {
  const dataDir = shortFolder(t);
  const operator: OperatorPort = { ...NO_OPERATOR, importBoard: () => Promise.reject(new AppError('not_found', 'User not found')) };
  await start(t, dataDir, new FakeDirectory(), silent, null, operator);
  const client = await connected(dataDir);
  const endless = client.importBoard(ANN.id, {
    receive: async (_max, onChunk) => {
      for (;;) await onChunk(Buffer.alloc(1024 * 1024));
    },
  });
  await t.rejects(endless, { code: 'not_found', detail: 'User not found' });
  for (const bytes of Array.from({ length: 40 }, (_, index) => 1 + 50_000 * index)) {
    const refused = client.importBoard(ANN.id, { receive: (_max, onChunk) => onChunk(Buffer.alloc(bytes)) });
    await t.rejects(refused, { code: 'not_found', detail: 'User not found' }, `${bytes} bytes`);
  }
});

t.test('CLI41 an export that fails on its way does not look complete', async (t) => {
  const dataDir = shortFolder(t);
  const operator: OperatorPort = {
    ...NO_OPERATOR,
    exportBoard: async () => ({
      size: 1_000_000,
      async *pieces() {
        yield Buffer.alloc(500_000);
        throw new AppError('unavailable', 'The shard is gone');
      },
    }),
  };
  await start(t, dataDir, new FakeDirectory(), silent, null, operator);
  const { pieces } = await (await connected(dataDir)).exportBoard(ANN.id);
  await t.rejects(async () => {
    for await (const piece of pieces()) t.ok(piece.length);
  });
});
