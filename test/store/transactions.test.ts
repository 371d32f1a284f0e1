/** One contract for the three ways in which the commits of a file become durable, and for a log whose servers lie. */
import { join } from 'node:path';
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
import { LyingLog } from '../support/log/lyingStream.js';
import { ScriptedLog } from '../support/log/scriptedLog.js';
import { LYING } from '../support/log/simulation.js';
import { VirtualTime } from '../support/log/virtualTime.js';
import { randomNumbers } from '../support/seededRandom.js';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { temporaryFolder } from '../support/store/folder.js';
import { newBoard, newCard, NOW } from './temporaryShard.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

interface Kind {
  make(parts: TransactionsOptions<ShardWrite>): Transactions<ShardWrite>;
  /** Until commits can be made. */
  start?(): Promise<void>;
  /** Until a commit is settled. */
  pass?(isSettled: () => boolean): Promise<void>;
}

type MakeKind = (t: Test, dataDir: string) => Kind;

const LEASE_MS = 2_000;
const IDENTITY = { cluster: 'a cluster', created: NOW, generation: 1 };

const CODEC = { encode: encodeCommit, decode: decodeCommit };

const KINDS: Readonly<Record<string, MakeKind>> = {
  'its own file': () => ({ make: (parts) => new FileTransactions(parts) }),
  'a log of the thread': (t, dataDir) => {
    const log = openThreadLog({ dataDir, thread: 0, onError: (error) => t.fail(String(error)), now: () => 0 });
    t.teardown(() => log.close());
    return { make: (parts) => new LoggedTransactions(parts, { log, shard: 0 }) };
  },
  'a replicated log': () => ({
    make: (parts) => {
      const transactions = new ReplicatedTransactions(parts, IDENTITY, CODEC);
      transactions.follow(new ScriptedLog());
      return transactions;
    },
  }),
  'a replicated log that lies': overLies,
};

/** One owner, over servers that lose answers and messages, refuse what they stored and answer from the past. */
function overLies(t: Test): Kind {
  const time = new VirtualTime();
  const lying = new LyingLog(time, randomNumbers(26));
  lying.lies = LYING;
  const log = new PartitionLog({
    stream: lying.viewOf({ isCut: () => false, run: (milliseconds, work) => time.after(milliseconds, work) }),
    file: { position: LOG_START, apply: (commits) => t.equal(commits.length, 0, 'no other instance writes') },
    instance: 'one',
    folder: 'one',
    leaseMs: LEASE_MS,
    schema: 1,
    now: () => time.now,
    pause: (milliseconds) => time.pause(milliseconds),
    onDeposed: () => undefined,
    onError: () => undefined,
    count: () => undefined,
  });
  const pass = async (isSettled: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 1_000 && !isSettled(); tries += 1) await time.runUntil(time.now + 20);
  };
  return {
    make: (parts) => {
      const transactions = new ReplicatedTransactions(parts, IDENTITY, CODEC);
      transactions.follow(log);
      return transactions;
    },
    async start() {
      void log.start();
      await pass(() => log.state === 'following');
      void log.claim({ term: log.position.term, schema: 1, leaseMs: LEASE_MS });
      await pass(() => log.state === 'owning');
    },
    pass,
  };
}

for (const [name, make] of Object.entries(KINDS)) {
  t.test(`a commit is stored under the next number, and told once (${name})`, async (t) => {
    const { shard, made, add, titles } = await open(t, make);
    t.equal(await add('one'), null);
    t.equal(await add('two'), null);
    t.strictSame(titles(), ['one', 'two']);
    t.equal(shard.number, 2);
    t.strictSame(
      made.map(({ number }) => number),
      [1, 2],
    );
  });

  t.test(`what is rolled back leaves no trace, and its number is given to the next (${name})`, async (t) => {
    const { shard, made, write, add, titles } = await open(t, make);
    await add('one');
    shard.begin();
    write('undone');
    shard.rollback();
    shard.rollback();
    t.strictSame([titles(), shard.number], [['one'], 1]);
    await add('two');
    t.strictSame([titles(), shard.number, made.length], [['one', 'two'], 2, 2]);
  });

  t.test(`a transaction without a write is no commit (${name})`, async (t) => {
    const { shard, made, add, settle, pass } = await open(t, make);
    await add('one');
    shard.begin();
    t.equal(await settle(), null);
    let confirmed: unknown = 'not';
    shard.confirm((error) => (confirmed = error));
    await pass(() => confirmed !== 'not');
    shard.probe();
    t.strictSame([confirmed, shard.number, made.length], [null, 1, 1]);
    t.equal(await add('two'), null);
  });

  t.test(`transactions do not overlap (${name})`, async (t) => {
    const { shard, add } = await open(t, make);
    shard.begin();
    t.throws(() => shard.begin(), /a transaction is under way/);
    t.throws(() => shard.probe(), /a transaction is under way/);
    shard.rollback();
    t.equal(await add('one'), null);
  });

  t.test(`a write that the file refuses harms no other commit (${name})`, async (t) => {
    const { shard, db, add, write, titles } = await open(t, make);
    await add('one');
    db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON main.card WHEN NEW.title = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END`);
    shard.begin();
    t.throws(() => write('bad'));
    shard.rollback();
    t.equal(await add('two'), null);
    t.strictSame([titles(), shard.number], [['one', 'two'], 2]);
  });

  t.test(`commits of another copy are applied in their order only (${name})`, async (t) => {
    const original = await open(t, make);
    for (const title of ['one', 'two', 'three']) await original.add(title);
    const [first, second, third] = original.made;
    const copy = await open(t, make);
    if (first === undefined || second === undefined || third === undefined) return t.fail('three commits were made');
    t.throws(() => copy.shard.apply(second), /commit 2 does not follow commit 0/);
    copy.shard.applyAll([first, second]);
    t.throws(() => copy.shard.apply(first), /commit 1 does not follow commit 2/);
    copy.shard.apply(third);
    t.strictSame([copy.titles(), copy.shard.number], [['one', 'three', 'two'], 3]);
    t.equal(await copy.add('four', original.key), null, 'and it goes on by itself');
    t.equal(copy.shard.number, 4);
  });

  t.test(`the number outlives the process (${name})`, async (t) => {
    const { shard, dataDir, add } = await open(t, make);
    await add('one');
    shard.close();
    const db = new Sqlite(join(dataDir, shardFile(0)), { readonly: true });
    t.strictSame(db.prepare('SELECT (SELECT commits FROM place), (SELECT title FROM card)').raw().get(), [1, 'one']);
    db.close();
  });
}

t.test('commits of another copy can be looked at as if they were stored, and are not', async (t) => {
  const original = await open(t, KINDS['its own file'] as MakeKind);
  for (const title of ['one', 'two']) await original.add(title);
  const files: Array<FileTransactions<ShardWrite>> = [];
  const copy = await open(t, () => ({
    make: (parts) => {
      const file = new FileTransactions(parts);
      files.push(file);
      return file;
    },
  }));
  files[0]?.preview(original.made);
  const shown = (): unknown => copy.db.prepare('SELECT (SELECT commits FROM place), (SELECT count(*) FROM card)').raw().get();
  t.strictSame(shown(), [2, 2]);
  files[0]?.rollback();
  t.strictSame([shown(), files[0]?.number], [[0, 0], 0]);
});

async function open(t: Test, makeKind: MakeKind) {
  const dataDir = await temporaryFolder(t);
  const kind = makeKind(t, dataDir);
  const db = openDatabase(join(dataDir, shardFile(0)), { durability: 'full', migrations: 'shard' });
  claimPlace(db, 0, 1);
  const made: ShardCommit[] = [];
  let flush = (): void => undefined;
  const shard = new Shard(db, NO_LOCK, {
    onCommit: (commit) => made.push(commit),
    onError: (error) => t.fail(String(error)),
    transactions: (parts) => {
      const transactions = kind.make(parts);
      flush = () => transactions.flush();
      return transactions;
    },
  });
  await kind.start?.();
  t.teardown(() => db.close());
  const { key, create } = newBoard();
  const settle = async (): Promise<unknown> => {
    const outcome: unknown[] = [];
    shard.commitTogether((error) => outcome.push(error));
    flush();
    await kind.pass?.(() => outcome.length > 0);
    t.equal(outcome.length, 1, 'it is settled, once');
    if (outcome[0] !== null) shard.rollback();
    return outcome[0];
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
    pass: async (isSettled: () => boolean) => kind.pass?.(isSettled),
    write,
    /** Null if it is stored. */
    add: (title: string, board?: BoardKey): Promise<unknown> => {
      shard.begin();
      write(title, board);
      return settle();
    },
    titles: (): unknown[] => db.prepare('SELECT title FROM card ORDER BY title').pluck().all(),
  };
}
