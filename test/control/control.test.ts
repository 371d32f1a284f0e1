import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import t, { type Test } from 'tap';
import { askInstance, connectControl, type ControlClient } from '../../src/control/client.js';
import type { OperatorPort } from '../../src/control/operatorPort.js';
import { startControl, type ClusterControl } from '../../src/control/server.js';
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
  const control = await startControl({ dataDir, directory, operator, overview, takeSnapshot: async () => 0, cluster, audit: NO_AUDIT, log });
  t.teardown(() => control.close());
  return control;
}

async function connected(t: Test, dataDir: string): Promise<ControlClient> {
  const client = await connectControl(dataDir);
  if (!client) throw new Error('no service answers');
  t.teardown(() => client.close());
  return client;
}

function socketsIn(dataDir: string): string[] {
  return readdirSync(join(dataDir, 'control')).map((name) => join(dataDir, 'control', name));
}

/** Sends the text unchanged, and collects the answer until the other side closes or has sent this many lines. */
async function exchange(dataDir: string, text: string, lines: number): Promise<unknown[]> {
  const socket = connect(socketsIn(dataDir)[0] ?? '');
  socket.setEncoding('utf8').write(text);
  let received = '';
  for await (const chunk of socket as AsyncIterable<string>) {
    received += chunk;
    if (received.split('\n').length > lines) break;
  }
  return received
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
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
  const client = await connected(t, dataDir);
  const search = { search: 'an', limit: 10, offset: 0 };
  const change = { id: ANN.id, now: '2030-01-01T00:00:00.000Z', changes: { is_active: false } };
  const [found, changed] = await Promise.all([client.ask('user.search', search), client.ask('user.update', change)]);
  t.strictSame(found, [ANN]);
  t.strictSame(changed, inactive);
  t.strictSame(directory.asked, [
    { op: 'health.check', input: {} },
    { op: 'user.search', input: search },
    { op: 'user.update', input: change },
  ]);
});

t.test('CLI22 a refusal keeps its code and text', async (t) => {
  const dataDir = shortFolder(t);
  const refusal = new AppError('unavailable', 'come back later', { retryAfter: 3 });
  await start(t, dataDir, new FakeDirectory({ 'user.get': () => Promise.reject(refusal) }));
  const client = await connected(t, dataDir);
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
  const client = await connected(t, dataDir);
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
  t.equal(await connectControl(dataDir), null);
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
  const client = await connected(t, join(root, 'link', name));
  t.strictSame(await client.ask('user.get', { id: ANN.id }), ANN);
  const [folder = '', ...others] = readdirSync(temporary);
  t.strictSame(others, []);
  t.equal(statSync(join(temporary, folder)).mode & 0o777, 0o700);
});

t.test('without a data folder or a service the client reports that no service answers', async (t) => {
  const dataDir = shortFolder(t);
  t.equal(await connectControl(dataDir), null);
  t.equal(await connectControl(join(dataDir, 'missing')), null);
});

t.test('CLI42 sockets of dead processes are skipped and removed, by a client and by the next service', async (t) => {
  const dataDir = shortFolder(t);
  mkdirSync(join(dataDir, 'control'));
  const dead = join(dataDir, 'control', '1-dead.sock');
  await leaveDeadSocket(dead);
  t.strictSame(socketsIn(dataDir), [dead]);
  t.equal(await connectControl(dataDir), null);
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
  t.equal(await connectControl(dataDir), null);
  await start(t, dataDir, new FakeDirectory({ 'user.get': () => ANN }));
  await start(t, dataDir, new FakeDirectory(sick));
  const client = await connected(t, dataDir);
  t.strictSame(await client.ask('user.get', { id: ANN.id }), ANN);
});

t.test('CTRL4 a line that is not an accepted command is refused, and the connection stays open', async (t) => {
  const dataDir = shortFolder(t);
  const directory = new FakeDirectory();
  await start(t, dataDir, directory);
  const refused = [
    'no json',
    '[]',
    'null',
    JSON.stringify({ op: 'directory.drop', input: {} }),
    JSON.stringify({ op: '__proto__', input: {} }),
    JSON.stringify({ op: 'user.get' }),
    JSON.stringify({ op: 'user.get', input: { id: 1 } }),
    JSON.stringify({ op: 'user.update', input: { id: ANN.id, now: '', changes: { email: 'other@example.org' } } }),
  ];
  const text = [...refused, JSON.stringify({ op: 'health.check', input: {} }), ''].join('\n');
  const answers = await exchange(dataDir, text, refused.length + 1);
  t.equal(answers.length, refused.length + 1);
  t.match(answers[0], { ok: false, error: { code: 'malformed' } });
  for (const answer of answers.slice(1, -1)) t.match(answer, { ok: false, error: { code: 'invalid' } });
  t.strictSame(answers.at(-1), { ok: true, value: true });
  t.strictSame(directory.asked, [{ op: 'health.check', input: {} }]);
});

t.test('CTRL4 a line without end is refused and its connection closed', async (t) => {
  const dataDir = shortFolder(t);
  await start(t, dataDir, new FakeDirectory());
  t.match(await exchange(dataDir, 'x'.repeat(64 * 1024 + 1), Infinity), [{ ok: false, error: { code: 'too_large' } }]);
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
  const client = await connected(t, dataDir);
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
    exportBoard: async () => ({ size: document.length, read: async (from, to) => document.subarray(from, to) }),
    importBoard: async (_owner, sent) => {
      await sent.receive(document.length, async (bytes) => void received.push(bytes));
      return 'the report';
    },
  };
  await start(t, dataDir, new FakeDirectory(), silent, null, operator);
  const client = await connected(t, dataDir);
  const { size, read } = await client.exportBoard(ANN.id);
  t.equal(size, document.length);
  t.strictSame(Buffer.concat([await read(0, 100_000), await read(100_000, size)]), document);
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
  const send = (client: ControlClient, bytes: number) => client.importBoard(ANN.id, { receive: (_max, onChunk) => onChunk(Buffer.alloc(bytes)) });
  const client = await connected(t, dataDir);
  await t.rejects(send(client, 5), { code: 'not_found', detail: 'User not found' });
  refusal = null;
  await t.rejects(send(client, 11), { code: 'too_large', detail: /MAX_IMPORT_BYTES/ });
  t.match(ended.splice(0), [/MAX_IMPORT_BYTES/]);
  await send(client, 10);

  const other = await connected(t, dataDir);
  const cut = other.importBoard(ANN.id, {
    receive: async (_max, onChunk) => {
      await onChunk(Buffer.alloc(5));
      other.close();
    },
  });
  await t.rejects(cut, { code: 'unavailable' });
  await until(() => ended.length > 0);
  t.match(ended, [/ended before its document did/]);
});

t.test('CLI41 pieces without a document are refused', async (t) => {
  const dataDir = shortFolder(t);
  await start(t, dataDir, new FakeDirectory());
  const requests = [
    { op: 'document.read', input: { from: 0, to: 1 } },
    { op: 'document.push', input: { content: 'AAAA' } },
    { op: 'document.push', input: { content: 'not base 64!' } },
    { op: 'document.finish', input: {} },
    { op: 'document.export', input: { board_id: '../x' } },
  ];
  const answers = await exchange(dataDir, requests.map((request) => `${JSON.stringify(request)}\n`).join(''), requests.length);
  for (const answer of answers) t.match(answer, { ok: false, error: { code: 'invalid' } });
});
