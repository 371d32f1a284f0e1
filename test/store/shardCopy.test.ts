/** Files that follow a replicated log. */
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { AuditRetention } from '../../src/domain/directory/auditRetention.js';
import { decideDirectory } from '../../src/domain/directory/decide.js';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { openDirectory } from '../../src/store/directory/directory.js';
import { openDirectoryCopy } from '../../src/store/directory/directoryCopy.js';
import { openShard } from '../../src/store/shard/openShard.js';
import { openShardCopy, type ShardCopy } from '../../src/store/shard/shardCopy.js';
import { Seal } from '../../src/wire/sealing.js';
import { mutate, type Mutation } from '../support/log/mutants.js';
import { ScriptedLog } from '../support/log/scriptedLog.js';
import { BEFORE } from '../support/store/directoryInputs.js';
import { temporaryFolder } from '../support/store/folder.js';
import { rowsOf } from '../support/store/shardFollower.js';
import { createBoard, newBoard, newCard, NOW } from './temporaryShard.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const IDENTITY = { cluster: 'a cluster', created: '2030-01-01T00:00:00Z', generation: 1 };
const SEAL = new Seal(Buffer.from('a shared secret'));

t.test('a commit is in the file when the log has it, and not before', async (t) => {
  const { copy, log, titles, add } = await openCopy(t);
  t.equal(await add('one'), null);
  log.answerWith = 'nothing';
  const waiting = add('two');
  t.strictSame(titles(), ['one'], 'while the log has not answered');
  log.answer();
  t.equal(await waiting, null);
  t.strictSame(titles(), ['one', 'two']);
  for (const answer of ['no', 'unknown'] as const) {
    log.answerWith = answer;
    t.match(await add('three'), { isStored: answer });
    copy.store.rollback();
    t.strictSame(titles(), ['one', 'two'], 'what the log has not taken is not in the file');
  }
  log.answerWith = 'stored';
  t.equal(await add('four'), null, 'and the next commit takes its number');
  t.strictSame(titles(), ['four', 'one', 'two']);
});

t.test('a copy that applies the same contents is equal, and goes on where it was closed', async (t) => {
  const { copy, log, add, dump } = await openCopy(t);
  for (const title of ['one', 'two', 'three']) await add(title);
  const other = await openCopy(t);
  const owner = { instance: 'owner', folder: 'theirs', leaseMs: 7_000 };
  other.copy.apply(log.contents.slice(0, 2), { ...log.position, applied: 2, owner });
  t.throws(() => other.copy.apply(log.contents.slice(0, 1), log.position), /commit 1 does not follow commit 2/);
  const reopened = other.reopen();
  t.match(reopened.position, { applied: 2, owner });
  reopened.apply(log.contents.slice(2), log.position);
  t.strictSame(other.dump(), dump());
  t.equal(reopened.store.number, copy.store.number);
});

t.test('a file that cannot store what the log has is used no more, and the change counts', async (t) => {
  const { copy, log, titles, add, db } = await openCopy(t);
  await add('one');
  // As a full disk would, it fails after the log has the commit.
  db().exec(`CREATE TRIGGER fault BEFORE UPDATE ON log_position BEGIN SELECT RAISE(ABORT, 'no space'); END`);
  t.equal(await add('two'), null, 'the log has it, so it is acknowledged');
  t.match(log.halts, [{ code: 'unavailable' }]);
  t.throws(() => copy.store.begin(), { code: 'unavailable' });
  t.strictSame(titles(), ['one']);
});

t.test('OPERATE11 a file follows one log, and none by accident', async (t) => {
  const dataDir = t.testdir();
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const options = { dataDir, shard: 0, shards: 1, folder, onError: (error: unknown) => t.fail(String(error)) };
  const copy = openShardCopy({ ...options, identity: IDENTITY });
  t.strictSame(copy.position, LOG_START);
  copy.apply([], { ...LOG_START, applied: 1 });
  copy.close();
  t.throws(() => openShard({ ...options, durability: 'full' }), /is a copy in the cluster a cluster. Start it with REPLICATION=jetstream/);
  const other = { ...IDENTITY, cluster: 'another' };
  t.throws(() => openShardCopy({ ...options, identity: other }), /is a copy in the cluster a cluster, and NATS has the cluster another/);
  const anew = { ...IDENTITY, created: '2031-01-01T00:00:00Z' };
  t.throws(() => openShardCopy({ ...options, identity: anew }), /was lost and made anew/);

  const own = t.testdir({ own: {} });
  const prepared = await prepareFolder({ dataDir: join(own, 'own'), shards: 1 });
  const shard = openShard({ ...options, dataDir: join(own, 'own'), folder: prepared.id, durability: 'full' });
  createBoard(shard);
  shard.close();
  const taken = { ...options, dataDir: join(own, 'own'), folder: prepared.id, identity: IDENTITY };
  t.throws(() => openShardCopy(taken), /has data that the cluster does not know/);
});

t.test('SNAPSHOT7 the copies of the directory are equal, and no password hash leaves a machine in plain text', async (t) => {
  const directories = await Promise.all([0, 1].map(() => followingDirectory(t)));
  const [one, two] = directories;
  if (one === undefined || two === undefined) return;
  const { store } = one.copy;
  const audit = new AuditRetention();
  store.begin();
  for (const command of BEFORE) store.attempt((rows) => decideDirectory(rows, command, audit), null);
  t.equal(await new Promise((resolve) => store.commitTogether(resolve)), null);
  const hash = String(query(one.dataDir));
  t.equal(one.log.contents.length, 1);
  const [content = new Uint8Array()] = one.log.contents;
  t.notMatch(Buffer.from(content).toString(), hash, 'it is sealed');
  two.copy.apply(one.log.contents, one.log.position);
  t.strictSame(two.dump(), one.dump());
  t.match(JSON.stringify(two.dump()), hash);
  one.copy.close();
  t.throws(() => openDirectory({ dataDir: one.dataDir, durability: 'full', onError: () => undefined }), /is a copy in the cluster/);
});

const COMMIT_FIRST: Mutation = {
  file: 'store/transactions/replicatedTransactions.js',
  replace: [["this.#state = 'appending';", "this.#state = 'appending'; commit(this.#options.db); this.#options.db.exec('BEGIN IMMEDIATE');"]],
};

t.test('found out: the file commits before the log has answered', async (t) => {
  const broken = await mutate<{ openShardCopy: typeof openShardCopy }>(t, COMMIT_FIRST, 'store/shard/shardCopy.js');
  const { log, titles, add, copy } = await openCopy(t, broken.openShardCopy);
  log.answerWith = 'no';
  await add('refused');
  copy.store.rollback();
  t.strictSame(titles(), ['refused'], 'the broken program keeps what never was');
});

function query(dataDir: string): unknown {
  const db = new Sqlite(join(dataDir, 'directory.sqlite'), { readonly: true });
  try {
    return db.prepare('SELECT hashed_password FROM user LIMIT 1').pluck().get();
  } finally {
    db.close();
  }
}

/** Without the marks of the folder, which differ between machines. */
function contentOf(dataDir: string, file: string): Record<string, string[]> {
  const { place, folder_mark, ...rows } = rowsOf(dataDir, file);
  return rows;
}

async function openCopy(t: Test, open = openShardCopy) {
  const dataDir = await temporaryFolder(t);
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const options = { dataDir, shard: 0, shards: 1, folder, identity: IDENTITY, onError: (error: unknown) => t.fail(String(error)) };
  let copy = open(options);
  t.teardown(() => copy.close());
  const log = new ScriptedLog();
  copy.follow(log);
  const { key, create } = newBoard();
  let isMade = false;
  const add = (title: string): Promise<unknown> => {
    copy.store.begin();
    if (!isMade) copy.store.write(key, create, [], 0, NOW);
    isMade = true;
    copy.store.write(key, [{ kind: 'card', put: newCard(key, title) }], [], 0, NOW);
    return new Promise((resolve) => copy.store.commitTogether(resolve));
  };
  const file = join(dataDir, 'shard-00.sqlite');
  const outside = (): Database.Database => {
    const db = new Sqlite(file);
    t.teardown(() => db.close());
    return db;
  };
  return {
    copy,
    log,
    add,
    /** Through another connection: what is committed. */
    titles: () => outside().prepare('SELECT title FROM card ORDER BY title').pluck().all(),
    dump: () => contentOf(dataDir, 'shard-00.sqlite'),
    db: outside,
    reopen: (): ShardCopy => {
      copy.close();
      copy = open(options);
      return copy;
    },
  };
}

async function followingDirectory(t: Test) {
  const dataDir = await temporaryFolder(t);
  const { id: folder } = await prepareFolder({ dataDir, shards: 1 });
  const copy = openDirectoryCopy({ dataDir, folder, identity: IDENTITY, seal: SEAL, onError: (error) => t.fail(String(error)) });
  t.teardown(() => copy.close());
  const log = new ScriptedLog();
  copy.follow(log);
  return { dataDir, copy, log, dump: () => contentOf(dataDir, 'directory.sqlite') };
}
