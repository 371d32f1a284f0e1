import t from 'tap';
import { AuditLog } from '../../src/audit/auditLog.js';
import { AuditQueue } from '../../src/audit/auditQueue.js';
import type { AuditEntry } from '../../src/domain/audit.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import { IdSource } from '../../src/domain/ids.js';
import { until } from '../support/until.js';

interface Fake {
  readonly queue: AuditQueue;
  readonly stored: AuditEntry[];
  readonly errors: unknown[];
  fails: AppError | null;
  asks: number;
}

function fake(): Fake {
  const stored: AuditEntry[] = [];
  const errors: unknown[] = [];
  const ask = async (_op: string, input: unknown): Promise<true> => {
    it.asks += 1;
    await new Promise(setImmediate);
    if (it.fails !== null) throw it.fails;
    stored.push(...(input as { entries: AuditEntry[] }).entries);
    return true;
  };
  const directory = { ask } as unknown as DirectoryPort;
  const queue = new AuditQueue({ directory, onError: (error) => errors.push(error), retryMs: 1 });
  const it: Fake = { queue, stored, errors, fails: null, asks: 0 };
  return it;
}

function entryOf(number: number): AuditEntry {
  const nobody = { user_id: null, username: null, subject_id: null, subject: null, address: null, device: null };
  return { at: '2030-01-01T00:00:00.000Z', id: String(number), kind: 'login', ...nobody, details: {} };
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

t.test('AUDIT7 entries are sent in order, many at a time', async (t) => {
  const it = fake();
  for (let number = 0; number < 950; number += 1) it.queue.add(entryOf(number));
  await it.queue.close();
  t.strictSame(
    it.stored.map(({ id }) => id),
    numbers(950),
  );
  t.ok(it.asks <= 11, `${it.asks} commands`);
});

t.test('AUDIT7 while the directory is out of reach entries wait, as many as fit', async (t) => {
  const it = fake();
  it.fails = new AppError('unavailable', 'gone');
  for (let number = 0; number < 10_050; number += 1) it.queue.add(entryOf(number));
  await until(() => it.asks >= 3);
  t.equal(it.queue.lostEntries, 50);
  it.fails = null;
  await until(() => it.stored.length >= 10_000);
  t.strictSame(
    it.stored.map(({ id }) => id),
    numbers(10_000),
    'none twice',
  );
  t.strictSame(it.errors, []);
});

t.test('AUDIT7 entries that the directory refuses do not stop the others, and are counted', async (t) => {
  const it = fake();
  it.fails = new AppError('invalid', 'no');
  it.queue.add(entryOf(0));
  await until(() => it.errors.length > 0);
  it.fails = null;
  it.queue.add(entryOf(1));
  await it.queue.close();
  t.strictSame(
    it.stored.map(({ id }) => id),
    ['1'],
  );
  t.equal(it.queue.lostEntries, 1);
});

t.test('AUDIT7 a stop does not wait for a directory out of reach', async (t) => {
  const it = fake();
  it.fails = new AppError('unavailable', 'gone');
  it.queue.add(entryOf(0));
  await it.queue.close();
  t.strictSame(it.stored, []);
});

t.test('AUDIT4 an entry goes along with its change, and is written nowhere if the change fails', async (t) => {
  const it = fake();
  const log = new AuditLog({ file: null, queue: it.queue, ids: new IdSource() });
  const event = { kind: 'logout', user: { id: 'ann', username: 'ann', is_superuser: false } } as const;
  const sent: unknown[] = [];
  t.equal(await log.along(event, async (entry) => sent.push(entry)), 1);
  t.match(sent, [{ kind: 'logout', user_id: 'ann', username: 'ann' }]);
  await t.rejects(
    log.along(event, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  await log.close();
  t.strictSame(it.stored, [], 'nothing is sent a second way');
});
