import t from 'tap';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import type { DirectoryAnswer } from '../../src/domain/directory/handler.js';
import { AppError } from '../../src/domain/errors.js';
import { OUTBOX_PAGE } from '../../src/domain/ports/outbox.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { openDirectoryPartition, type DirectoryStore } from '../../src/partitions/runtime/directoryPartition.js';
import type { Notice } from '../../src/partitions/messages.js';
import type { Settlement } from '../../src/partitions/runtime/partition.js';
import { ann } from '../support/store/faultyStorePartition.js';

/** A directory whose commands have these answers. */
function storeOf(answer: (command: DirectoryCommand) => DirectoryAnswer<unknown>): DirectoryStore {
  return {
    written: 0,
    attempt: ((_: unknown, command: DirectoryCommand) => answer(command)) as DirectoryStore['attempt'],
    begin: () => undefined,
    commitTogether: (settled) => settled(null),
    confirm: (settled) => settled(null),
    rollback: () => undefined,
    probe: () => undefined,
    close: () => undefined,
  };
}

const HOST = {
  deposed: () => undefined,
  onError: () => undefined,
  later: setImmediate,
  endTurn: () => undefined,
  isTurnOver: () => false,
};
const onDeposed = (): void => undefined;

t.test('OUTBOX10 the directory publishes its undelivered entries a page at a time, on opening and when asked', async (t) => {
  const rows = Array.from({ length: OUTBOX_PAGE + 1 }, (_, n): { id: number; user: PublicUser | null } => {
    return { id: n + 1, user: n === 1 ? null : { ...ann, id: `user ${n + 1}` } };
  });
  const undelivered = (after: number) => ({ after, rows: rows.filter(({ id }) => id > after).slice(0, OUTBOX_PAGE) });
  const store = storeOf((command) => {
    if (command.op !== 'outbox.push') return { value: 'done', changed: ann, added: [{ id: 300, user: ann }] };
    return { value: true, undelivered: undelivered(command.input.after) };
  });
  const published: Notice[] = [];
  const partition = openDirectoryPartition({ store, onDeposed }, { ...HOST, publish: (notices) => published.push(...notices) });
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

t.test('a directory whose outbox cannot be read is not opened, and says why', async (t) => {
  const broken = (): never => {
    throw new AppError('unavailable', 'the disk is broken');
  };
  const store = storeOf(broken);
  const open = () => openDirectoryPartition({ store, onDeposed }, { ...HOST, publish: () => t.fail('nothing is published') });
  t.throws(open, { code: 'unavailable', message: 'the disk is broken' });
});
