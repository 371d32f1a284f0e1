/** One contract for the three ways in which the commits of a file become durable. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import type { BoardKey } from '../../src/domain/ids.js';
import type { ShardCommit, ShardWrite } from '../../src/domain/ports/shardCommit.js';
import { shardFile } from '../../src/store/folder/dataFolder.js';
import { openThreadLog } from '../../src/store/log/threadLog.js';
import { decodeCommit, encodeCommit } from '../../src/store/shard/commitCodec.js';
import { claimPlace } from '../../src/store/shard/openShard.js';
import { Shard } from '../../src/store/shard/shard.js';
import { openDatabase } from '../../src/store/sqlite/database.js';
import { NO_LOCK } from '../../src/store/sqlite/lock.js';
import { FileTransactions } from '../../src/store/transactions/fileTransactions.js';
import { LoggedTransactions } from '../../src/store/transactions/loggedTransactions.js';
import { ReplicatedTransactions } from '../../src/store/transactions/replicatedTransactions.js';
import type { Transactions, TransactionsOptions } from '../../src/store/transactions/transactions.js';
import { ScriptedLog } from '../support/log/scriptedLog.js';
import { temporaryFolder } from '../support/store/folder.js';
import { newBoard, newCard, NOW } from './temporaryShard.js';

type Make = (t: Test, dataDir: string) => (parts: TransactionsOptions<ShardWrite>) => Transactions<ShardWrite>;

const IDENTITY = { cluster: 'a cluster', created: NOW, generation: 1 };

const KINDS: Readonly<Record<string, Make>> = {
  'its own file': () => (parts) => new FileTransactions(parts),
  'a log of the thread': (t, dataDir) => {
    const log = openThreadLog({ dataDir, thread: 0, onError: (error) => t.fail(String(error)), now: () => 0 });
    t.teardown(() => log.close());
    return (parts) => new LoggedTransactions(parts, { log, shard: 0 });
  },
  'a replicated log': () => (parts) => {
    const transactions = new ReplicatedTransactions(parts, IDENTITY, { encode: encodeCommit, decode: decodeCommit });
    transactions.follow(new ScriptedLog());
    return transactions;
  },
};

for (const [name, make] of Object.entries(KINDS)) {
  t.test(`a commit is stored under the next number, and told once (${name})`, async (t) => {
    const { shard, made, add, titles } = await open(t, make);
    t.equal(add('one'), null);
    t.equal(add('two'), null);
    t.strictSame(titles(), ['one', 'two']);
    t.equal(shard.number, 2);
    t.strictSame(
      made.map(({ number }) => number),
      [1, 2],
    );
  });

  t.test(`what is rolled back leaves no trace, and its number is given to the next (${name})`, async (t) => {
    const { shard, made, write, add, titles } = await open(t, make);
    add('one');
    shard.begin();
    write('undone');
    shard.rollback();
    shard.rollback();
    t.strictSame([titles(), shard.number], [['one'], 1]);
    add('two');
    t.strictSame([titles(), shard.number, made.length], [['one', 'two'], 2, 2]);
  });

  t.test(`a transaction without a write is no commit (${name})`, async (t) => {
    const { shard, made, add, settle } = await open(t, make);
    add('one');
    shard.begin();
    t.equal(settle(), null);
    let confirmed: unknown = 'not';
    shard.confirm((error) => (confirmed = error));
    shard.probe();
    t.strictSame([confirmed, shard.number, made.length], [null, 1, 1]);
    t.equal(add('two'), null);
  });

  t.test(`transactions do not overlap (${name})`, async (t) => {
    const { shard, add } = await open(t, make);
    shard.begin();
    t.throws(() => shard.begin(), /a transaction is under way/);
    t.throws(() => shard.probe(), /a transaction is under way/);
    shard.rollback();
    t.equal(add('one'), null);
  });

  t.test(`a write that the file refuses harms no other commit (${name})`, async (t) => {
    const { shard, db, add, write, titles } = await open(t, make);
    add('one');
    db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON main.card WHEN NEW.title = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END`);
    shard.begin();
    t.throws(() => write('bad'));
    shard.rollback();
    t.equal(add('two'), null);
    t.strictSame([titles(), shard.number], [['one', 'two'], 2]);
  });

  t.test(`commits of another copy are applied in their order only (${name})`, async (t) => {
    const original = await open(t, make);
    for (const title of ['one', 'two', 'three']) original.add(title);
    const [first, second, third] = original.made;
    const copy = await open(t, make);
    if (first === undefined || second === undefined || third === undefined) return t.fail('three commits were made');
    t.throws(() => copy.shard.apply(second), /commit 2 does not follow commit 0/);
    copy.shard.applyAll([first, second]);
    t.throws(() => copy.shard.apply(first), /commit 1 does not follow commit 2/);
    copy.shard.apply(third);
    t.strictSame([copy.titles(), copy.shard.number], [['one', 'three', 'two'], 3]);
    t.equal(copy.add('four', original.key), null, 'and it goes on by itself');
    t.equal(copy.shard.number, 4);
  });

  t.test(`the number outlives the process (${name})`, async (t) => {
    const { shard, dataDir, add } = await open(t, make);
    add('one');
    shard.close();
    const db = new Database(join(dataDir, shardFile(0)), { readonly: true });
    t.strictSame(db.prepare('SELECT (SELECT commits FROM place), (SELECT title FROM card)').raw().get(), [1, 'one']);
    db.close();
  });
}

t.test('commits of another copy can be looked at as if they were stored, and are not', async (t) => {
  const original = await open(t, KINDS['its own file'] as Make);
  for (const title of ['one', 'two']) original.add(title);
  const files: Array<FileTransactions<ShardWrite>> = [];
  const copy = await open(t, () => (parts) => {
    const file = new FileTransactions(parts);
    files.push(file);
    return file;
  });
  files[0]?.preview(original.made);
  const shown = (): unknown => copy.db.prepare('SELECT (SELECT commits FROM place), (SELECT count(*) FROM card)').raw().get();
  t.strictSame(shown(), [2, 2]);
  files[0]?.rollback();
  t.strictSame([shown(), files[0]?.number], [[0, 0], 0]);
});

async function open(t: Test, make: Make) {
  const dataDir = await temporaryFolder(t);
  const db = openDatabase(join(dataDir, shardFile(0)), { durability: 'full', migrations: 'shard' });
  claimPlace(db, 0, 1);
  const made: ShardCommit[] = [];
  const shard = new Shard(db, NO_LOCK, {
    onCommit: (commit) => made.push(commit),
    onError: (error) => t.fail(String(error)),
    transactions: make(t, dataDir),
  });
  t.teardown(() => db.close());
  const { key, create } = newBoard();
  const settle = (): unknown => {
    try {
      shard.commit();
      return null;
    } catch (error) {
      return error;
    }
  };
  const write = (title: string, board: BoardKey = key): void => {
    if (shard.number === 0) shard.write(key, create, [], 0, NOW);
    shard.write(board, [{ kind: 'card', put: newCard(board, title) }], [], 0, NOW);
  };
  return {
    dataDir,
    db,
    shard,
    made,
    key,
    settle,
    write,
    /** Null if it is stored. */
    add: (title: string, board?: BoardKey): unknown => {
      shard.begin();
      write(title, board);
      return settle();
    },
    titles: (): unknown[] => db.prepare('SELECT title FROM card ORDER BY title').pluck().all(),
  };
}
