import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../src/domain/ids.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DIRECTORY_FILE, lockOf } from '../../src/store/folder/dataFolder.js';
import type { DirectoryOutcome } from '../support/store/memoryDirectory.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const NOW = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-02T00:00:00.000Z';
const ids = new IdSource();

type CreateUser = Extract<DirectoryCommand, { op: 'user.create' }>;

function createUser(username: string, email = `${username}@example.org`): CreateUser {
  return {
    op: 'user.create',
    input: {
      id: ids.fresh(),
      email,
      username,
      hashed_password: `hash of ${username}`,
      firstname: null,
      lastname: null,
      is_superuser: false,
      now: NOW,
    },
  };
}

function publicUser({ input }: CreateUser) {
  const { hashed_password, now, ...fields } = input;
  return { ...fields, is_active: true, is_verified: false };
}

function rethrow(error: unknown): never {
  throw error;
}

/** A directory on a fresh folder. `errors` collects what it reports for the log. */
function open(t: Test, dataDir = t.testdir()) {
  const errors: unknown[] = [];
  const directory = new RunningDirectory({ dataDir, durability: 'full', onError: (error) => errors.push(error) });
  let closed = false;
  const close = () => {
    if (!closed) directory.close();
    closed = true;
  };
  t.teardown(close);
  return { directory, errors, dataDir, close };
}

function runOne(directory: RunningDirectory, command: DirectoryCommand): DirectoryOutcome {
  const [outcome] = directory.runNow([command]);
  if (!outcome) throw new Error('no outcome');
  return outcome;
}

function usernames(directory: RunningDirectory, search: string | null, limit = 50, offset = 0): unknown {
  const outcome = runOne(directory, { op: 'user.search', input: { search, limit, offset } });
  return outcome.ok ? (outcome.value as PublicUser[]).map((user) => user.username) : outcome;
}

/** SQL from outside, to plant a fault that the directory's own statements will hit. */
function sabotage(dataDir: string, sql: string): void {
  const db = new Sqlite(join(dataDir, 'directory.sqlite'));
  db.exec(sql);
  db.close();
}

t.test('LOG1 a created user is found by id, e-mail and username, and only a login sees the hash', (t) => {
  const { directory } = open(t);
  const command = createUser('ada');
  const { id } = command.input;
  const shown = publicUser(command);
  const full = { ...shown, hashed_password: 'hash of ada', created_at: NOW, updated_at: NOW, revoked_at: null };
  t.strictSame(
    directory.runNow([
      command,
      { op: 'user.get', input: { id } },
      { op: 'user.getWithHash', input: { id } },
      { op: 'user.findForLogin', input: { login: 'ADA@Example.org' } },
      { op: 'user.findForLogin', input: { login: 'Ada' } },
      { op: 'user.search', input: { search: null, limit: 10, offset: 0 } },
      { op: 'health.check', input: {} },
    ]),
    [shown, shown, full, full, full, [shown], true].map((value) => ({ ok: true, value })),
  );
  t.end();
});

t.test('LOG1 an unknown user is null', (t) => {
  const { directory } = open(t);
  const id = ids.fresh();
  t.strictSame(
    directory.runNow([
      { op: 'user.get', input: { id } },
      { op: 'user.getWithHash', input: { id } },
      { op: 'user.findForLogin', input: { login: 'nobody' } },
    ]),
    [null, null, null].map((value) => ({ ok: true, value })),
  );
  t.end();
});

t.test('AUTH1 e-mail and username are unique, ignoring case and encoding, and the refusal names the field', (t) => {
  const { directory, errors } = open(t);
  runOne(directory, createUser('Zoë', 'Zoë@Example.org'));
  for (const email of ['ZOË@EXAMPLE.ORG', 'zoe\u0308@example.org']) {
    t.match(runOne(directory, createUser('other', email)), {
      ok: false,
      error: { code: 'conflict', detail: /e-mail/ },
    });
  }
  for (const username of ['ZOË', 'zoe\u0308']) {
    t.match(runOne(directory, createUser(username, 'other@example.org')), {
      ok: false,
      error: { code: 'conflict', detail: /username/ },
    });
  }
  t.same(usernames(directory, null), ['Zoë']);
  t.same(errors, []);
  t.end();
});

t.test('USER4 a search matches any part of username or e-mail, ignoring case in every script', (t) => {
  const { directory } = open(t);
  directory.runNow([
    createUser('Émile', 'e@north.example'),
    createUser('bob', 'bob@South.example'),
    createUser('Ärmel', 'a@north.example'),
    createUser('Carol', 'carol@north.example'),
  ]);
  t.same(usernames(directory, 'ÉMI'), ['Émile']);
  t.same(usernames(directory, 'SOUTH'), ['bob']);
  t.same(usernames(directory, 'aro'), ['Carol']);
  t.same(usernames(directory, 'north'), ['Carol', 'Ärmel', 'Émile']);
  t.same(usernames(directory, 'absent'), []);
  t.end();
});

t.test('USER4 a search treats special characters of SQL patterns literally', (t) => {
  const { directory } = open(t);
  const special = ['per%cent', 'under_score', 'back\\slash', "quo'te", 'star*'];
  directory.runNow([...special.map((name, n) => createUser(name, `${n}@example.org`)), createUser('plain')]);
  t.same(usernames(directory, '%'), ['per%cent']);
  t.same(usernames(directory, '_'), ['under_score']);
  t.same(usernames(directory, '\\'), ['back\\slash']);
  t.same(usernames(directory, "'"), ["quo'te"]);
  t.same(usernames(directory, '*'), ['star*']);
  t.same(usernames(directory, 'x'.repeat(60_000)), [], 'longer than a pattern may be');
  t.end();
});

t.test('USER4 users are listed by username ignoring case, in pages', (t) => {
  const { directory } = open(t);
  directory.runNow(['delta', 'Bravo', 'alpha', 'Charlie', 'echo'].map((name) => createUser(name)));
  t.same(usernames(directory, null), ['alpha', 'Bravo', 'Charlie', 'delta', 'echo']);
  t.same(usernames(directory, null, 2, 1), ['Bravo', 'Charlie']);
  t.same(usernames(directory, 'example.org', 2, 3), ['delta', 'echo']);
  t.same(usernames(directory, null, 2, 5), []);
  t.end();
});

t.test('an update changes the given fields and returns the user', (t) => {
  const { directory } = open(t);
  const command = createUser('ada');
  const { id } = command.input;
  runOne(directory, command);
  const shown = { ...publicUser(command), firstname: 'Ada', is_active: false };
  const changes = { firstname: 'Ada', is_active: false, hashed_password: 'new hash' };
  t.strictSame(runOne(directory, { op: 'user.update', input: { id, now: LATER, changes } }), {
    ok: true,
    value: shown,
    changed: shown,
    sessions: { kind: 'ended', user_id: id, ids: [], revoked_at: LATER },
  });
  t.strictSame(runOne(directory, { op: 'user.getWithHash', input: { id } }), {
    ok: true,
    value: { ...shown, hashed_password: 'new hash', created_at: NOW, updated_at: LATER, revoked_at: LATER },
  });
  const cleared = { ...shown, firstname: null };
  t.strictSame(runOne(directory, { op: 'user.update', input: { id, now: LATER, changes: { firstname: null } } }), {
    ok: true,
    value: cleared,
    changed: cleared,
  });
  t.end();
});

t.test('an empty update changes nothing', (t) => {
  const { directory } = open(t);
  const command = createUser('ada');
  const { id } = command.input;
  runOne(directory, command);
  for (const changes of [{}, { firstname: null, is_active: true }]) {
    const outcome = runOne(directory, { op: 'user.update', input: { id, now: LATER, changes } });
    t.strictSame(outcome, { ok: true, value: publicUser(command) });
  }
  t.match(runOne(directory, { op: 'user.getWithHash', input: { id } }), { value: { updated_at: NOW } });
  t.end();
});

t.test('an update of an unknown user is not_found', (t) => {
  const { directory } = open(t);
  const input = { id: ids.fresh(), now: NOW, changes: { firstname: 'A' } };
  t.match(runOne(directory, { op: 'user.update', input }), { ok: false, error: { code: 'not_found' } });
  t.end();
});

t.test('HTTP6 a refused command affects no other command of its batch', (t) => {
  const { directory, errors } = open(t);
  const outcomes = directory.runNow([createUser('ada'), createUser('ADA', 'x@example.org'), createUser('bob')]);
  t.same(
    outcomes.map(({ ok }) => ok),
    [true, false, true],
  );
  t.same(usernames(directory, null), ['ada', 'bob']);
  t.same(errors, []);
  t.end();
});

t.test('HTTP6 a command that throws is an internal error for itself only, and its cause goes to the log only', (t) => {
  const { directory, errors, dataDir } = open(t);
  sabotage(
    dataDir,
    `CREATE TRIGGER broken AFTER INSERT ON user WHEN new.username = 'broken'
     BEGIN SELECT RAISE(ABORT, 'secret cause'); END`,
  );
  const outcomes = directory.runNow([createUser('ada'), createUser('broken'), createUser('bob')]);
  t.same(
    outcomes.map(({ ok }) => ok),
    [true, false, true],
  );
  t.strictSame(outcomes[1], { ok: false, error: { code: 'internal', detail: 'Internal Server Error' } });
  t.match(errors, [{ message: 'secret cause' }]);
  t.equal(errors.length, 1);
  t.same(usernames(directory, null), ['ada', 'bob']);
  t.end();
});

/** Each makes a batch fail as a whole: at its commit, or by a statement that ends the transaction. */
const BATCH_BREAKERS = {
  'the commit fails': `
    CREATE TABLE dangling (id INTEGER REFERENCES dangling_target (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE dangling_target (id INTEGER PRIMARY KEY);
    CREATE TRIGGER broken AFTER INSERT ON user WHEN new.username = 'broken'
    BEGIN INSERT INTO dangling VALUES (1); END`,
  'a statement ends the transaction': `
    CREATE TRIGGER broken AFTER INSERT ON user WHEN new.username = 'broken'
    BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`,
};

for (const [title, sql] of Object.entries(BATCH_BREAKERS)) {
  t.test(`HTTP6 when ${title}, each command is tried alone, and only the guilty one is unavailable`, (t) => {
    const { directory, errors, dataDir } = open(t);
    sabotage(dataDir, sql);
    const ada = createUser('ada');
    const outcomes = directory.runNow([ada, createUser('broken'), createUser('bob'), createUser('ADA', 'b@example.org')]);
    t.match(outcomes, [
      { ok: true, value: publicUser(ada) },
      { ok: false, error: { code: 'unavailable', retryAfter: 1 } },
      { ok: true },
      { ok: false, error: { code: 'conflict' } },
    ]);
    t.equal(errors.length, 2, 'the failure of the batch and that of the guilty command');
    t.same(usernames(directory, null), ['ada', 'bob']);
    t.match(runOne(directory, createUser('carol')), { ok: true }, 'and the directory goes on');
    t.end();
  });
}

t.test('CRASH1 every answered command is on disk after a restart', (t) => {
  const first = open(t);
  const command = createUser('ada');
  runOne(first.directory, command);
  first.close();
  const second = open(t, first.dataDir);
  t.strictSame(runOne(second.directory, { op: 'user.get', input: { id: command.input.id } }), {
    ok: true,
    value: publicUser(command),
  });
  t.end();
});

t.test('STORE5 a data folder has one open directory: a second is refused while the first is open', (t) => {
  const first = open(t);
  t.throws(() => new RunningDirectory({ dataDir: first.dataDir, durability: 'full', onError: rethrow }), {
    code: 'unavailable',
    message: `the data folder ${first.dataDir} is in use by another process`,
  });
  first.close();
  t.match(runOne(open(t, first.dataDir).directory, createUser('ada')), { ok: true });
  t.end();
});

t.test('STORE5 a directory that is open in another process is refused until that process ends', async (t) => {
  const dataDir = t.testdir();
  const program = `
    import { openDirectory } from ${JSON.stringify(new URL('../../src/store/directory/directory.js', import.meta.url).href)};
    const dataDir = ${JSON.stringify(dataDir)};
    const directory = openDirectory({ dataDir, durability: 'full', onError: console.error });
    process.stdout.write('open');
    setInterval(() => directory, 60_000);
  `;
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  const openHere = () => new RunningDirectory({ dataDir, durability: 'full', onError: rethrow });
  t.throws(openHere, { code: 'unavailable', message: /in use by another process/ });
  other.kill('SIGKILL');
  await once(other, 'exit');
  openHere().close();
});

t.test('STORE5 a failed open leaves no lock', (t) => {
  const { dataDir, close } = open(t);
  close();
  sabotage(dataDir, `INSERT INTO schema_version VALUES (900, '0900-future.sql', '${NOW}')`);
  const openAgain = () => new RunningDirectory({ dataDir, durability: 'full', onError: rethrow });
  t.throws(openAgain, { message: /newer version/ });
  sabotage(dataDir, 'DELETE FROM schema_version WHERE version = 900');
  openAgain().close();
  t.end();
});

t.test('CLUSTER33 a directory whose lock was removed answers nothing: another process may own it', (t) => {
  const dataDir = t.testdir();
  const directory = new RunningDirectory({ dataDir, durability: 'full', onError: () => undefined });
  t.teardown(() => directory.close());
  const search: DirectoryCommand = { op: 'user.search', input: { search: null, limit: 5, offset: 0 } };
  t.match(directory.runNow([createUser('ann'), search]), [{ ok: true }, { ok: true }]);
  rmSync(lockOf(join(dataDir, DIRECTORY_FILE)));
  for (const command of [search, createUser('ben')]) t.match(directory.runNow([command]), [{ ok: false, error: { code: 'unavailable' } }]);
  t.end();
});

t.test('READY3 a probe of the directory writes to its file', (t) => {
  const dataDir = t.testdir();
  const directory = new RunningDirectory({ dataDir, durability: 'full', onError: rethrow });
  t.teardown(() => directory.close());
  const db = new Sqlite(join(dataDir, 'directory.sqlite'));
  t.teardown(() => db.close());
  const count = db.prepare('SELECT count FROM probe').pluck();
  const before = count.get();
  directory.probe();
  t.notSame(count.get(), before);
  db.exec(`CREATE TRIGGER fault BEFORE UPDATE ON probe BEGIN SELECT RAISE(ABORT, 'full'); END`);
  t.throws(() => directory.probe());
  t.end();
});
