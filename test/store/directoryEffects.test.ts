import { join } from 'node:path';
import t from 'tap';
import type { DirectoryCommand, DirectoryOperation } from '../../src/domain/commands/directoryCommands.js';
import { AuditRetention } from '../../src/domain/directory/auditRetention.js';
import { decideDirectory, DIRECTORY_EFFECTS } from '../../src/domain/directory/decide.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { DirectoryTables } from '../../src/store/directory/directoryTables.js';
import { Journal } from '../../src/store/transactions/transactions.js';
import type { Effect } from '../../src/domain/commands/steps/effect.js';
import { BEFORE, INPUTS } from '../support/store/directoryInputs.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

/** Every row of every table. */
function contentOf(dataDir: string): string {
  const db = new Sqlite(join(dataDir, 'directory.sqlite'), { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()]);
  db.close();
  return JSON.stringify(rows);
}

const WORDS: Readonly<Record<Effect, string>> = {
  read: 'a read',
  idempotent: 'idempotent',
  write: 'a write',
  keyed: 'a write with a key',
};

for (const op of Object.keys(DIRECTORY_EFFECTS) as DirectoryOperation[]) {
  const effect = DIRECTORY_EFFECTS[op];
  t.test(`EFFECT1 ${op} is ${WORDS[effect]}, as declared`, async (t) => {
    const dataDir = t.testdir();
    const errors: unknown[] = [];
    const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: (error) => errors.push(error) });
    t.teardown(() => directory.close());
    t.ok(directory.runNow(BEFORE).every(({ ok }) => ok));
    const command = { op, input: INPUTS[op] } as DirectoryCommand;
    // Lists and sessions that changed, and messages to users, are not part of the answer, and come once.
    const run = (): unknown => ({ ...directory.runNow([command])[0], lists: undefined, sessions: undefined, messages: undefined });
    const before = contentOf(dataDir);
    const first = run();
    t.match(first, { ok: true });
    const after = contentOf(dataDir);
    t.equal(before === after, effect === 'read', 'a read alone changes nothing');
    t.strictSame(errors, []);
    if (effect === 'write') return;
    if (effect === 'keyed') t.match(run(), { ok: true, value: { value: valueOf(first).value, isReplayed: true } });
    else t.strictSame(run(), first, 'the same answer');
    t.equal(contentOf(dataDir), after, 'and no other change');
  });
}

function valueOf(outcome: unknown): { readonly value: unknown } {
  return (outcome as { readonly value: { readonly value: unknown } }).value;
}

/** Commands that scan a table or sort what they found, and why that is bounded or rare. */
const SCANS: Partial<Record<DirectoryOperation, string>> = {
  'user.search': 'finds a part of a name',
  'user.delete': 'finds the answers that show the user',
  'membership.apply': 'sorts the members of a board that is deleted or restored',
  'membership.list': 'sorts the boards that were named',
  'noticeSettings.get': 'the same',
  'noticeSettings.put': 'the same',
  'invitation.create': 'sorts those of one creator and one instant',
  'invitation.list': 'the same',
  'audit.add': 'counts the entries, once for many new ones',
  'audit.list': 'merges two pages',
  once: 'reads the oldest answers, up to a limit',
  'setup.offer': 'reads the first superuser from an index of superusers alone',
  'setup.read': 'the same, and the first user',
  'setup.check': 'the same',
  'setup.create': 'the same',
  'health.check': 'reads the first row',
  stats: 'counts everything',
};

t.test('no command reads a whole table, or sorts what it found, but those that must', async (t) => {
  const dataDir = t.testdir();
  const prepared = new RunningDirectory({ dataDir, durability: 'normal', onError: (error) => void t.error(error) });
  t.ok(prepared.runNow(BEFORE).every(({ ok }) => ok));
  prepared.close();
  let executed: string[] = [];
  const db = new Sqlite(join(dataDir, 'directory.sqlite'), { verbose: (sql) => executed.push(String(sql)) });
  t.teardown(() => db.close());
  const rows = new DirectoryTables(db, new Journal());
  for (const op of Object.keys(DIRECTORY_EFFECTS) as DirectoryOperation[]) {
    db.exec('BEGIN');
    executed = [];
    decideDirectory(rows, { op, input: INPUTS[op] } as DirectoryCommand, new AuditRetention());
    const statements = executed;
    const plans = statements.flatMap((sql) => db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all());
    const costly = plans
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!CONSTANT|json_each|named|sqlite_sequence)|TEMP B-TREE/.test(detail));
    db.exec('ROLLBACK');
    if (op in SCANS) t.not(costly.length, 0, `${op}: ${SCANS[op]}`);
    else t.strictSame(costly, [], op);
  }
});
