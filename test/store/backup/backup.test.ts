import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { backUp } from '../../../src/store/backup/backup.js';
import { MANIFEST_FILE, type Manifest } from '../../../src/store/backup/backupManifest.js';
import { restore } from '../../../src/store/backup/backupRestore.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { readRecord } from '../../../src/store/folder/record/folderRecord.js';
import { prepareFolder } from '../../../src/store/folder/prepareFolder.js';
import { Api } from '../../support/http/api.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { runProgram } from '../../support/service/program.js';
import { ServiceProcess } from '../../support/service/serviceProcess.js';
import { sql } from '../../support/store/sqlFile.js';
import { currentFixture } from '../../support/store/upgradeFixture.js';
import { logIn, newUser } from '../../support/http/users.js';

const BACKED_UP = ['directory.sqlite', 'manifest.json', 'shard-00.sqlite'];
const FILES = ['directory.sqlite', 'folder.json', 'shard-00.sqlite'];

/** A data folder with something in it, that no service runs on. */
async function dataFolder(t: Test): Promise<string> {
  const dataDir = await temporaryFolder(t);
  for (const name of FILES) await cp(join(currentFixture(), name), join(dataDir, name));
  return dataDir;
}

async function newBackup(t: Test): Promise<string> {
  const target = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir: await dataFolder(t), target, program: 'test' });
  return target;
}

async function changeManifest(backup: string, change: (manifest: Manifest) => object): Promise<void> {
  const file = join(backup, MANIFEST_FILE);
  await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, 'utf8')) as Manifest)));
}

/** Gives deliberately damaged data a correct checksum, so that another check must find the damage. */
async function signAnew(backup: string): Promise<void> {
  await changeManifest(backup, (manifest) => ({
    ...manifest,
    files: manifest.files.map((file) => {
      const content = readFileSync(join(backup, file.name));
      return { ...file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    }),
  }));
}

t.test('BACKUP1 a backup describes each of its files and is readable by its owner only', async (t) => {
  const backup = await newBackup(t);
  t.strictSame((await readdir(backup)).sort(), BACKED_UP);
  const manifest = JSON.parse(await readFile(join(backup, MANIFEST_FILE), 'utf8')) as Manifest;
  t.match(manifest, { format: 1, program: 'test', shards: 1 });
  t.ok(Date.parse(manifest.started_at) <= Date.parse(manifest.finished_at));
  // In the order of copying. The directory before a shard would miss users who registered and were invited between.
  t.strictSame(
    manifest.files.map(({ name }) => name),
    ['shard-00.sqlite', 'directory.sqlite'],
  );
  for (const { name, bytes, sha256 } of manifest.files) {
    const content = await readFile(join(backup, name));
    t.equal(bytes, content.length);
    t.equal(sha256, createHash('sha256').update(content).digest('hex'));
    t.equal((await stat(join(backup, name))).mode & 0o777, 0o600);
  }
  t.equal((await stat(backup)).mode & 0o777, 0o700);
});

t.test('BACKUP5 a folder that is not empty is neither a backup target nor a restore target', async (t) => {
  const [dataDir, backup] = [await dataFolder(t), await newBackup(t)];
  const taken = await temporaryFolder(t);
  await writeFile(join(taken, 'mine'), 'precious');
  await t.rejects(backUp({ dataDir, target: taken, program: 'test' }), { code: 'conflict', message: /not empty/ });
  await t.rejects(restore({ source: backup, dataDir: taken }), { code: 'conflict', message: /not empty/ });
  t.strictSame(await readdir(taken), ['mine']);
  await t.rejects(restore({ source: backup, dataDir }), { code: 'conflict' }, 'least of all to another data folder');
});

t.test('BACKUP5 an empty folder that cannot be replaced is filled in place', async (t) => {
  const dataDir = await dataFolder(t);
  const [target, restored] = [await temporaryFolder(t), await temporaryFolder(t)];
  const { ino } = await stat(target);
  await backUp({ dataDir, target, program: 'test' });
  t.equal((await stat(target)).ino, ino);
  t.strictSame((await readdir(target)).sort(), BACKED_UP);
  await restore({ source: target, dataDir: restored });
  t.strictSame((await readdir(restored)).sort(), FILES);
});

t.test('BACKUP7 a failed backup leaves nothing behind', async (t) => {
  const place = await temporaryFolder(t);
  const target = join(place, 'backup');
  const attempt = (dataDir: string) => backUp({ dataDir, target, program: 'test' });

  const damaged = await dataFolder(t);
  await truncate(join(damaged, 'shard-00.sqlite'), 40_960);
  await t.rejects(attempt(damaged), { code: /^SQLITE_(CORRUPT|NOTADB)/ });

  const incomplete = await dataFolder(t);
  sql(join(incomplete, 'shard-00.sqlite'), 'UPDATE place SET shards = 2');
  await t.rejects(attempt(incomplete), { message: /only 1 of 2 shards exist, and shard 1 is missing/ });

  const newer = await dataFolder(t);
  sql(join(newer, 'directory.sqlite'), `INSERT INTO schema_version VALUES (99, '0099-later.sql', '')`);
  await t.rejects(attempt(newer), { message: /newer version/ });

  await t.rejects(attempt(join(place, 'nothing')), { code: 'not_found' });
  t.strictSame(await readdir(place), []);
});

t.test('BACKUP7 an incomplete or damaged backup is not restored and leaves no data folder', async (t) => {
  const damages: Record<string, { make: (backup: string) => Promise<unknown>; says: RegExp }> = {
    'no manifest': { make: (backup) => rm(join(backup, MANIFEST_FILE)), says: /not a backup/ },
    'a cut-off manifest': { make: (backup) => truncate(join(backup, MANIFEST_FILE), 100), says: /damaged/ },
    'a manifest of a newer version': {
      make: (backup) => changeManifest(backup, (manifest) => ({ ...manifest, format: 2 })),
      says: /newer version/,
    },
    'a manifest that leads elsewhere': {
      make: (backup) =>
        changeManifest(backup, ({ files, ...rest }) => ({
          ...rest,
          files: files.map((file) => ({ ...file, name: `../${file.name}` })),
        })),
      says: /damaged/,
    },
    'a manifest without the directory': {
      make: (backup) => changeManifest(backup, ({ files, ...rest }) => ({ ...rest, shards: 0, files: files.slice(0, 1) })),
      says: /damaged/,
    },
    'a missing file': { make: (backup) => rm(join(backup, 'shard-00.sqlite')), says: /shard-00.sqlite is missing/ },
    'a cut-off file': {
      make: (backup) => truncate(join(backup, 'shard-00.sqlite'), 4_096),
      says: /shard-00.sqlite has 4096 bytes instead/,
    },
    'a changed bit': {
      make: async (backup) => {
        const content = await readFile(join(backup, 'shard-00.sqlite'));
        content[5_000] = (content[5_000] ?? 0) ^ 1;
        await writeFile(join(backup, 'shard-00.sqlite'), content);
      },
      says: /checksum differs/,
    },
    'a file that was damaged before it was described': {
      make: async (backup) => {
        const content = await readFile(join(backup, 'shard-00.sqlite'));
        content.fill(0xff, 4_096, 8_192);
        await writeFile(join(backup, 'shard-00.sqlite'), content);
        await signAnew(backup);
      },
      says: /shard-00.sqlite/,
    },
    'a newer schema': {
      make: async (backup) => {
        sql(join(backup, 'shard-00.sqlite'), `INSERT INTO schema_version VALUES (99, '0099-later.sql', '')`);
        await signAnew(backup);
      },
      says: /schema 99, of a newer program/,
    },
    'a shard of a larger folder': {
      make: async (backup) => {
        sql(join(backup, 'shard-00.sqlite'), 'UPDATE place SET shards = 16');
        await signAnew(backup);
      },
      says: /1 of 16 shards exist/,
    },
  };
  const place = await temporaryFolder(t);
  for (const [what, { make, says }] of Object.entries(damages)) {
    const backup = await newBackup(t);
    await make(backup);
    await t.rejects(restore({ source: backup, dataDir: join(place, 'data') }), { message: says }, what);
    t.strictSame(await readdir(place), []);
  }
});

t.test('BACKUP1 changes that a killed service had acknowledged are in the backup', async (t) => {
  const [folder, place] = [await temporaryFolder(t), await temporaryFolder(t)];
  const settings = { SHARDS: '1', SHARD_THREADS: '1' };
  const service = await ServiceProcess.start({ ...settings, DATA_DIR: folder });
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const { token, email, password } = await newUser(api);
  await api.request('POST', '/boards', { token, json: { title: 'Kept' } });
  await service.kill();

  t.match(await runProgram(['backup', join(place, 'b')], { ...settings, DATA_DIR: folder }), { code: 0, stderr: '' });
  const restored = { ...settings, DATA_DIR: join(place, 'data') };
  t.match(await runProgram(['restore', join(place, 'b')], restored), { code: 0, stderr: '' });
  const again = await ServiceProcess.start(restored);
  t.teardown(() => again.kill());
  const restoredApi = await Api.connect(again.url);
  const list = await restoredApi.request('GET', '/boards', { token: await logIn(restoredApi, email, password) });
  t.match(list, { status: 200, body: [{ title: 'Kept' }] });
});

t.test('BACKUP5 the commands report what they did and the setting that a restored folder needs', async (t) => {
  const [dataDir, place] = [await dataFolder(t), await temporaryFolder(t)];
  const backup = join(place, 'deep', 'backup');
  t.match(await runProgram(['backup', backup], { DATA_DIR: dataDir }), {
    code: 0,
    stdout: /^Backed up \S+ to \S+: 2 files, 0\.\d MB\.\n$/,
    stderr: '',
  });
  const restored = await runProgram(['restore', backup], { DATA_DIR: join(place, 'data'), SHARDS: '16' });
  t.match(restored, { code: 0, stdout: /^Restored .*\nThe number of shards is 1, not 16: set SHARDS=1 .*\n$/, stderr: '' });
  const again = await runProgram(['restore', backup], { DATA_DIR: join(place, 'data'), SHARDS: '1' });
  t.match(again, { code: 1, stdout: '', stderr: /is not empty\. Nothing was changed\.\n$/ });
});

t.test('BACKUP12 a restored folder has a new id, and its files are not accepted in the original', async (t) => {
  const dataDir = await dataFolder(t);
  const place = await temporaryFolder(t);
  await backUp({ dataDir, target: join(place, 'backup'), program: 'test' });
  const restored = join(place, 'data');
  await restore({ source: join(place, 'backup'), dataDir: restored });
  const [before, after] = [readRecord(dataDir), readRecord(restored)];
  t.match(after, { shards: 1, files: ['shard-00.sqlite', 'directory.sqlite'], unmarked: [] });
  t.not(after?.id, before?.id);
  t.match(await prepareFolder({ dataDir: restored, shards: 1 }), { id: after?.id });
  t.strictSame((await checkFolder(restored)).problems, []);
  await cp(join(dataDir, 'shard-00.sqlite'), join(restored, 'shard-00.sqlite'));
  await t.rejects(prepareFolder({ dataDir: restored, shards: 1 }), {
    message: /shard-00\.sqlite belongs to another data folder/,
  });
});

t.test('BACKUP12 a backup and a restore repair files that were restored one by one', async (t) => {
  const [original, alone, place] = [await dataFolder(t), await temporaryFolder(t), await temporaryFolder(t)];
  for (const name of ['directory.sqlite', 'shard-00.sqlite']) await cp(join(original, name), join(alone, name));
  await backUp({ dataDir: alone, target: join(place, 'backup'), program: 'test' });
  await restore({ source: join(place, 'backup'), dataDir: join(place, 'data') });
  t.strictSame(await checkFolder(join(place, 'data')), { problems: [], notes: [], files: 2, boards: 2 });

  const mixed = await dataFolder(t);
  sql(join(mixed, 'shard-00.sqlite'), `UPDATE place SET folder = '${randomUUID()}'`);
  const attempt = backUp({ dataDir: mixed, target: join(place, 'mixed'), program: 'test' });
  await t.rejects(attempt, { message: /shard-00\.sqlite belongs to another data folder/ }, 'but not files of two folders');
});

t.test('BACKUP7 a backup of a folder that lacks a file is refused with the name of the file', async (t) => {
  const [dataDir, place] = [await dataFolder(t), await temporaryFolder(t)];
  await rm(join(dataDir, 'shard-00.sqlite'));
  const attempt = backUp({ dataDir, target: join(place, 'backup'), program: 'test' });
  await t.rejects(attempt, { message: /shard-00\.sqlite is missing/ });
  t.strictSame(await readdir(place), []);
});
