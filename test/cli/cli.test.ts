import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { createPasswords } from '../../src/auth/passwords.js';
import { obtainPassword } from '../../src/cli/password.js';
import { welcome } from '../../src/cli/serve.js';
import { loadConfig, PLACEHOLDER_SECRET } from '../../src/config.js';
import type { PublicUser, User } from '../../src/domain/user.js';
import { packagePath } from '../../src/paths.js';
import { openDirectory } from '../../src/store/directory/directory.js';
import { acquireLock } from '../../src/store/sqlite/lock.js';
import { VERSION } from '../../src/version.js';
import { startTestApp } from '../support/service/app.js';
import { logLines } from '../support/service/logLines.js';

const COMMANDS = [
  'serve',
  'user create',
  'user promote',
  'user deactivate',
  'user activate',
  'user passwd',
  'user list',
  'export',
  'import',
  'cluster',
  'backup',
  'restore',
  'check',
  'config check',
];

type Settings = Readonly<Record<string, string>>;

/** A folder to run in, with the data in it. Its path is short enough for the control socket to be inside. */
function workplace(t: Test): { folder: string; dataDir: string } {
  const folder = mkdtempSync('/tmp/sb-');
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, dataDir: join(folder, 'data') };
}

/** The program gets nothing of the environment of the tests, nor a `.env` of the checkout. */
function spawnProgram(folder: string, args: readonly string[], settings: Settings): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  return spawn(process.execPath, [packagePath('dist/src/main.js'), ...args], { cwd: folder, env });
}

async function run(folder: string, args: readonly string[], options: { settings?: Settings; input?: string } = {}) {
  const child = spawnProgram(folder, args, options.settings ?? {});
  child.stdin.end(options.input ?? '');
  const output = [readAll(child.stdout), readAll(child.stderr)] as const;
  const [stdout, stderr, [code]] = await Promise.all([...output, once(child, 'close') as Promise<[unknown]>]);
  return { stdout, stderr, code };
}

async function createUser(folder: string, username: string, ...more: string[]): Promise<string> {
  const args = ['user', 'create', '--email', `${username}@example.org`, '--username', username, '--password-stdin'];
  const { stdout, stderr } = await run(folder, [...args, ...more], { input: `${username}'s password\n` });
  const id = /with id (\S+)\.$/m.exec(stdout)?.[1];
  if (id === undefined) throw new Error(stderr);
  return id;
}

async function listUsers(folder: string): Promise<PublicUser[]> {
  return JSON.parse((await run(folder, ['user', 'list', '--json'])).stdout) as PublicUser[];
}

function storedUser(dataDir: string, login: string): User {
  const directory = openDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const [outcome] = directory.run([{ op: 'user.findForLogin', input: { login } }]);
  directory.close();
  if (!outcome?.ok || outcome.value === null) throw new Error(`no user ${login}`);
  return outcome.value as User;
}

async function hasPassword(dataDir: string, login: string, password: string): Promise<boolean> {
  const passwords = createPasswords({ threads: 1 });
  try {
    return await passwords.verify(storedUser(dataDir, login).hashed_password, password);
  } finally {
    await passwords.close();
  }
}

/** Starts the service as an operator does; resolves when it reports its address. */
async function startService(t: Test, folder: string) {
  const child = spawnProgram(folder, [], { PORT: '0', DURABILITY: 'normal', SHARDS: '2', SHARD_THREADS: '1' });
  t.teardown(() => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  const errors = readAll(child.stderr);
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      const found = /"url":"(http:[^"]+)"/.exec(log)?.[1];
      if (found !== undefined) resolve(found);
    });
    void errors.then((text) => reject(new Error(`did not start: ${text}`)));
  });
  return { child, url, ended };
}

/** Every test starts the program several times, which is slow on a busy machine. */
t.setTimeout(120_000);

t.test('CLI1 --help shows every command, and the help of each command shows its use', async (t) => {
  const { folder } = workplace(t);
  const overview = await run(folder, ['--help']);
  t.match(overview, { code: 0, stderr: '' });
  t.strictSame([...overview.stdout.matchAll(/^ {2}((?:\w+ )?\w+) {2}/gm)].map(([, words]) => words), COMMANDS);
  const helps = await Promise.all(COMMANDS.map((words) => run(folder, [...words.split(' '), '--help'])));
  for (const [index, help] of helps.entries()) {
    const use = `Usage: switchboard ${COMMANDS[index]}`;
    t.match(help, { code: 0, stderr: '' }, use);
    t.equal(help.stdout.slice(0, use.length), use);
  }
  const group = await run(folder, ['user', '-h']);
  t.match(group, { code: 0, stdout: /user promote/, stderr: '' });
  t.strictSame(readdirSync(folder), []);
});

t.test('CLI2 --version shows the version of the package', async (t) => {
  const { folder } = workplace(t);
  t.strictSame(await run(folder, ['--version']), { code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

for (const [args, message] of [
  [['frobnicate'], 'There is no command "frobnicate".'],
  [['user'], '"user" needs a command.'],
  [['user', 'frobnicate'], 'There is no command "user frobnicate".'],
  [['--frobnicate'], "Unknown option '--frobnicate'."],
  [['serve', 'now'], '"now" is one argument too many.'],
  [['user', 'list', '--frobnicate'], "Unknown option '--frobnicate'."],
  [['user', 'list', '--search'], "Option '--search <value>' argument missing."],
  [['user', 'promote'], 'Name the user.'],
  [['user', 'promote', 'ann', 'bob'], '"bob" is one argument too many.'],
  [['user', 'create', '--username', 'ann'], '--email is missing.'],
  [['user', 'create', '--email', 'nowhere', '--username', 'ann'], '--email must be an e-mail address.'],
] as const) {
  t.test(`CLI3 "${args.join(' ')}" is invalid: a message on standard error and exit code 64`, async (t) => {
    const { folder } = workplace(t);
    const { code, stdout, stderr } = await run(folder, args);
    t.match({ code, stdout }, { code: 64, stdout: '' });
    t.equal(stderr.split('\n')[0], `switchboard: ${message}`);
    t.match(stderr, /^Try: switchboard .*--help$/m);
    t.strictSame(readdirSync(folder), []);
  });
}

t.test('CLI4 user create creates a user with the password from standard input', async (t) => {
  const { folder, dataDir } = workplace(t);
  const names = ['--firstname', 'Ann', '--lastname', 'Archer'];
  const id = await createUser(folder, 'ann', ...names, '--superuser');
  await createUser(folder, 'bob');
  t.strictSame(await listUsers(folder), [
    {
      id,
      email: 'ann@example.org',
      username: 'ann',
      firstname: 'Ann',
      lastname: 'Archer',
      is_active: true,
      is_verified: false,
      is_superuser: true,
    },
    { ...(await listUsers(folder))[1], username: 'bob', firstname: null, lastname: null, is_superuser: false },
  ]);
  t.equal(await hasPassword(dataDir, 'ann', "ann's password"), true);
});

t.test('CLI5 a password is never an argument, and is read from standard input only on request', async (t) => {
  const { folder } = workplace(t);
  const args = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann'];
  const given = await run(folder, [...args, '--password', 'hunter2']);
  t.match(given, { code: 64, stderr: /Unknown option '--password'/ });
  t.notMatch(given.stderr, 'hunter2');
  t.match(await run(folder, args, { input: 'hunter2\n' }), { code: 64, stderr: /--password-stdin/ });
  t.strictSame(await listUsers(folder), []);
});

t.test('CLI6 the configured password rules apply on the command line', async (t) => {
  const { folder } = workplace(t);
  const settings = { PASSWORD_MIN_LENGTH: '8', PASSWORD_REQUIRE: 'digit' };
  const args = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann', '--password-stdin'];
  for (const input of ['short1', 'long but without', '', 'x\0yyyyyyy1', '1'.repeat(5000)]) {
    const name = JSON.stringify(input.slice(0, 20));
    t.match(await run(folder, args, { settings, input }), { code: 1, stdout: '', stderr: /password/ }, name);
  }
  t.strictSame(await listUsers(folder), []);
  t.match(await run(folder, args, { settings, input: 'long enough 1\n' }), { code: 0 });
});

t.test('CLI7 a user is named by e-mail address, username or id', async (t) => {
  const { folder } = workplace(t);
  const id = await createUser(folder, 'ann');
  const state = async () => {
    const users = await listUsers(folder);
    return users.map(({ is_active, is_superuser }) => ({ is_active, is_superuser }));
  };
  t.match(await run(folder, ['user', 'promote', 'ANN@example.org']), { code: 0, stdout: /^ann <ann@example.org>/ });
  t.strictSame(await state(), [{ is_active: true, is_superuser: true }]);
  t.match(await run(folder, ['user', 'deactivate', 'ann']), { code: 0 });
  t.strictSame(await state(), [{ is_active: false, is_superuser: true }]);
  t.match(await run(folder, ['user', 'activate', id.toUpperCase()]), { code: 0 });
  t.strictSame(await state(), [{ is_active: true, is_superuser: true }]);
});

t.test('CLI8 an unknown user and a name that is taken are reported with exit code 1', async (t) => {
  const { folder } = workplace(t);
  await createUser(folder, 'ann');
  t.match(await run(folder, ['user', 'promote', 'zoe']), { code: 1, stdout: '', stderr: /There is no user "zoe"\./ });
  const again = ['user', 'create', '--email', 'Ann@Example.org', '--username', 'other', '--password-stdin'];
  t.match(await run(folder, again, { input: 'password\n' }), { code: 1, stdout: '', stderr: /already/ });
  t.equal((await listUsers(folder)).length, 1);
});

t.test('CLI9 user passwd replaces the password', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const args = ['user', 'passwd', 'ann', '--password-stdin'];
  t.match(await run(folder, args, { input: 'the new one\r\nnot this\n' }), { code: 0, stderr: '' });
  t.equal(await hasPassword(dataDir, 'ann', 'the new one'), true);
  t.equal(await hasPassword(dataDir, 'ann', "ann's password"), false);
});

t.test('CLI10 user list shows a table of all users, or of those that match a text', async (t) => {
  const { folder } = workplace(t);
  t.strictSame(await run(folder, ['user', 'list']), { code: 0, stdout: 'No users.\n', stderr: '' });
  await createUser(folder, 'bob', '--firstname', 'Bob');
  await createUser(folder, 'ann');
  await run(folder, ['user', 'deactivate', 'bob']);
  const { stdout } = await run(folder, ['user', 'list']);
  const rows = stdout.trimEnd().split('\n').map((line) => line.split(/ {2,}/).slice(0, -1).join('|'));
  t.strictSame(rows, [
    'USERNAME|E-MAIL|NAME|STATE',
    'ann|ann@example.org|active',
    'bob|bob@example.org|Bob|inactive',
  ]);
  const found = await run(folder, ['user', 'list', '--search', 'BO', '--json']);
  t.match(JSON.parse(found.stdout), [{ username: 'bob' }]);
  t.notMatch(found.stdout, 'ann');
});

t.test('CLI11 control characters in a name do not reach the terminal', async (t) => {
  const { folder, dataDir } = workplace(t);
  const id = await createUser(folder, 'ann', '--firstname', 'A\u001b[2Jnn\nX');
  // The directory may contain old names with characters that change the direction of text.
  const directory = openDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const changes = { firstname: 'A\u001b[2Jnn\nX\u202e' };
  directory.run([{ op: 'user.update', input: { id, changes, now: new Date().toISOString() } }]);
  directory.close();
  const { stdout } = await run(folder, ['user', 'list']);
  t.match(stdout, 'A\ufffd[2Jnn\ufffdX\ufffd');
  t.notMatch(stdout, /[\u001b\u202e]/);
});

t.test('CLI12 config check shows the values in effect and their source, without secrets', async (t) => {
  const { folder } = workplace(t);
  writeFileSync(join(folder, '.env'), 'SHARDS=5\nJWT_SECRET=hunter2\n');
  const settings = { PORT: '9000', NATS_URL: 'nats://operator:hunter2@localhost' };
  const { code, stdout, stderr } = await run(folder, ['config', 'check'], { settings });
  t.match({ code, stderr }, { code: 0, stderr: '' });
  t.match(stdout, /^PORT +9000 +set /m);
  t.match(stdout, /^SHARDS +5 +set /m);
  t.match(stdout, /^LOG_LEVEL +info +default /m);
  t.match(stdout, /^NATS_URL +nats:\/\/\(hidden\)@localhost +set /m);
  t.match(stdout, /^JWT_SECRET +\(hidden\) +set /m);
  t.notMatch(stdout, 'hunter2');
});

for (const args of [['config', 'check'], ['serve'], ['user', 'list']]) {
  t.test(`CLI13 "${args.join(' ')}" with bad settings lists every problem and exits with 78`, async (t) => {
    const { folder } = workplace(t);
    const settings = { ENVIRONMENT: 'production', JWT_SECRET: PLACEHOLDER_SECRET, PORT: 'x', CORS_ORIGINS: '*' };
    const { code, stdout, stderr } = await run(folder, args, { settings });
    t.match({ code, stdout }, { code: 78, stdout: '' });
    const named = [...stderr.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name);
    t.strictSame(named, ['PORT', 'JWT_SECRET', 'CORS_ORIGINS']);
    t.strictSame(readdirSync(folder), []);
  });
}

t.test('CLI14 if the data is in use and no service answers, the command says so and exits with 75', async (t) => {
  const { folder, dataDir } = workplace(t);
  const directory = openDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  t.teardown(() => directory.close());
  const { code, stdout, stderr } = await run(folder, ['user', 'list']);
  t.match({ code, stdout }, { code: 75, stdout: '' });
  t.match(stderr, /in use by another process\. No running service/);
});

t.test('CLI22 the cause of a store failure is shown, because the command has no log', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const db = new Database(join(dataDir, 'directory.sqlite'));
  db.exec("CREATE TRIGGER broken BEFORE UPDATE ON user BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
  db.close();
  t.match(await run(folder, ['user', 'promote', 'ann']), { code: 1, stdout: '', stderr: /the disk is on fire/ });
});

t.test('CLI15 a password typed at a terminal is read twice, without echo, with editing keys', async (t) => {
  const result = loadConfig({});
  if (!result.ok) throw new Error(result.problems.join());
  const type = async (keys: string) => {
    const modes: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    stdin.write(keys);
    const password = obtainPassword(false, result.config, { stdin, stdout, stderr });
    const outcome = await password.catch((error: unknown) => error);
    stderr.end();
    stdout.end();
    return { outcome, modes, stdin, shown: (await readAll(stdout)) + (await readAll(stderr)) };
  };
  const typed = await type('wrong\u0015sesx\u007fame\rsesame\r');
  t.match(typed, { outcome: 'sesame', modes: [true, false], shown: 'Password: \nAgain: \n' });
  t.equal(typed.stdin.destroyed, true, 'nothing keeps the process alive');
  t.match(await type('sesame\rsesam\r'), { outcome: { exitCode: 1, message: /differ/ }, modes: [true, false] });
  t.match(await type('sesame\u0003'), { outcome: { exitCode: 130 }, modes: [true, false] });
});

t.test('CLI16 a running service sees the changes of the command line at once', async (t) => {
  const { folder } = workplace(t);
  const { url } = await startService(t, folder);
  await createUser(folder, 'ann');
  const body = new URLSearchParams({ username: 'ann@example.org', password: "ann's password" });
  const login = await fetch(`${url}/auth/login`, { method: 'POST', body });
  t.equal(login.status, 200);
  const { access_token } = (await login.json()) as { access_token: string };
  const me = () => fetch(`${url}/auth/me`, { headers: { authorization: `Bearer ${access_token}` } });
  t.equal((await me()).status, 200);
  t.match(await run(folder, ['user', 'deactivate', 'ann']), { code: 0 });
  t.equal((await me()).status, 401);
  t.match(await run(folder, ['user', 'activate', 'ann']), { code: 0 });
  t.match(await run(folder, ['user', 'promote', 'ann']), { code: 0 });
  t.match(await (await me()).json(), { is_active: true, is_superuser: true });
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`CLI17 ${signal} stops the service in order, with exit code 0`, async (t) => {
    const { folder, dataDir } = workplace(t);
    const { child, url, ended } = await startService(t, folder);
    t.equal((await fetch(`${url}/health`)).status, 200);
    child.kill(signal);
    t.equal(await ended, 0);
    t.strictSame(readdirSync(join(dataDir, 'control')), []);
    t.strictSame(await listUsers(folder), [], 'the data is free again');
  });
}

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  t.test(`CLI18 a second signal (${signal}) ends the service at once, with exit code ${code}`, async (t) => {
    const { folder } = workplace(t);
    const { child, url, ended } = await startService(t, folder);
    const { port } = new URL(url);
    // A request whose body never arrives: an orderly stop waits for it.
    const busy = connect(Number(port), '127.0.0.1');
    busy.on('error', () => undefined);
    t.teardown(() => busy.destroy());
    const head = ['POST /auth/register HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 9'];
    await new Promise((sent) => busy.write(`${head.join('\r\n')}\r\n\r\n{`, sent));
    // When this request is answered, everything sent before it has been read.
    await fetch(`${url}/health`);
    child.kill('SIGTERM');
    while (await accepts(Number(port)));
    child.kill(signal);
    t.equal(await ended, code);
  });
}

t.test('CLI19 a failed start is reported in one line, with exit code 1', async (t) => {
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

  const db = new Database(join(dataDir, 'directory.sqlite'));
  db.exec("INSERT INTO schema_version VALUES (9999, '9999-future.sql', '2099-01-01T00:00:00.000Z')");
  db.close();
  t.match(await failure({}), { code: 1, lines: 1, stderr: /cannot start: .*newer version/ });
});

t.test('CLI23 a data folder that cannot be created ends the start at once, with its path', async (t) => {
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
t.test('CLI24 a signal during the start ends it in order', { skip: skipWithoutProc }, async (t) => {
  const { folder, dataDir } = workplace(t);
  // While this is held, the start does not continue.
  const lock = acquireLock(join(dataDir, 'folder.lock'));
  t.not(lock, 'held');
  const child = spawnProgram(folder, [], { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
  t.teardown(() => child.kill('SIGKILL'));
  const [stderr, ended] = [readAll(child.stderr), once(child, 'exit')];
  while (!listensForSignals(child.pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGTERM');
  t.strictSame(await ended, [0, null]);
  t.equal(await stderr, '');
  t.strictSame(readdirSync(dataDir).filter((name) => !name.startsWith('folder.lock')), [], 'nothing was created');
  if (lock !== 'held') lock.release();
});

t.test('CLI20 the terminal shows the address of the service and a warning about the development secret', async (t) => {
  const url = 'http://127.0.0.1:8000';
  const placeholder = welcome(url, { environment: 'development', jwtSecretIsPlaceholder: true });
  for (const address of [`${url}\n`, `${url}/docs\n`, `${url}/redoc\n`]) t.match(placeholder, address);
  t.match(placeholder, 'JWT_SECRET');
  t.notMatch(welcome(url, { environment: 'development', jwtSecretIsPlaceholder: false }), 'JWT_SECRET');
});

t.test('CLI25 every start logs a warning about the development secret', async (t) => {
  const { log, lines } = logLines();
  const warnings = (): unknown[] => lines().filter(({ level }) => level === 40).map(({ msg }) => msg);
  await startTestApp(t, { JWT_SECRET: 'a secret of our own' }, log);
  t.strictSame(warnings(), []);
  await startTestApp(t, {}, log);
  t.match(warnings(), [/public development secret.*JWT_SECRET/]);
});

t.test('CLI21 a reader that closes the pipe early is not a failure', async (t) => {
  const { folder } = workplace(t);
  const child = spawnProgram(folder, ['config', 'check'], {});
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit') as Promise<[unknown]>]);
  t.strictSame({ stderr, code }, { stderr: '', code: 0 });
});

/** As the kernel reports. SIGHUP, because Node handles the others from its start; ours are installed just before it. */
function listensForSignals(pid: number | undefined): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${caught}`) & 1n) !== 0n;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
