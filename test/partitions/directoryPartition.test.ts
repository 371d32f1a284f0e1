import t from 'tap';
import { AppError } from '../../src/domain/errors.js';
import { OUTBOX_PAGE } from '../../src/domain/ports/outbox.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DirectoryPartition, type DirectoryStore } from '../../src/partitions/thread/directoryPartition.js';
import type { Notice } from '../../src/partitions/messages.js';
import type { Settlement } from '../../src/partitions/thread/threadServer.js';
import { ann } from '../support/store/faultyStorePartition.js';

/** A directory whose outbox has these rows. */
function storeOf(run: DirectoryStore['run'], undelivered: DirectoryStore['undelivered']): DirectoryStore {
  return { run, undelivered, probe: () => undefined, close: () => undefined };
}

const HOST = { deposed: () => undefined, onError: () => undefined };
const onDeposed = (): void => undefined;

t.test('OUTBOX10 the directory publishes its undelivered entries a page at a time, on opening and when asked', async (t) => {
  const rows = Array.from({ length: OUTBOX_PAGE + 1 }, (_, n): { id: number; user: PublicUser | null } => {
    return { id: n + 1, user: n === 1 ? null : { ...ann, id: `user ${n + 1}` } };
  });
  const undelivered = (after: number) => ({ after, rows: rows.filter(({ id }) => id > after).slice(0, OUTBOX_PAGE) });
  const store = storeOf((commands, settled) => {
    const outcomes = commands.map((command) => {
      if (command.op !== 'outbox.push') return { ok: true, value: 'done', changed: ann, added: [{ id: 300, user: ann }] } as const;
      return { ok: true, value: true, undelivered: undelivered(command.input.after) } as const;
    });
    settled(outcomes, null);
  }, undelivered);
  const published: Notice[] = [];
  const partition = new DirectoryPartition({ store, onDeposed }, { ...HOST, publish: (notices) => published.push(...notices) });
  t.match(published, [{ kind: 'outbox.page', source: 'directory', after: 0, next: OUTBOX_PAGE }]);
  const [first] = published;
  if (first?.kind !== 'outbox.page') return t.fail('no page');
  t.equal(first.entries.length, OUTBOX_PAGE - 1, 'all but the one of an unknown user');
  t.match(first.entries[1], { source: 'directory', id: 3, kind: 'profile', target: 'user 3', payload: { user: { id: 'user 3' } } });

  const settled = new Promise<Settlement>((resolve) => {
    const asks = [
      { id: 7, partition: 'directory', command: { op: 'health.check', input: {} } },
      { id: 8, partition: 'directory', command: { op: 'outbox.push', input: { after: OUTBOX_PAGE } } },
    ] as const;
    partition.take(asks, resolve);
  });
  const { replies, notices } = await settled;
  t.strictSame(replies, [
    { id: 7, outcome: { ok: true, value: 'done' } },
    { id: 8, outcome: { ok: true, value: true } },
  ]);
  t.match(notices, [
    { kind: 'user.changed' },
    { kind: 'outbox', entry: { id: 300, target: ann.id } },
    { kind: 'outbox.page', after: OUTBOX_PAGE, entries: [{ id: OUTBOX_PAGE + 1 }], next: null },
  ]);
});

t.test('COMMIT24 a directory whose outbox cannot be read is not opened, and says why', async (t) => {
  const broken = (): never => {
    throw new AppError('unavailable', 'the disk is broken');
  };
  const store = storeOf(broken, broken);
  const open = () => new DirectoryPartition({ store, onDeposed }, { ...HOST, publish: () => t.fail('nothing is published') });
  t.throws(open, { code: 'unavailable', message: 'the disk is broken' });
});
