import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openDatabase } from '../../src/store/sqlite/database.js';
import { rewriteWal } from '../../src/store/sqlite/walRewriting.js';
import { applyMigrations } from '../../src/store/sqlite/migrations.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

t.test('STORE58 a missing folder and file are created, readable by their owner only', (t) => {
  const folder = join(t.testdir(), 'deep', 'data');
  const db = openDatabase(join(folder, 'a.sqlite'), { durability: 'full', migrations: 'directory' });
  t.equal(modeOf(folder), 0o700);
  t.equal(modeOf(join(folder, 'a.sqlite')), 0o600);
  t.equal(modeOf(join(folder, 'a.sqlite-wal')), 0o600);
  db.close();
  t.end();
});

for (const [durability, level] of [
  ['full', 2],
  ['normal', 1],
] as const) {
  t.test(`CRASH2 durability ${durability} is synchronous level ${level} in WAL mode, at creation and later`, (t) => {
    const file = join(t.testdir(), 'a.sqlite');
    for (const occasion of ['creation', 'reopening']) {
      const db = openDatabase(file, { durability, migrations: 'directory' });
      t.equal(db.pragma('synchronous', { simple: true }), level, occasion);
      t.equal(db.pragma('journal_mode', { simple: true }), 'wal', occasion);
      t.equal(db.pragma('foreign_keys', { simple: true }), 1, occasion);
      t.equal(db.pragma('locking_mode', { simple: true }), 'normal', occasion);
      db.close();
    }
    t.end();
  });
}

t.test('STORE4 migrations are applied once, in the order of their numbers', (t) => {
  const folder = t.testdir({ '0001-first.sql': 'CREATE TABLE a (b); INSERT INTO a VALUES (1);' });
  const db = new Sqlite(':memory:');
  applyMigrations(db, folder);
  applyMigrations(db, folder);
  t.same(db.prepare('SELECT b FROM a').pluck().all(), [1]);

  const longer = t.testdir({
    '0001-first.sql': 'CREATE TABLE a (b); INSERT INTO a VALUES (1);',
    '0002-second.sql': 'ALTER TABLE a ADD COLUMN c',
    '0003-third.sql': 'UPDATE a SET c = 3',
  });
  applyMigrations(db, longer);
  t.same(db.prepare('SELECT b, c FROM a').all(), [{ b: 1, c: 3 }]);
  t.same(db.prepare('SELECT version, name FROM schema_version').raw().all(), [
    [1, '0001-first.sql'],
    [2, '0002-second.sql'],
    [3, '0003-third.sql'],
  ]);
  db.close();
  t.end();
});

t.test('STORE4 a failed migration leaves nothing and keeps the migrations before it', (t) => {
  const db = new Sqlite(':memory:');
  const folder = t.testdir({
    '0001-good.sql': 'CREATE TABLE good (a)',
    '0002-bad.sql': 'CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);',
  });
  t.throws(() => applyMigrations(db, folder), /nowhere/);
  t.same(db.prepare(`SELECT name FROM sqlite_schema WHERE name IN ('good', 'half')`).pluck().all(), ['good']);
  t.equal(db.prepare('SELECT max(version) FROM schema_version').pluck().get(), 1);
  db.close();
  t.end();
});

t.test('STORE4 a gap in the numbers or a stray file is refused', (t) => {
  for (const names of [['0002-late.sql'], ['0001-a.sql', '0003-c.sql'], ['0001-a.sql', '0001-b.sql'], ['notes.txt']]) {
    const db = new Sqlite(':memory:');
    const folder = t.testdir(Object.fromEntries(names.map((name) => [name, 'SELECT 1'])));
    t.throws(() => applyMigrations(db, folder), /is not migration number/, names.join());
    db.close();
  }
  t.end();
});

t.test('STORE4 a file of a newer schema is refused in plain words and stays unchanged', (t) => {
  const file = join(t.testdir(), 'a.sqlite');
  openDatabase(file, { durability: 'full', migrations: 'directory' }).close();
  const future = new Sqlite(file);
  future.exec(`INSERT INTO schema_version VALUES (900, '0900-future.sql', '2090-01-01T00:00:00.000Z')`);
  future.close();
  t.throws(() => openDatabase(file, { durability: 'full', migrations: 'directory' }), {
    code: 'unavailable',
    message: /newer version of this program: its schema is number 900/,
  });
  const after = new Sqlite(file);
  t.equal(after.prepare('SELECT max(version) FROM schema_version').pluck().get(), 900);
  after.close();
  t.end();
});

t.test('CRASH2 the write-ahead log is written again without a change', (t) => {
  const file = join(t.testdir(), 'a.sqlite');
  const db = openDatabase(file, { durability: 'normal', migrations: 'directory' });
  t.teardown(() => db.close());
  db.exec('CREATE TABLE more (content BLOB)');
  // More than one piece of the copy.
  db.prepare('INSERT INTO more VALUES (randomblob(3000000))').run();
  const before = readFileSync(`${file}-wal`);
  db.exec('BEGIN IMMEDIATE');
  rewriteWal(file);
  db.exec('ROLLBACK');
  t.ok(before.length > 3_000_000);
  t.ok(before.equals(readFileSync(`${file}-wal`)));
  t.doesNotThrow(() => rewriteWal(join(t.testdirName, 'missing.sqlite')));
  t.end();
});
