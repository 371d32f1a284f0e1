import t from 'tap';
import { OUTBOX_PAGE } from '../../src/domain/ports/outbox.js';
import type { Notice } from '../../src/partitions/messages.js';
import { ann, ben, ids, TestPartition } from '../support/store/faultyStorePartition.js';

t.test('a changed role leaves no outbox entry: the directory stores no roles', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  await partition.must('member.add', board, { user_id: ben.id, user: ben });
  const before = partition.store.outbox.list(0, 10).length;
  t.equal(before, 2, 'the creator and the guest');
  const caller = { user_id: ann.id };
  for (const role of ['owner', 'member'] as const) {
    const input = { user_id: ben.id, role };
    const [outcome] = await partition.send([{ kind: 'board', command: { op: 'member.setRole', target: board, input, caller } }]);
    t.match(outcome, { ok: true, value: { outcome: { ok: true }, outboxId: undefined } });
  }
  t.equal(partition.store.outbox.list(0, 10).length, before);
  t.equal(partition.notices.filter(({ kind }) => kind === 'outbox').length, before);
});

t.test('OUTBOX10 a shard publishes its undelivered entries a page at a time, on opening and when asked', async (t) => {
  const partition = new TestPartition(t);
  const boards = [];
  for (let n = 0; n <= OUTBOX_PAGE; n += 1) boards.push(await partition.newBoard());
  const pages = (): Notice[] => partition.notices.filter(({ kind }) => kind === 'outbox.page');
  t.match(pages(), [{ after: 0, entries: [], next: null }], 'also an empty one');
  partition.restart();
  const [, first] = pages();
  t.match(first, { source: 'shard 0', after: 0, next: OUTBOX_PAGE });
  const entries = boards.map((board_id, n) => ({ id: n + 1, kind: 'membership', target: 'directory', payload: { board_id } }));
  t.match(first, { entries: entries.slice(0, OUTBOX_PAGE) });
  const create = { op: 'board.create', target: ids.fresh(), input: { title: '', description: null, creator: ann } } as const;
  await partition.send([
    { kind: 'outbox.push', after: OUTBOX_PAGE },
    { kind: 'board', command: { ...create, caller: { user_id: ann.id } } },
    { kind: 'outbox.delivered', id: 1 },
    { kind: 'outbox.push', after: 0 },
  ]);
  const rest = { after: OUTBOX_PAGE, entries: [{ id: OUTBOX_PAGE + 1 }], next: null };
  t.match(
    partition.notices.slice(-4).filter(({ kind }) => kind.startsWith('outbox')),
    [rest, { entry: { id: OUTBOX_PAGE + 2 } }, { after: 0, entries: [{ id: 2 }], next: OUTBOX_PAGE + 1 }],
  );
});
