import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { packagePath } from '../../../src/paths.js';
import { isLogFile, listLogs } from '../../../src/store/log/logFiles.js';
import { applyLogs, dropFlushed } from '../../../src/store/log/recovery.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { openDirectory } from '../../../src/store/directory/directory.js';
import { claimPlace, openShard } from '../../../src/store/shard/openShard.js';
import { Shard } from '../../../src/store/shard/shard.js';
import { LoggedTransactions } from '../../../src/store/transactions/loggedTransactions.js';
import { shardFile } from '../../../src/store/folder/dataFolder.js';
import { openThreadLog } from '../../../src/store/log/threadLog.js';
import { openDatabase } from '../../../src/store/sqlite/database.js';
import { NO_LOCK } from '../../../src/store/sqlite/lock.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { createBoard, newAttachment, newCard, NOW } from '../temporaryShard.js';
import { LoggedShards, titlesAfterStart } from './loggedShards.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

const run = promisify(execFile);

/** Commits in a row that no other shard shares, after which a file flushes itself. */
const ALONE = 8;

t.test('COMMIT7 commits of several shards in one turn are one transaction of the log, and none is settled before it', async (t) => {
  const shards = await LoggedShards.open(t, 3);
  const settled: unknown[] = [];
  for (const n of [0, 1, 2]) shards.add(n, `card ${n}`, (error) => settled.push(error));
  t.strictSame(settled, [], 'nothing is settled');
  t.strictSame(shards.records(), []);
  shards.endTurn();
  t.strictSame(settled, [null, null, null]);
  t.strictSame(
    shards.records(),
    [
      [0, 2],
      [1, 2],
      [2, 2],
    ],
    'the first commit of each file made its board',
  );
  t.strictSame(shards.sqlInShard(0, 'SELECT title FROM card'), [], 'the file follows later');
  t.strictSame(shards.titles(0), ['card 0'], 'and its owner reads it at once');
  shards.pass(100);
  t.strictSame(shards.sqlInShard(0, 'SELECT title FROM card'), [['card 0']]);
});

t.test('CRASH1 a start after a kill finds every commit that was settled, in the file or in a log', async (t) => {
  const shards = await LoggedShards.open(t, 3);
  for (let round = 0; round < 5; round += 1) {
    for (const n of [0, 1, 2]) shards.add(n, `round ${round}`);
    shards.endTurn();
    if (round === 2) shards.pass(100);
  }
  shards.addNow(1, 'at last');
  const image = await shards.image(t);
  t.strictSame(
    titlesAfterStart(image, shards.keys),
    shards.acknowledged.map((titles) => titles.sort()),
  );
  t.strictSame(readdirSync(image).filter(isLogFile), [], 'the log of a process that ended is removed');
  t.strictSame(titlesAfterStart(image, shards.keys), shards.acknowledged, 'a second start needs no log');
});

t.test('a record leaves the log when its file is flushed, and an idle file is flushed within seconds', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  for (const n of [0, 1]) shards.add(n, 'one');
  shards.endTurn();
  shards.pass(1_000);
  t.equal(shards.records().length, 2, 'committed, not flushed');
  const written = (): unknown => shards.sqlInShard(0, 'SELECT count FROM probe');
  const before = written();
  shards.pass(5_000);
  t.strictSame(shards.records(), []);
  t.notSame(written(), before, 'the flush had something to write: without that SQLite flushes nothing');
  shards.close();
  t.strictSame(shards.logs(), [], 'a clean stop leaves no log');
  t.notOk(
    readdirSync(shards.dataDir).some((name) => name.startsWith('log-')),
    'and nothing that belongs to one',
  );
});

t.test('COMMIT7 a refused append stores nothing, and the shards go on', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  shards.sqlInLog(`CREATE TRIGGER fault BEFORE INSERT ON record WHEN new.shard = 1 BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  const settled: unknown[] = [];
  for (const n of [0, 1]) shards.add(n, 'lost', (error) => settled.push(error));
  shards.endTurn();
  t.match(settled, [{ code: 'unavailable' }, { code: 'unavailable' }]);
  t.strictSame([shards.titles(0), shards.titles(1)], [[], []]);
  shards.sqlInLog('DROP TRIGGER fault');
  for (const n of [0, 1]) shards.add(n, 'kept');
  shards.endTurn();
  const image = await shards.image(t);
  t.strictSame(titlesAfterStart(image, shards.keys), [['kept'], ['kept']]);
});

t.test('CRASH1 when SQLite gives up a file’s transaction, what was settled is applied again from the log', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  shards.sqlInShard(0, `CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'broken' BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`);
  for (const title of ['one', 'two']) {
    for (const n of [0, 1]) shards.add(n, title);
    shards.endTurn();
  }
  const failures: unknown[] = [];
  shards.add(0, 'broken', (error) => failures.push(error));
  shards.endTurn();
  t.match(failures, [/gone/]);
  t.strictSame(shards.titles(0), ['one', 'two'], 'a read sees what was settled');
  shards.add(0, 'broken', () => undefined);
  for (const n of [0, 1]) shards.add(n, 'three');
  shards.endTurn();
  t.strictSame(shards.titles(0), ['one', 'three', 'two'], 'and so does the next write');
  const image = await shards.image(t);
  t.strictSame(titlesAfterStart(image, shards.keys)[0], ['one', 'three', 'two']);
  shards.pass(10_000);
  t.strictSame(shards.records(), []);
  t.strictSame(shards.sqlInShard(0, 'SELECT count(*) FROM card'), [[3]]);
});

t.test('CRASH1 a file that cannot be committed keeps its records in the log until it can', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  shards.sqlInShard(0, 'CREATE TABLE target (id INTEGER PRIMARY KEY)');
  shards.sqlInShard(0, 'CREATE TABLE dangling (id INTEGER REFERENCES target (id) DEFERRABLE INITIALLY DEFERRED)');
  shards.sqlInShard(0, `CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'heavy' BEGIN INSERT INTO dangling VALUES (1); END`);
  for (const n of [0, 1]) shards.add(n, 'heavy');
  shards.endTurn();
  t.strictSame(shards.acknowledged, [['heavy'], ['heavy']], 'the log has it');
  shards.pass(10_000);
  t.ok(shards.errors.length > 0, 'the failure is reported');
  t.strictSame(
    shards.records().map(([shard]) => shard),
    [0],
    'the other file is flushed',
  );
  t.strictSame(shards.titles(0), ['heavy'], 'reads go on');
  // The next attempt to commit fails too, and then the file is free for a moment.
  shards.pass(1_100);
  shards.sqlInShard(0, 'DROP TRIGGER fault');
  shards.pass(10_000);
  t.strictSame(shards.records(), []);
  t.strictSame(shards.sqlInShard(0, 'SELECT title FROM card'), [['heavy']]);
});

t.test('STORE71 a start is refused, with the name of the log, when a commit is missing, damaged or of another history', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  for (const title of ['one', 'two', 'three']) {
    for (const n of [0, 1]) shards.add(n, title);
    shards.endTurn();
  }
  const [log] = shards.logs();
  const faults: Record<string, [string, RegExp]> = {
    missing: ['DELETE FROM record WHERE shard = 0 AND number = 3', /log-\w+-0\.sqlite has commit 4 of shard 0, and commit 3 is missing/],
    damaged: [
      `UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'two', 'six') AS BLOB) WHERE number = 3`,
      /log-\w+-0\.sqlite is damaged: commit 3/,
    ],
    'another history': [`UPDATE record SET history = 'x7'`, /log-\w+-0\.sqlite has commits of shard 0 from before it was restored/],
  };
  for (const [name, [sql, message]] of Object.entries(faults)) {
    const image = await shards.image(t);
    const db = new Sqlite(join(image, log ?? ''));
    t.ok(db.prepare(sql).run().changes > 0);
    db.close();
    t.throws(() => titlesAfterStart(image, shards.keys), { code: 'unavailable', message }, name);
    t.ok(existsSync(join(image, log ?? '')), 'and the log is kept');
  }
});

t.test('a commit that no other shard shares is flushed by its own file, and the log stays empty', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  for (const n of [0, 1]) shards.add(n, 'together');
  shards.endTurn();
  for (let count = 0; count < ALONE; count += 1) {
    shards.add(0, `alone ${count}`);
    shards.endTurn();
  }
  t.ok(
    shards.records().some(([shard]) => shard === 0),
    'the first ones go to the log',
  );
  shards.pass(100);
  shards.add(0, 'direct');
  shards.endTurn();
  t.strictSame(shards.sqlInShard(0, `SELECT title FROM card WHERE title = 'direct'`), [['direct']], 'at once in the file');
  shards.pass(100);
  t.strictSame(
    shards.records().map(([shard]) => shard),
    [1],
    'that flush covered the earlier commits of the file',
  );
  const image = await shards.image(t);
  t.strictSame(
    titlesAfterStart(image, shards.keys),
    shards.acknowledged.map((titles) => titles.sort()),
  );
});

t.test('content of attachments is written once: after the first large commit the file takes the next ones itself', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  const { id } = newAttachment(shards.keys[0] ?? '', 0);
  const { content } = shards.shard(0);
  const settled: string[] = [];
  const write = (title: string, work: () => void): void => {
    const shard = shards.shard(0);
    shard.begin();
    work();
    shard.commitTogether((error) => settled.push(error === null ? title : String(error)));
  };
  const turn = (title: string, work: () => void): void => {
    write(title, work);
    shards.add(1, `beside ${title}`, () => settled.push(`beside ${title}`));
    shards.endTurn();
  };
  const chunk = Buffer.alloc(64 * 1024, 'c');
  let chunks = 0;
  const append = (count: number, bytes: Uint8Array): void => {
    for (const last = chunks + count; chunks < last; chunks += 1) content.appendChunk(id, chunks, bytes);
  };
  turn('start', () => content.startUpload(id, NOW));
  turn('large 0', () => append(4, chunk));
  const logged = shards.records().filter(([shard]) => shard === 0).length;
  for (const n of [1, 2]) turn(`large ${n}`, () => append(4, chunk));
  t.strictSame(settled.slice(-4), ['beside large 1', 'large 1', 'beside large 2', 'large 2'], 'a small commit does not wait for a large one');
  t.ok(logged > 0, 'the first went to the log');
  t.strictSame(shards.sqlInShard(0, 'SELECT max(n) FROM blob'), [[11]], 'the others are in the file at once');
  shards.add(1, 'later');
  shards.endTurn();
  t.strictSame(
    shards.records().filter(([shard]) => shard === 0),
    [],
    'and their flush covered it',
  );
  turn('small', () => append(1, Buffer.from('end')));
  shards.pass(100);
  turn('smaller', () => append(1, Buffer.from('end')));
  t.equal(shards.records().filter(([shard]) => shard === 0).length > 0, true, 'small ones share the flush of the log again');
  const image = await shards.image(t);
  const opened = openShard({ dataDir: image, shard: 0, shards: 2, durability: 'full', keepsUploads: true });
  t.equal(Buffer.concat(opened.content.read(id, 0, Infinity)).length, 12 * chunk.length + 6, 'a start after a kill finds every chunk');
  opened.close();
  t.strictSame(titlesAfterStart(image, shards.keys)[1], shards.acknowledged[1]?.sort(), 'and what was stored beside them');
});

t.test('each large commit is flushed in a turn of its own, after the small ones of its turn', async (t) => {
  const shards = await LoggedShards.open(t, 4);
  const settled: string[] = [];
  const chunk = Buffer.alloc(64 * 1024, 'c');
  const addLarge = (n: number): void => {
    const { id } = newAttachment(shards.keys[n] ?? '', 0);
    const shard = shards.shard(n);
    shard.begin();
    shard.content.startUpload(id, NOW);
    for (const place of [0, 1]) shard.content.appendChunk(id, place, chunk);
    shard.commitTogether((error) => settled.push(error === null ? `large ${n}` : String(error)));
  };
  const addSmall = (n: number, title: string): void => shards.add(n, title, () => settled.push(title));
  for (const round of ['first', 'second']) {
    settled.length = 0;
    for (const n of [0, 1]) addLarge(n);
    addSmall(2, `${round} small`);
    const [step, ...others] = shards.endTurnOnly();
    t.strictSame(settled, [`${round} small`], 'nothing else is waited for');
    t.equal(others.length, 0, 'one step is due');
    addSmall(3, `${round} arrived meanwhile`);
    t.strictSame(shards.endTurnOnly(), [], 'and not twice');
    step?.();
    t.strictSame(settled.slice(1), [`${round} arrived meanwhile`, 'large 0'], 'one of them in the step');
    for (const next of shards.endTurnOnly()) next();
    t.strictSame(settled.slice(3), ['large 1'], 'the other in the next');
    t.strictSame(shards.endTurnOnly(), []);
  }
  addLarge(0);
  shards.endTurnOnly();
  const image = await shards.image(t);
  t.strictSame(
    titlesAfterStart(image, shards.keys),
    shards.acknowledged.map((titles) => titles.sort()),
    'what was settled is on disk',
  );
  shards.endTurn();
  t.equal(settled.at(-1), 'large 0', 'a flush of everything includes it');
});

t.test('after a failed flush of the file nothing goes to the log before the file was flushed again', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  shards.sqlInShard(0, 'CREATE TABLE target (id INTEGER PRIMARY KEY)');
  shards.sqlInShard(0, 'CREATE TABLE dangling (id INTEGER REFERENCES target (id) DEFERRABLE INITIALLY DEFERRED)');
  shards.sqlInShard(0, `CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'broken' BEGIN INSERT INTO dangling VALUES (1); END`);
  const settled: unknown[] = [];
  shards.add(0, 'broken', (error) => settled.push(error));
  shards.endTurn();
  t.match(settled, [{ code: 'unavailable' }]);
  shards.sqlInShard(0, `CREATE TRIGGER stuck BEFORE UPDATE ON probe BEGIN SELECT RAISE(ABORT, 'stuck'); END`);
  for (const n of [0, 1]) shards.add(n, 'kept', (error) => settled.push(error));
  shards.endTurn();
  t.match(settled.slice(1), [{ code: 'unavailable' }, null], 'the file cannot be flushed');
  shards.sqlInShard(0, 'DROP TRIGGER stuck');
  for (const n of [0, 1]) shards.add(n, 'after it');
  shards.endTurn();
  t.strictSame(shards.titles(0), ['after it']);
  t.strictSame(titlesAfterStart(await shards.image(t), shards.keys), [['after it'], ['after it', 'kept']]);
});

t.test('CRASH2 a shard is given away with its file flushed, and its next owner finds nothing of it in a log', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  for (const n of [0, 1]) shards.add(n, 'one');
  shards.endTurn();
  shards.reopen(0);
  for (const n of [0, 1]) shards.add(n, 'two');
  shards.endTurn();
  t.strictSame(shards.titles(0), ['one', 'two']);
  shards.pass(10_000);
  t.strictSame(shards.records(), []);
  t.strictSame(titlesAfterStart(await shards.image(t), shards.keys), [
    ['one', 'two'],
    ['one', 'two'],
  ]);
});

t.test('CRASH2 a shard that could not be flushed when it was closed is brought up to date when it is opened again', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  shards.sqlInShard(0, 'CREATE TABLE target (id INTEGER PRIMARY KEY)');
  shards.sqlInShard(0, 'CREATE TABLE dangling (id INTEGER REFERENCES target (id) DEFERRABLE INITIALLY DEFERRED)');
  shards.sqlInShard(0, `CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'heavy' BEGIN INSERT INTO dangling VALUES (1); END`);
  for (const n of [0, 1]) shards.add(n, 'heavy');
  shards.endTurn();
  shards.reopen(0, () => shards.sqlInShard(0, 'DROP TRIGGER fault'));
  t.strictSame(shards.titles(0), ['heavy']);
  shards.pass(10_000);
  t.strictSame(shards.records(), []);
});

t.test('STORE52 a log of another folder is refused', async (t) => {
  const shards = await LoggedShards.open(t, 1);
  shards.sqlInLog(`INSERT INTO folder_mark VALUES (1, 'another')`);
  const image = await shards.image(t);
  const open = () => openShard({ dataDir: image, shard: 0, shards: 1, durability: 'full', folder: 'this' });
  const db = new Sqlite(join(image, 'shard-00.sqlite'));
  db.exec(`UPDATE place SET folder = 'this'`);
  db.close();
  t.throws(open, { code: 'unavailable', message: /log-\w+-0\.sqlite belongs to another data folder/ });
});

t.test('CRASH10 check reads a file together with the logs, changes nothing, and reports a damaged log', async (t) => {
  const shards = await LoggedShards.open(t, 2);
  for (const title of ['one', 'two']) {
    for (const n of [0, 1]) shards.add(n, title);
    shards.endTurn();
  }
  const [log = ''] = shards.logs();
  const image = await shards.image(t);
  openDirectory({ dataDir: image, durability: 'full', onError: (error) => t.fail(String(error)) }).close();
  const found = await checkFolder(image);
  const ofCards = (problems: readonly string[]): string[] => problems.filter((problem) => / card /.test(problem));
  t.equal(ofCards(found.problems).length, 4, 'it sees the cards of the log, which are in no column');
  const db = new Sqlite(join(image, log));
  t.strictSame(db.prepare('SELECT count(*) FROM record').pluck().get(), 4);
  t.strictSame((await checkFolder(image)).problems, found.problems, 'a second check finds the same');
  db.exec(`UPDATE record SET checksum = 0 WHERE shard = 1`);
  t.match((await checkFolder(image)).problems.join(), /log-\w+-0\.sqlite is damaged: commit 2 of shard 1/);
  db.exec('DELETE FROM record WHERE shard = 1');
  db.close();
  titlesAfterStart(image, shards.keys.slice(0, 2));
  const started = ofCards((await checkFolder(image)).problems);
  t.strictSame(
    started,
    ofCards(found.problems).filter((problem) => problem.includes('shard-00')),
    'as the next start does',
  );
});

t.test('CRASH1 a failed read that ends the transaction of a file loses nothing that was settled', async (t) => {
  const dataDir = await temporaryFolder(t);
  const log = openThreadLog({ dataDir, thread: 0, onError: (error) => t.fail(String(error)) });
  const files = [0, 1].map((n) => {
    const db = openDatabase(join(dataDir, shardFile(n)), { durability: 'full', migrations: 'shard' });
    claimPlace(db, n, 2);
    const shard = new Shard(db, NO_LOCK, { transactions: (parts) => new LoggedTransactions(parts, { log, shard: n }) });
    return { db, shard, key: createBoard(shard).key };
  });
  const add = (title: string): void => {
    for (const { shard, key } of files) {
      shard.begin();
      shard.write(key, [{ kind: 'card', put: newCard(key, title) }], [], 0, NOW);
      shard.commitTogether((error) => t.equal(error, null));
    }
    log.flush();
  };
  const titles = (): unknown[] =>
    files.map(({ shard, key }) =>
      shard
        .loadBoard(key)
        ?.entities.card.map(({ title }) => title)
        .sort(),
    );
  for (const title of ['one', 'two']) add(title);
  // As SQLite does after some failures, also of a statement that only reads.
  files[0]?.db.exec('ROLLBACK');
  t.strictSame(titles(), [
    ['one', 'two'],
    ['one', 'two'],
  ]);
  files[0]?.db.exec('ROLLBACK');
  add('three');
  files[0]?.db.exec('ROLLBACK');
  for (const { shard } of files) shard.close();
  log.close();
  const reopened = openShard({ dataDir, shard: 0, shards: 2, durability: 'full' });
  t.teardown(() => reopened.close());
  t.strictSame(
    reopened
      .loadBoard(files[0]?.key ?? '')
      ?.entities.card.map(({ title }) => title)
      .sort(),
    ['one', 'three', 'two'],
  );
});

t.test('STORE56 logs that other processes make and remove meanwhile do not disturb a start, and leave nothing behind', async (t) => {
  const dataDir = await temporaryFolder(t);
  const program = packagePath('dist', 'test', 'support', 'store', 'logMaker.js');
  let isMaking = true;
  const made = Promise.all([1, 2].map(() => run(process.execPath, [program, dataDir, '60']))).finally(() => (isMaking = false));
  const file = { number: 0, history: 'a history', applyAll: () => t.fail('there is nothing to apply') };
  let found = 0;
  while (isMaking) {
    found += listLogs(dataDir).length;
    applyLogs(file, { dataDir, folder: null, shard: 0 });
    dropFlushed({ dataDir, folder: null, shard: 0 }, 0);
    await setImmediate();
  }
  await made;
  t.ok(found > 30, 'logs were found');
  t.strictSame(readdirSync(dataDir), []);
});
