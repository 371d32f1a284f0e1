import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import { AppError, Deposed } from '../../src/domain/errors.js';
import { IdSource } from '../../src/domain/ids.js';
import { openDirectoryPartition } from '../../src/partitions/runtime/directoryPartition.js';
import type { Notice, Outcome } from '../../src/partitions/messages.js';
import type { DeposablePartition } from '../../src/partitions/runtime/partition.js';
import type { DirectoryWrite } from '../../src/domain/directory/tables.js';
import { LOG_START } from '../../src/domain/ports/partitionLog.js';
import { Directory } from '../../src/store/directory/directory.js';
import { openDatabase } from '../../src/store/sqlite/database.js';
import { NO_LOCK } from '../../src/store/sqlite/lock.js';
import { ReplicatedTransactions, type CommitCodec } from '../../src/store/transactions/replicatedTransactions.js';
import type { Commit } from '../../src/store/transactions/transactions.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const NOW = '2030-01-01T00:00:00.000Z';
const ids = new IdSource();
const IDENTITY = { cluster: 'a cluster', created: NOW, generation: 1 };
const CODEC: CommitCodec<DirectoryWrite> = {
  encode: (commit) => Buffer.from(JSON.stringify(commit)),
  decode: (content) => JSON.parse(Buffer.from(content).toString()) as Commit<DirectoryWrite>,
};
const BROKEN = new AppError('unavailable', 'the log cannot be reached');
const MOVED = { ok: false, error: { code: 'unavailable', detail: /is being moved. Try again/ }, notHere: true } as const;
const UNKNOWN = { ok: false, error: { code: 'unavailable', detail: /not known whether the change was stored/ } } as const;

interface Pending {
  readonly kind: 'append' | 'confirm';
  readonly writes: number;
  settle(error: Error | null): void;
}

/** A directory on a real file, whose log answers when the test says so. */
class LoggedDirectory {
  readonly replied: number[] = [];
  readonly notices: Notice[] = [];
  readonly errors: unknown[] = [];
  readonly deposed: unknown[] = [];
  readonly halts: Error[] = [];
  readonly partition: DeposablePartition;
  readonly dataDir: string;
  #pending: Pending[] = [];
  readonly #answered = new Map<number, (outcome: Outcome) => void>();
  #lastAsk = 0;

  constructor(t: Test) {
    this.dataDir = t.testdir();
    const note = (kind: Pending['kind'], writes: number, settled: (error: unknown) => void): void =>
      void this.#pending.push({ kind, writes, settle: settled });
    const db = openDatabase(join(this.dataDir, 'directory.sqlite'), { durability: 'normal', migrations: 'directory' });
    const made: Array<ReplicatedTransactions<DirectoryWrite>> = [];
    const store = new Directory(db, NO_LOCK, {
      onError: (error) => this.errors.push(error),
      transactions: (parts) => {
        const transactions = new ReplicatedTransactions(parts, IDENTITY, CODEC);
        made.push(transactions);
        return transactions;
      },
    });
    made[0]?.follow({
      position: LOG_START,
      append: (content, settled) => note('append', CODEC.decode(content).writes.length, settled as (error: unknown) => void),
      confirm: (settled) => note('confirm', 0, settled as (error: unknown) => void),
      halt: (reason) => void this.halts.push(reason),
    });
    const host = {
      publish: (notices: readonly Notice[]) => void this.notices.push(...notices),
      onError: (error: unknown) => void this.errors.push(error),
      deposed: () => void this.deposed.push('host'),
      later: (step: () => void) => step(),
      endTurn: () => undefined,
      isTurnOver: () => false,
    };
    const onDeposed = (error: Deposed): void => {
      this.deposed.push(error);
      store.close();
    };
    this.partition = openDirectoryPartition({ store, onDeposed, monotonic: () => 0 }, host);
  }

  get waiting(): readonly Pending['kind'][] {
    return this.#pending.map(({ kind }) => kind);
  }

  settle(error: Error | null = null): void {
    const [pending] = this.#pending.splice(0, 1);
    if (pending === undefined || this.#pending.length > 0) throw new Error('not exactly one batch is under way');
    pending.settle(error);
  }

  send(commands: readonly DirectoryCommand[]): Promise<Outcome[]> {
    const asks = commands.map((command) => ({ id: (this.#lastAsk += 1), partition: 'directory', command }) as const);
    const outcomes = asks.map(({ id }) => new Promise<Outcome>((resolve) => this.#answered.set(id, resolve)));
    this.partition.take(asks, ({ replies, notices }) => {
      this.notices.push(...notices);
      for (const { id, outcome } of replies) {
        this.replied.push(id);
        this.#answered.get(id)?.(outcome);
      }
    });
    return Promise.all(outcomes);
  }

  close(): boolean {
    let isClosed = false;
    this.partition.close(() => (isClosed = true));
    return isClosed;
  }
}

type CreateUser = Extract<DirectoryCommand, { op: 'user.create' }>;

function createUser(username: string): CreateUser {
  const fields = { hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOW };
  return { op: 'user.create', input: { id: ids.fresh(), email: `${username}@example.org`, username, ...fields } };
}

const SEARCH: DirectoryCommand = { op: 'user.search', input: { search: null, limit: 50, offset: 0 } };

function namesIn(outcome: Outcome | undefined): string[] {
  return outcome?.ok === true ? (outcome.value as { username: string }[]).map(({ username }) => username) : [];
}

/** What the next owner of the file finds. */
function namesOnDisk({ dataDir }: LoggedDirectory): unknown[] {
  const db = new Sqlite(join(dataDir, 'directory.sqlite'), { readonly: true });
  const names = db.prepare('SELECT username FROM user ORDER BY username').pluck().all();
  db.close();
  return names;
}

t.test('while a batch of the directory is under way asks wait, and all that wait are the next batch', async (t) => {
  const directory = new LoggedDirectory(t);
  const first = directory.send([createUser('ann'), SEARCH]);
  const second = [directory.send([createUser('ben')]), directory.send([SEARCH, createUser('cleo')])];
  t.strictSame([directory.waiting, directory.replied], [['append'], []]);
  directory.settle();
  t.strictSame(namesIn((await first)[1]), ['ann']);
  t.strictSame([directory.waiting, directory.replied], [['append'], [1, 2]]);
  directory.settle();
  const [, searched] = await Promise.all(second);
  t.strictSame(namesIn(searched?.[0]), ['ann', 'ben']);
  t.strictSame([directory.waiting, directory.replied], [[], [1, 2, 3, 4, 5]]);
  t.ok(directory.close());
  t.strictSame(namesOnDisk(directory), ['ann', 'ben', 'cleo']);
});

t.test('a batch of the directory that only read makes no commit and is confirmed', async (t) => {
  const directory = new LoggedDirectory(t);
  const read = directory.send([SEARCH, { op: 'health.check', input: {} }]);
  t.strictSame([directory.waiting, directory.replied], [['confirm'], []]);
  directory.settle();
  t.match(await read, [{ ok: true }, { ok: true }]);
  const refused = directory.send([{ op: 'user.update', input: { id: ids.fresh(), now: NOW, changes: { firstname: 'A' } } }]);
  t.strictSame(directory.waiting, ['confirm'], 'so is a refusal');
  directory.settle();
  t.match(await refused, [{ ok: false, error: { code: 'not_found' } }]);
  t.ok(directory.close());
});

t.test('COMMIT7 a batch of the directory that fails later is undone, and each command is tried alone', async (t) => {
  const directory = new LoggedDirectory(t);
  const outcomes = directory.send([createUser('ann'), createUser('ben'), SEARCH]);
  const waiting = directory.send([SEARCH]);
  directory.settle(BROKEN);
  t.strictSame(directory.waiting, ['append'], 'the first alone');
  directory.settle(BROKEN);
  t.strictSame(directory.waiting, ['append'], 'the second alone');
  directory.settle();
  t.strictSame([directory.waiting, directory.replied], [['confirm'], []], 'the third alone');
  directory.settle();
  const [ann, ben, searched] = await outcomes;
  t.match([ann, ben], [{ ok: false, error: { code: 'unavailable' } }, { ok: true }]);
  t.strictSame(namesIn(searched), ['ben']);
  t.equal(directory.errors.length, 2, 'the failure of the batch and that of the first command');
  directory.settle();
  t.strictSame(namesIn((await waiting)[0]), ['ben']);
  t.ok(directory.close());
  t.strictSame(namesOnDisk(directory), ['ben']);
});

for (const isStored of ['no', 'unknown'] as const) {
  t.test(`when a commit of the directory is refused to a former owner (stored: ${isStored}), every ask is refused`, async (t) => {
    const directory = new LoggedDirectory(t);
    const batch = directory.send([createUser('ann'), SEARCH, createUser('ANN')]);
    const waiting = directory.send([SEARCH, createUser('ben')]);
    directory.notices.length = 0;
    const error = new Deposed(isStored);
    directory.settle(error);
    t.match(await batch, [isStored === 'no' ? MOVED : UNKNOWN, MOVED, MOVED], 'the third was refused and wrote nothing');
    t.match(await waiting, [MOVED, MOVED]);
    t.strictSame([directory.waiting, directory.notices, directory.errors], [[], [], []], 'nothing is tried again or published');
    t.strictSame(directory.deposed, [error, 'host']);
    t.match(await directory.send([SEARCH]), [MOVED]);
    t.strictSame(namesOnDisk(directory), [], 'the batch was undone');
  });
}

t.test('a directory that is deposed while it tries commands alone keeps what was stored', async (t) => {
  const directory = new LoggedDirectory(t);
  const batch = directory.send([createUser('ann'), createUser('ben'), createUser('cleo')]);
  directory.settle(BROKEN);
  directory.settle();
  directory.settle(new Deposed('unknown'));
  t.match(await batch, [{ ok: true }, UNKNOWN, MOVED]);
  t.strictSame(namesOnDisk(directory), ['ann']);
});

t.test('reads of the directory that are not confirmed are refused', async (t) => {
  const directory = new LoggedDirectory(t);
  const batch = directory.send([SEARCH, { op: 'health.check', input: {} }]);
  directory.settle(new Deposed('unknown'));
  t.match(await batch, [MOVED, MOVED]);
  t.equal(directory.deposed.at(-1), 'host');
});

t.test('a change that the log has counts, and a directory whose file lacks it is used no more', async (t) => {
  const directory = new LoggedDirectory(t);
  const db = new Sqlite(join(directory.dataDir, 'directory.sqlite'));
  db.exec(`
    CREATE TABLE dangling (id INTEGER REFERENCES dangling_target (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE dangling_target (id INTEGER PRIMARY KEY);
    CREATE TRIGGER broken AFTER INSERT ON user BEGIN INSERT INTO dangling VALUES (1); END`);
  db.close();
  const batch = directory.send([createUser('ann'), SEARCH]);
  const waiting = directory.send([SEARCH]);
  directory.settle();
  t.match(await batch, [{ ok: true }, { ok: true }]);
  t.match(await waiting, [MOVED], 'what is read of that file is not answered');
  t.match(directory.halts, [{ code: 'unavailable', cause: { code: /^SQLITE_CONSTRAINT/ } }]);
  t.match(await directory.send([createUser('ben')]), [MOVED]);
  t.strictSame(namesOnDisk(directory), []);
});

t.test('COMMIT27 closing the directory waits for the batch under way and answers the asks before it', async (t) => {
  const directory = new LoggedDirectory(t);
  const batches = [directory.send([createUser('ann')]), directory.send([createUser('ben')])];
  let isClosed = false;
  directory.partition.close(() => (isClosed = true));
  t.match(await directory.send([SEARCH]), [MOVED]);
  t.equal(directory.partition.probe(), 'busy', 'a probe does not disturb the open transaction');
  directory.settle();
  t.notOk(isClosed);
  directory.settle();
  t.ok(isClosed);
  t.match((await Promise.all(batches)).flat(), [{ ok: true }, { ok: true }]);
  t.strictSame(namesOnDisk(directory), ['ann', 'ben']);
});
