import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { AuditEntry } from '../../src/domain/audit.js';
import type { DirectoryCommand, DirectoryCommands } from '../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../src/domain/ids.js';
import type { DirectoryCommit, DirectoryWrite } from '../../src/domain/directory/tables.js';
import { AuditRetention } from '../../src/domain/directory/auditRetention.js';
import { DirectoryTables } from '../../src/store/directory/directoryTables.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { DIRECTORY_FILE } from '../../src/store/folder/dataFolder.js';
import { Journal } from '../../src/store/transactions/transactions.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');
const DAY = 86_400_000;
const ids = new IdSource();
const [ann, ben] = [ids.fresh(), ids.fresh()];

function entryAt(milliseconds: number, fields: Partial<AuditEntry> = {}): AuditEntry {
  const nobody = { user_id: null, username: null, subject_id: null, subject: null, address: null, device: null };
  return { at: new Date(NOW + milliseconds).toISOString(), id: ids.fresh(), kind: 'login', ...nobody, details: {}, ...fields };
}

function open(t: Test, commits: DirectoryCommit[] = [], dataDir = t.testdir()): RunningDirectory {
  const onError = (error: unknown): void => void t.fail(String(error));
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError, onCommit: (commit) => commits.push(commit) });
  t.teardown(() => directory.close());
  return directory;
}

const add = (...entries: AuditEntry[]): DirectoryCommand => ({ op: 'audit.add', input: { entries } });

function listed(directory: RunningDirectory, search: Partial<DirectoryCommands['audit.list']['input']> = {}): AuditEntry[] {
  const [outcome] = directory.runNow([{ op: 'audit.list', input: { before: null, limit: 1_000, user_id: null, kind: null, ...search } }]);
  if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
  return outcome.value as AuditEntry[];
}

const createAnn = (audit: AuditEntry): DirectoryCommand => {
  const user = { id: ann, email: 'ann@example.org', username: 'ann', hashed_password: 'hash', firstname: null, lastname: null };
  return { op: 'user.create', input: { ...user, is_superuser: false, now: new Date(NOW).toISOString() }, audit };
};

t.test('AUDIT1 entries are listed latest first, in pages, by user or subject, and by kind', async (t) => {
  const directory = open(t);
  const entries = [
    entryAt(1, { user_id: ann, details: { more: 1, reason: 'two', session: true } }),
    entryAt(2, { user_id: ben, kind: 'logout' }),
    entryAt(2, { user_id: ben, subject_id: ann, kind: 'user.promoted' }),
    entryAt(3, { user_id: ann, subject_id: ann, kind: 'logout' }),
  ].sort((a, b) => (a.at + a.id < b.at + b.id ? 1 : -1));
  directory.runNow([add(...entries)]);
  t.strictSame(listed(directory), entries);
  const paged: AuditEntry[] = [];
  for (let page = listed(directory, { limit: 1 }); page.length > 0; page = listed(directory, { limit: 1, before: paged.at(-1) ?? null })) {
    paged.push(...page);
  }
  t.strictSame(paged, entries, 'also of the same moment');
  t.strictSame(
    listed(directory, { user_id: ann }),
    entries.filter((each) => each.user_id === ann || each.subject_id === ann),
    'none twice',
  );
  t.strictSame(
    listed(directory, { kind: 'logout' }),
    entries.filter(({ kind }) => kind === 'logout'),
  );
  t.strictSame(listed(directory, { user_id: ann, kind: 'logout' }), [entries[0]]);
  t.strictSame(listed(directory, { user_id: ids.fresh() }), []);
});

t.test('AUDIT4 the entry of a change is in the commit of the change', async (t) => {
  const commits: DirectoryCommit[] = [];
  const directory = open(t, commits);
  const entry = entryAt(0, { kind: 'user.created' });
  directory.runNow([createAnn(entry)]);
  t.strictSame(
    commits.map(({ writes }) => writes.map(({ op }) => op)),
    [['user.insert', 'audit.add']],
  );
  t.strictSame(listed(directory), [entry]);
});

t.test('AUDIT4 a refused or repeated change leaves no entry, and a repeated entry is stored once', async (t) => {
  const directory = open(t);
  const entry = entryAt(0);
  directory.runNow([createAnn(entry), createAnn(entryAt(1))]);
  t.strictSame(listed(directory), [entry], 'refused with an error');
  const refused: DirectoryCommand[] = [
    { op: 'invitation.remove', input: { id: ids.fresh(), created_by: null }, audit: entryAt(2) },
    { op: 'factor.remove', input: { user_id: ann, proof: null, keep_session: null, now: entry.at }, audit: entryAt(3) },
  ];
  directory.runNow(refused);
  t.strictSame(listed(directory), [entry], 'refused with an answer');
  const change = { op: 'user.update', input: { id: ann, now: entry.at, changes: { firstname: 'Ann' } } } as const;
  const once = (audit: AuditEntry): DirectoryCommand => {
    return { op: 'once', input: { scope: ann, key: 'a', fingerprint: 'b', now: entry.at, command: change }, audit };
  };
  const first = entryAt(4);
  directory.runNow([once(first), once(entryAt(5))]);
  t.strictSame(listed(directory), [first, entry], 'a repeated request with a key');
  directory.runNow([add(first), { op: 'session.end', input: { user_id: ann, id: ids.fresh() }, audit: entry }]);
  t.strictSame(listed(directory), [first, entry]);
});

/** A table of a hundred failed logins and two hundred other rows. */
function openSmallTable(t: Test) {
  const dataDir = t.testdir();
  open(t, [], dataDir).close();
  const db = new Sqlite(join(dataDir, DIRECTORY_FILE));
  t.teardown(() => db.close());
  const journal = new Journal<DirectoryWrite>();
  const rows = new DirectoryTables(db, journal);
  const log = new AuditRetention({ failures: 100, others: 200, lifetimeMs: 10 * DAY }, () => NOW);
  const table = { add: (entries: readonly AuditEntry[]) => log.add(rows, entries) };
  const inTransaction = (work: () => void): void => {
    db.exec('BEGIN IMMEDIATE');
    work();
    db.exec('COMMIT');
  };
  const count = (condition: string): unknown => db.prepare(`SELECT count(*) FROM audit WHERE ${condition}`).pluck().get();
  return { table, journal, inTransaction, count };
}

t.test('AUDIT9 the rows are bounded by age and by number, and failed logins have a number of their own', async (t) => {
  const { table, journal, inTransaction, count } = openSmallTable(t);
  const old = entryAt(-11 * DAY);
  const important = entryAt(0, { kind: 'user.deleted' });
  inTransaction(() => table.add([old, important]));
  t.strictSame([count(`id = '${old.id}'`), count(`id = '${important.id}'`)], [0, 1], 'too old');
  for (let number = 0; number < 40; number += 1) {
    inTransaction(() => table.add(Array.from({ length: 20 }, () => entryAt(1 + number, { kind: 'login.failed' }))));
  }
  t.ok(Number(count("kind = 'login.failed'")) <= 100 + 64 + 20, 'failures are bounded', { count: count('true') });
  t.equal(count(`id = '${important.id}'`), 1, 'and push out nothing else');
  for (let number = 0; number < 40; number += 1) inTransaction(() => table.add(Array.from({ length: 20 }, () => entryAt(100 + number))));
  t.ok(Number(count("kind <> 'login.failed'")) <= 200 + 64 + 20);
  t.equal(count(`kind = 'login' AND at < '${entryAt(120).at}'`), 0, 'the oldest go first');
  t.equal(count(`id = '${important.id}'`), 1, 'AUDIT19: of the kind that there is most of');
  const removed = journal.take().flatMap((write) => (write.op === 'audit.remove' ? write.entries : []));
  t.equal(removed.length, 2 + 800 + 800 - Number(count('true')), 'every removal is in a commit');
});

t.test('AUDIT9 a flood pushes out the entries of its own user and kind, and none of others', async (t) => {
  const { table, inTransaction, count } = openSmallTable(t);
  const mallory = ids.fresh();
  const flood = (number: number, fields: Partial<AuditEntry>): void => {
    inTransaction(() => table.add(Array.from({ length: 20 }, () => entryAt(100 + number, fields))));
  };
  const others = [ann, ben].flatMap((user_id) => [
    ...Array.from({ length: 10 }, () => entryAt(0, { user_id })),
    entryAt(0, { user_id, kind: 'key.created' }),
    ...Array.from({ length: 3 }, () => entryAt(0, { user_id, kind: 'login.failed' })),
  ]);
  inTransaction(() => table.add([...others, entryAt(1, { user_id: mallory, kind: 'key.created' })]));
  for (let number = 0; number < 40; number += 1) {
    flood(number, { user_id: mallory });
    flood(number, { user_id: mallory, kind: 'login.failed' });
  }
  t.equal(count(`at = '${entryAt(0).at}'`), others.length, 'older entries of others stay');
  t.equal(count(`user_id = '${mallory}' AND kind = 'key.created'`), 1, 'and those of another kind: a flood hides nothing of its own user');
  t.ok(Number(count("kind <> 'login.failed'")) <= 200 + 64 + 20);
  t.ok(Number(count("kind = 'login.failed'")) <= 100 + 64 + 20);
  t.equal(count(`user_id = '${mallory}' AND at < '${entryAt(120).at}' AND kind = 'login'`), 0, 'of the flood the oldest go');

  // Two floods meet at one level.
  for (let number = 0; number < 40; number += 1) flood(number, { user_id: ids.fresh(), kind: 'logout' });
  t.ok(Number(count("kind <> 'login.failed'")) <= 200 + 64 + 20, 'a flood of many accounts is bounded too');
  t.ok(Number(count(`user_id = '${mallory}' AND kind = 'login'`)) <= 20, 'and the largest share pays for it');
  t.equal(count(`user_id = '${ann}' AND kind = 'key.created'`), 1);
});
