import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import t from 'tap';
import { createPasswords } from '../../src/auth/passwords.js';
import { obtainPassword } from '../../src/cli/users/password.js';
import { loadConfig } from '../../src/settings/config.js';
import type { User } from '../../src/domain/account/user.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { createUser, listUsers, run, runHere, workplace } from '../support/service/commandLine.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

function storedUser(dataDir: string, login: string): User {
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const [outcome] = directory.runNow([{ op: 'user.findForLogin', input: { login } }]);
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

/** Every test starts the program several times, which is slow on a busy machine. */

t.test('CLI4 user create creates a user with the password from standard input', async (t) => {
  const { folder, dataDir } = workplace(t);
  const names = ['--firstname', 'Ann', '--lastname', 'Archer'];
  const args = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann', '--password-stdin', ...names, '--superuser'];
  const created = await run(folder, args, { input: "ann's password\n" });
  const id = /with id (\S+)\.$/m.exec(created.stdout)?.[1];
  t.match({ ...created, id }, { code: 0, stderr: '', id: String });
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
  const given = await runHere(folder, [...args, '--password', 'hunter2']);
  t.match(given, { code: 64, stderr: /Unknown option '--password'/ });
  t.notMatch(given.stderr, 'hunter2');
  t.match(await runHere(folder, args, { input: 'hunter2\n' }), { code: 64, stderr: /--password-stdin/ });
  t.strictSame(await listUsers(folder), []);
});

t.test('CLI5 the configured password rules apply on the command line', async (t) => {
  const { folder } = workplace(t);
  const settings = { PASSWORD_MIN_LENGTH: '8', PASSWORD_REQUIRE: 'digit' };
  const args = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann', '--password-stdin'];
  for (const input of ['short1', 'long but without', '', 'x\0yyyyyyy1', '1'.repeat(5000)]) {
    const name = JSON.stringify(input.slice(0, 20));
    t.match(await runHere(folder, args, { settings, input }), { code: 1, stdout: '', stderr: /password/ }, name);
  }
  t.strictSame(await listUsers(folder), []);
  t.match(await runHere(folder, args, { settings, input: 'long enough 1\n' }), { code: 0 });
});

t.test('CLI4 a user is named by e-mail address, username or id', async (t) => {
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

t.test('CLI4 an unknown user and a name that is taken are reported with exit code 1', async (t) => {
  const { folder } = workplace(t);
  await createUser(folder, 'ann');
  t.match(await runHere(folder, ['user', 'promote', 'zoe']), { code: 1, stdout: '', stderr: /There is no user "zoe"\./ });
  const again = ['user', 'create', '--email', 'Ann@Example.org', '--username', 'other', '--password-stdin'];
  t.match(await runHere(folder, again, { input: 'password\n' }), { code: 1, stdout: '', stderr: /already/ });
  t.equal((await listUsers(folder)).length, 1);
});

t.test('CLI4 user passwd replaces the password', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const args = ['user', 'passwd', 'ann', '--password-stdin'];
  t.match(await run(folder, args, { input: 'the new one\r\nnot this\n' }), { code: 0, stderr: '' });
  t.equal(await hasPassword(dataDir, 'ann', 'the new one'), true);
  t.equal(await hasPassword(dataDir, 'ann', "ann's password"), false);
});

t.test('CLI4 user list shows a table of all users, or of those that match a text', async (t) => {
  const { folder } = workplace(t);
  t.strictSame(await runHere(folder, ['user', 'list']), { code: 0, stdout: 'No users.\n', stderr: '' });
  await createUser(folder, 'bob', '--firstname', 'Bob');
  await createUser(folder, 'ann');
  await runHere(folder, ['user', 'deactivate', 'bob']);
  const { stdout } = await run(folder, ['user', 'list']);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(0, -1).join('|'));
  t.strictSame(rows, ['USERNAME|E-MAIL|NAME|STATE', 'ann|ann@example.org|active', 'bob|bob@example.org|Bob|inactive']);
  const found = await runHere(folder, ['user', 'list', '--search', 'BO', '--json']);
  t.match(JSON.parse(found.stdout), [{ username: 'bob' }]);
  t.notMatch(found.stdout, 'ann');
});

t.test('CLI21 control characters in a name do not reach the terminal', async (t) => {
  const { folder, dataDir } = workplace(t);
  const id = await createUser(folder, 'ann', '--firstname', 'A\u001b[2Jnn\nX');
  // The directory may contain old names with characters that change the direction of text.
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const changes = { firstname: 'A\u001b[2Jnn\nX\u202e' };
  directory.runNow([{ op: 'user.update', input: { id, changes, now: new Date().toISOString() } }]);
  directory.close();
  const { stdout } = await runHere(folder, ['user', 'list']);
  t.match(stdout, 'A\ufffd[2Jnn\ufffdX\ufffd');
  t.notMatch(stdout, /[\u001b\u202e]/);
});

t.test('CLI42 if the data is in use and no service answers, the command says so and exits with 75', async (t) => {
  const { folder, dataDir } = workplace(t);
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  t.teardown(() => directory.close());
  const { code, stdout, stderr } = await run(folder, ['user', 'list']);
  t.match({ code, stdout }, { code: 75, stdout: '' });
  t.match(stderr, /in use by another process\. No running service/);
});

t.test('CLI22 the cause of a store failure is shown, because the command has no log', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const db = new Sqlite(join(dataDir, 'directory.sqlite'));
  db.exec("CREATE TRIGGER broken BEFORE UPDATE ON user BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
  db.close();
  t.match(await run(folder, ['user', 'promote', 'ann']), { code: 1, stdout: '', stderr: /the disk is on fire/ });
});

t.test('CLI5 a password typed at a terminal is read twice, without echo, with editing keys', async (t) => {
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
