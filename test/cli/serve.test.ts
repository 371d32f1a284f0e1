import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { setupGreeting, welcome } from '../../src/cli/serve.js';
import { openDirectory } from '../../src/store/directory/directory.js';
import { acquireLock } from '../../src/store/sqlite/lock.js';
import { startTestApp } from '../support/service/app.js';
import { createUser, listUsers, run, workplace } from '../support/service/commandLine.js';
import { logLines } from '../support/service/logLines.js';
import { accepts } from '../support/service/ports.js';
import { spawnProgram } from '../support/service/program.js';
import { ServiceProcess, type Settings } from '../support/service/serviceProcess.js';
import { until } from '../support/until.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

async function startService(t: Test, dataDir: string): Promise<ServiceProcess> {
  mkdirSync(dataDir);
  const settings = { DURABILITY: 'normal', SHARDS: '2', SHARD_THREADS: '1' };
  const service = await ServiceProcess.start({ ...settings, DATA_DIR: dataDir });
  t.teardown(() => service.kill());
  return service;
}

/** Every test starts the program several times, which is slow on a busy machine. */

t.test('CLI4 a running service sees the changes of the command line at once', async (t) => {
  const { folder, dataDir } = workplace(t);
  const { url } = await startService(t, dataDir);
  await createUser(folder, 'ann');
  const body = new URLSearchParams({ username: 'ann@example.org', password: "ann's password" });
  const logIn = async (): Promise<string> => {
    const login = await fetch(`${url}/auth/login`, { method: 'POST', body });
    t.equal(login.status, 200);
    return ((await login.json()) as { access_token: string }).access_token;
  };
  let token = await logIn();
  const me = () => fetch(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  t.equal((await me()).status, 200);
  t.match(await run(folder, ['user', 'deactivate', 'ann']), { code: 0 });
  t.equal((await me()).status, 401);
  t.match(await run(folder, ['user', 'activate', 'ann']), { code: 0 });
  t.equal((await me()).status, 401, 'the session of before stays ended');
  token = await logIn();
  t.match(await run(folder, ['user', 'promote', 'ann']), { code: 0 });
  t.match(await (await me()).json(), { is_active: true, is_superuser: true });
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`CLI17 ${signal} stops the service in order, with exit code 0`, async (t) => {
    const { folder, dataDir } = workplace(t);
    const service = await startService(t, dataDir);
    t.equal((await fetch(`${service.url}/health`)).status, 200);
    t.equal(await service.stop(signal), 0);
    t.strictSame(readdirSync(join(dataDir, 'control')), []);
    t.strictSame(await listUsers(folder), [], 'the data is free again');
  });
}

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  t.test(`CLI17 a second signal (${signal}) ends the service at once, with exit code ${code}`, async (t) => {
    const { dataDir } = workplace(t);
    const service = await startService(t, dataDir);
    const { port } = new URL(service.url);
    // A request whose body never arrives: an orderly stop waits for it.
    const busy = connect(Number(port), '127.0.0.1');
    busy.on('error', () => undefined);
    t.teardown(() => busy.destroy());
    const head = ['POST /auth/register HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 9'];
    await new Promise((sent) => busy.write(`${head.join('\r\n')}\r\n\r\n{`, sent));
    // When this request is answered, everything sent before it has been read.
    await fetch(`${service.url}/health`);
    void service.stop('SIGTERM');
    await until(async () => !(await accepts(Number(port))));
    t.equal(await service.stop(signal), code);
  });
}

t.test('CLI44 a failed start is reported in one line, with exit code 1', async (t) => {
  const { folder, dataDir } = workplace(t);
  const failure = async (settings: Settings) => {
    const { code, stderr } = await run(folder, [], { settings: { PORT: '0', LOG_LEVEL: 'silent', ...settings } });
    return { code, stderr, lines: stderr.trimEnd().split('\n').length };
  };
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await once(taken, 'listening');
  const port = String((taken.address() as AddressInfo).port);
  t.match(await failure({ PORT: port }), { code: 1, lines: 1, stderr: new RegExp(`cannot start: .*${port}`) });

  const directory = openDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  t.match(await failure({}), { code: 1, lines: 1, stderr: /cannot start: .*in use/ });
  directory.close();

  const db = new Sqlite(join(dataDir, 'directory.sqlite'));
  db.exec("INSERT INTO schema_version VALUES (9999, '9999-future.sql', '2099-01-01T00:00:00.000Z')");
  db.close();
  t.match(await failure({}), { code: 1, lines: 1, stderr: /cannot start: .*newer version/ });
});

t.test('CLI44 a data folder that cannot be created ends the start at once, with its path', async (t) => {
  const { folder } = workplace(t);
  writeFileSync(join(folder, 'file'), '');
  const impossible = [join(folder, 'file', 'data'), ...(process.platform === 'linux' ? ['/proc/x/y'] : [])];
  for (const dataDir of impossible) {
    for (const more of [{}, { NATS_URL: 'nats://127.0.0.1:1' }]) {
      const settings = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', ...more };
      const { code, stderr } = await run(folder, [], { settings });
      t.match({ code, stderr }, { code: 1, stderr: /^switchboard: The service cannot start: .*\n$/ });
      t.match(stderr, `The folder ${dataDir} cannot be created`);
    }
    const { code, stderr } = await run(folder, ['user', 'list'], { settings: { DATA_DIR: dataDir } });
    t.equal(code, 1);
    t.match(stderr, dataDir);
  }
});

const skipWithoutProc = process.platform === 'linux' ? false : 'only Linux shows in /proc which signals a process handles';
t.test('CLI17 a signal during the start ends it in order', { skip: skipWithoutProc }, async (t) => {
  const { folder, dataDir } = workplace(t);
  // While this is held, the start does not continue.
  const lock = acquireLock(join(dataDir, 'folder.lock'));
  t.not(lock, 'held');
  const child = spawnProgram([], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }, folder);
  t.teardown(() => child.kill('SIGKILL'));
  const [stderr, ended] = [readAll(child.stderr), once(child, 'exit')];
  await until(() => listensForSignals(child.pid));
  child.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
  t.equal(await stderr, '');
  t.strictSame(
    readdirSync(dataDir).filter((name) => !name.startsWith('folder.lock')),
    [],
    'nothing was begun',
  );
  if (lock !== 'held') lock.release();
});

t.test('CLI20 the terminal shows the address of the service and a warning about the development secret', async (t) => {
  const url = 'http://127.0.0.1:8000';
  const placeholder = welcome(url, { environment: 'development', jwtSecretIsPlaceholder: true, webApp: true });
  for (const address of [`${url}\n`, `${url}/docs\n`, `${url}/redoc\n`]) t.match(placeholder, address);
  t.match(placeholder, 'JWT_SECRET');
  t.notMatch(welcome(url, { environment: 'development', jwtSecretIsPlaceholder: false, webApp: false }), 'JWT_SECRET');
});

t.test('CLI20 while nobody is a superuser the terminal shows the link to the first account', async (t) => {
  t.match(setupGreeting('https://boards.example.org', 'sws_token'), '  https://boards.example.org/app/setup#token=sws_token\n');
});

t.test('CLI20 every start logs a warning about the development secret', async (t) => {
  const { log, lines } = logLines();
  const warnings = (): unknown[] =>
    lines()
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg);
  await startTestApp(t, { JWT_SECRET: 'a secret of our own' }, log);
  t.strictSame(warnings(), []);
  await startTestApp(t, {}, log);
  t.match(warnings(), [/public development secret.*JWT_SECRET/]);
});

t.test('CLI20 a start in production without HTTPS logs what browsers need', async (t) => {
  const { log, lines } = logLines();
  const warnings = (): unknown[] =>
    lines()
      .filter(({ level }) => level === 40)
      .map(({ msg }) => msg);
  const production = { ENVIRONMENT: 'production', JWT_SECRET: 'a secret of our own that is long enough' };
  await startTestApp(t, { ...production, PUBLIC_URL: 'https://boards.example.org' }, log);
  t.strictSame(warnings(), []);
  for (const address of [{}, { PUBLIC_URL: 'http://boards.example.org' }]) await startTestApp(t, { ...production, ...address }, log);
  t.match(warnings(), [/^browsers keep a login over HTTPS only: .*PUBLIC_URL/, /HTTPS/]);
});

/** As the kernel reports. SIGHUP, because Node handles the others from its start; ours are installed just before it. */
function listensForSignals(pid: number | undefined): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}
