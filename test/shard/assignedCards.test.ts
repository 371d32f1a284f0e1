import t from 'tap';
import { ann, ben, bodyOf, TestPartition } from '../support/store/faultyStorePartition.js';

t.test('MINE1 the cards of a user are read without waking the board, and are the same as from memory', async (t) => {
  const partition = new TestPartition(t);
  const board = await partition.newBoard();
  const column = await partition.newColumn(board);
  await partition.must('member.add', board, { user_id: ben.id, user: ben });
  const input = { column_id: column, description: 'x'.repeat(10_000), position: null };
  for (const [title, users] of [
    ['of both', [ann.id, ben.id]],
    ['of ben', [ben.id]],
    ['of nobody', []],
  ] as const) {
    const { id } = await partition.must('card.create', board, { ...input, title });
    await partition.must('card.assign', id, { user_ids: users });
  }
  const own = async (user = ann): Promise<string> => bodyOf(await partition.ask('card.assigned', board, {}, user));
  const inMemory = [await own(), await own(ben)];
  await partition.sleep();
  partition.store.countOf('readBoard');
  t.strictSame([await own(), await own(ben)], inMemory);
  t.equal(partition.store.countOf('readBoard'), 0);
  const titles = (JSON.parse(inMemory[1] ?? '') as Array<{ title: string }>).map(({ title }) => title);
  t.strictSame(titles.sort(), ['of ben', 'of both']);
});
