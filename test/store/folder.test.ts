import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { packagePath } from '../../src/paths.js';
import { backUp } from '../../src/store/backup/backup.js';
import { checkFolder } from '../../src/store/check/checkFolder.js';
import { makeFolder } from '../../src/store/folder/makeFolder.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { readRecord } from '../../src/store/folder/record/folderRecord.js';
import { openDatabase } from '../../src/store/sqlite/database.js';
import { acquireLock } from '../../src/store/sqlite/lock.js';
import { openShard } from '../../src/store/shard/openShard.js';
import { startTestApp } from '../support/service/app.js';
import { temporaryFolder } from '../support/store/folder.js';
import { logLines } from '../support/service/logLines.js';
import { query, sql } from '../support/store/sqlFile.js';
import { FIXTURES } from '../support/store/upgradeFixture.js';
import { newUser } from '../support/http/users.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

// Each test is short, but on a busy machine they add up.

const run = promisify(execFile);
const SHARDS = 2;
const OLD_FOLDER = join(FIXTURES, 'data-directory3-shard1');

/** Every file with its content, except for locks and the files that SQLite keeps beside a database. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => /\.(sqlite|json)$/.test(name)).sort();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await readFile(join(folder, name))).toString('base64')] as const)));
}

/** A folder with users and boards, as the service left it. */
async function makeFilledFolder(): Promise<string> {
  const app = await startTestApp(t, { SHARDS: String(SHARDS) });
  const { token } = await newUser(app.api);
  for (let board = 0; board < 8; board += 1) {
    await app.api.request('POST', '/boards', { token, json: { title: `Board ${board}` } });
  }
  await app.close();
  return app.config.dataDir;
}

const [FIRST, SECOND] = [await makeFilledFolder(), await makeFilledFolder()];

/** A copy of one of two such folders: the copy has the identity of the original. */
async function filledFolder(t: Test, original = FIRST): Promise<string> {
  const dataDir = await temporaryFolder(t);
  await cp(original, dataDir, { recursive: true, filter: (source) => !source.endsWith('control') });
  return dataDir;
}

/** A folder of an older program without a folder record. */
async function oldFolder(t: Test): Promise<string> {
  const dataDir = await temporaryFolder(t);
  for (const name of ['directory.sqlite', 'shard-00.sqlite']) await cp(join(OLD_FOLDER, name), join(dataDir, name));
  return dataDir;
}

function markOf(dataDir: string, name: string): string | null {
  const table = name.startsWith('shard') ? 'place' : 'folder_mark';
  return query<{ folder: string | null }>(join(dataDir, name), `SELECT folder FROM ${table}`)[0]?.folder ?? null;
}

/** Refused with this text, and the folder is unchanged. */
async function refused(t: Test, dataDir: string, shards: number | null, ...says: readonly RegExp[]): Promise<void> {
  const before = await contentOf(dataDir);
  const error: unknown = await prepareFolder({ dataDir, shards }).catch((reason: unknown) => reason);
  t.ok(error instanceof Error, 'it is refused');
  for (const expected of says) t.match(String(error), expected);
  t.match(String(error), dataDir, 'the folder is named');
  t.strictSame(await contentOf(dataDir), before, 'nothing was created or changed');
}

t.test('STORE51 a start with another number of shards is refused and leaves nothing behind', async (t) => {
  const dataDir = await filledFolder(t);
  const before = await contentOf(dataDir);
  for (const shards of ['1', '16']) {
    await t.rejects(startTestApp(t, { DATA_DIR: dataDir, SHARDS: shards }), {
      message: new RegExp(`folder of 2 shards.* set SHARDS=2 instead of ${shards}`),
    });
  }
  t.strictSame(await contentOf(dataDir), before);
  t.strictSame((await checkFolder(dataDir)).problems, []);
  await backUp({ dataDir, target: join(await temporaryFolder(t), 'backup'), program: 'test' });
  const old = await oldFolder(t);
  await refused(t, old, 16, /shard-00\.sqlite belongs to a data folder of 1 shards.* set SHARDS=1 instead of 16/);
});

t.test('STORE52 a missing or empty data file is named and never replaced by an empty one', async (t) => {
  for (const name of ['shard-01.sqlite', 'directory.sqlite']) {
    const dataDir = await filledFolder(t);
    await rm(join(dataDir, name));
    await refused(t, dataDir, SHARDS, new RegExp(`${name} is missing`));
    await t.rejects(startTestApp(t, { DATA_DIR: dataDir, SHARDS: '2' }), { message: new RegExp(`${name} is missing`) });
    await writeFile(join(dataDir, name), '');
    await refused(t, dataDir, SHARDS, new RegExp(`${name} is empty`));
  }
  const taken = await filledFolder(t);
  const folder = readRecord(taken)?.id ?? '';
  await rm(join(taken, 'shard-01.sqlite'));
  const open = () => openShard({ dataDir: taken, shard: 1, shards: SHARDS, durability: 'full', folder });
  t.throws(open, { message: /shard-01\.sqlite cannot be opened/ }, 'nor by an instance that takes a shard over');
  t.notOk(existsSync(join(taken, 'shard-01.sqlite')));
});

t.test('STORE52 a file of another folder is named and refused', async (t) => {
  const [dataDir, other] = [await filledFolder(t), SECOND];
  for (const name of ['shard-01.sqlite', 'directory.sqlite']) {
    const own = await readFile(join(dataDir, name));
    await copyFile(join(other, name), join(dataDir, name));
    await refused(t, dataDir, SHARDS, new RegExp(`${name} belongs to another data folder`));
    await writeFile(join(dataDir, name), own);
  }
  const record = readRecord(dataDir);
  await copyFile(join(other, 'shard-01.sqlite'), join(dataDir, 'shard-01.sqlite'));
  const open = () => openShard({ dataDir, shard: 1, shards: SHARDS, durability: 'full', folder: record?.id ?? '' });
  t.throws(open, { message: /shard-01\.sqlite belongs to another data folder/ }, 'nor by a shard that is taken over');
  sql(join(dataDir, 'shard-01.sqlite'), 'UPDATE place SET folder = NULL');
  await refused(t, dataDir, SHARDS, /shard-01\.sqlite does not have the mark of this folder/);
  t.throws(open, { message: /does not have the mark/ });
});

t.test('STORE56 a folder without a record is adopted if its files are complete', async (t) => {
  const dataDir = await oldFolder(t);
  const record = await prepareFolder({ dataDir, shards: 1 });
  t.match(record, { shards: 1, files: ['directory.sqlite', 'shard-00.sqlite'], unmarked: [] });
  t.strictSame(readRecord(dataDir), record);
  for (const name of record.files) t.equal(markOf(dataDir, name), record.id);
  t.strictSame(await prepareFolder({ dataDir, shards: 1 }), record, 'once');
  await rm(join(dataDir, 'folder.json'));
  t.strictSame(await prepareFolder({ dataDir, shards: 1 }), record, 'a lost record is created again from the marks');

  const shared = await oldFolder(t);
  // As an instance of an older program does, which has no marks.
  const lock = acquireLock(join(shared, 'shard-00.lock'));
  t.match(await prepareFolder({ dataDir: shared, shards: 1 }), { unmarked: ['shard-00.sqlite'] }, 'a file in use waits');
  if (lock !== 'held') lock.release();
  const { id: folder } = readRecord(shared) ?? { id: '' };
  openShard({ dataDir: shared, shard: 0, shards: 1, durability: 'full', folder }).close();
  t.equal(markOf(shared, 'shard-00.sqlite'), folder, 'until another process opens it');
  t.match(await prepareFolder({ dataDir: shared, shards: 1 }), { id: folder, unmarked: [] });

  const incomplete = await filledFolder(t);
  await rm(join(incomplete, 'folder.json'));
  await rm(join(incomplete, 'shard-01.sqlite'));
  await refused(t, incomplete, SHARDS, /shard-01\.sqlite is missing, but the directory lists boards in it/);

  const headless = await oldFolder(t);
  await rm(join(headless, 'directory.sqlite'));
  await refused(t, headless, 1, /directory\.sqlite is missing, but shard-00\.sqlite has had boards/);

  const [mixed, other] = [await filledFolder(t), SECOND];
  await rm(join(mixed, 'folder.json'));
  await copyFile(join(other, 'shard-01.sqlite'), join(mixed, 'shard-01.sqlite'));
  await refused(t, mixed, SHARDS, /shard-01\.sqlite and directory\.sqlite belong to different data folders/);

  const renamed = await oldFolder(t);
  sql(join(renamed, 'shard-00.sqlite'), 'UPDATE place SET shard = 1, shards = 2');
  await refused(t, renamed, 2, /shard-00\.sqlite is marked as shard 1/);
});

t.test('STORE56 empty files left by a refused start of an older program do not prevent a start', async (t) => {
  const dataDir = await oldFolder(t);
  for (const shard of [1, 2]) openShard({ dataDir, shard, shards: 16, durability: 'full' }).close();
  t.match(await prepareFolder({ dataDir, shards: 1 }), { shards: 1, files: ['directory.sqlite', 'shard-00.sqlite'] });
  const { problems, notes } = await checkFolder(dataDir);
  t.strictSame(problems, []);
  t.match(notes.join('\n'), /shard-01\.sqlite is not part of the data/);
  await backUp({ dataDir, target: join(await temporaryFolder(t), 'backup'), program: 'test' });
});

t.test('STORE56 a first start that was killed is completed by the next', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const { id } = await prepareFolder({ dataDir, shards: null });
  t.match(readRecord(dataDir), { shards: null, files: ['directory.sqlite'] }, 'only users so far');
  await rm(join(dataDir, 'folder.json'));
  await writeFile(join(dataDir, 'shard-00.sqlite'), '');
  openShard({ dataDir, shard: 1, shards: SHARDS, durability: 'full' }).close();
  const record = await prepareFolder({ dataDir, shards: SHARDS });
  t.match(record, { id, shards: SHARDS, files: ['directory.sqlite', 'shard-00.sqlite', 'shard-01.sqlite'] });
  for (const name of record.files) t.equal(markOf(dataDir, name), id);
  t.strictSame((await checkFolder(dataDir)).problems, []);

  await rm(join(dataDir, 'directory.sqlite'));
  await rm(join(dataDir, 'folder.json'));
  t.match(await prepareFolder({ dataDir, shards: SHARDS }), { id }, 'the directory, too, while there was no board');

  for (const name of ['folder.json', 'shard-01.sqlite']) await rm(join(dataDir, name));
  await writeFile(join(dataDir, 'shard-01.sqlite.new'), 'the first bytes of a file');
  t.match(await prepareFolder({ dataDir, shards: SHARDS }), { id }, 'a file that was being written');
  t.strictSame(
    (await readdir(dataDir)).filter((name) => name.endsWith('.new')),
    [],
  );
  t.strictSame((await checkFolder(dataDir)).problems, []);
});

t.test('a new file has the tables and settings of one that was migrated on disk', async (t) => {
  const [made, migrated] = [join(await temporaryFolder(t), 'made'), join(await temporaryFolder(t), 'migrated')];
  await prepareFolder({ dataDir: made, shards: 1 });
  for (const [name, migrations] of [
    ['directory.sqlite', 'directory'],
    ['shard-00.sqlite', 'shard'],
  ] as const) {
    openDatabase(join(migrated, name), { durability: 'full', migrations }).close();
    const [actual, expected] = [made, migrated].map((folder) => {
      const db = new Sqlite(join(folder, name), { readonly: true });
      const settings = ['journal_mode', 'page_size', 'auto_vacuum', 'encoding', 'user_version', 'application_id', 'integrity_check'];
      const read = [
        settings.map((pragma) => db.pragma(pragma, { simple: true })),
        db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all(),
        db.prepare('SELECT version, name FROM schema_version').all(),
      ];
      db.close();
      return read;
    });
    t.strictSame(actual, expected, name);
  }
});

t.test('STORE56 processes that start together on a new folder create one folder', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'deep', 'data');
  const program = packagePath('dist', 'test', 'support', 'store', 'folderPreparer.js');
  const ids = await Promise.all(Array.from({ length: 4 }, async () => (await run(process.execPath, [program, dataDir, '4'])).stdout.trim()));
  const record = readRecord(dataDir);
  t.equal(record?.files.length, 5);
  t.strictSame(new Set(ids), new Set([record?.id]));
  for (const name of record?.files ?? []) t.equal(markOf(dataDir, name), record?.id);
});

t.test('STORE58 data files are readable by their owner only, and a folder that others can write to is reported', async (t) => {
  const before = process.umask(0o777);
  const dataDir = join(await temporaryFolder(t), 'data');
  try {
    await prepareFolder({ dataDir, shards: 1 });
  } finally {
    process.umask(before);
  }
  for (const name of await readdir(dataDir)) t.equal((await stat(join(dataDir, name))).mode & 0o777, 0o600, name);
  t.equal((await stat(dataDir)).mode & 0o777, 0o700);

  const quiet = logLines();
  await (await startTestApp(t, { DATA_DIR: dataDir, SHARDS: '1' }, quiet.log)).close();
  t.notMatch(quiet.text(), /other users/, 'no warning');

  await chmod(dataDir, 0o777);
  await chmod(join(dataDir, 'shard-00.sqlite'), 0o644);
  await chmod(join(dataDir, 'folder.json'), 0o664);
  const { log, lines } = logLines();
  await (await startTestApp(t, { DATA_DIR: dataDir, SHARDS: '1', JWT_SECRET: 'of the tests' }, log)).close();
  const warnings = lines().filter(({ level }) => level === 40);
  t.match(warnings, [
    { dataDir, files: ['folder.json', 'shard-00.sqlite'], msg: /open to other users; now they are not/ },
    { dataDir, msg: /can be written by other users/ },
  ]);
  t.equal(warnings.length, 2);
  t.equal((await stat(join(dataDir, 'shard-00.sqlite'))).mode & 0o777, 0o600);
});

t.test('STORE58 a folder that cannot be created is refused at once, with its path', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  t.throws(() => makeFolder(join(file, 'a', 'b')), { message: new RegExp(`${file}/a/b cannot be created: .*not a folder`) });
  if (process.platform === 'linux') {
    t.throws(() => makeFolder('/proc/x/y'), { message: /\/proc\/x\/y cannot be created: ENOENT/ });
    await t.rejects(backUp({ dataDir: await oldFolder(t), target: '/proc/x/y', program: 'test' }), { message: /\/proc\/x/ });
  }
  const folder = join(await temporaryFolder(t), 'a', 'b');
  makeFolder(folder);
  makeFolder(folder);
  t.ok((await stat(folder)).isDirectory());
  const taken = await temporaryFolder(t);
  await mkdir(join(taken, 'directory.sqlite'));
  await t.rejects(prepareFolder({ dataDir: taken, shards: 1 }), { message: /directory\.sqlite is not a file/ });
});
