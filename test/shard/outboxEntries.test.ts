import t from 'tap';
import { ann, ben, TestPartition } from '../support/store/faultyStorePartition.js';

t.test('OUTBOX1 a changed role leaves no outbox entry: the directory stores no roles', async (t) => {
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
