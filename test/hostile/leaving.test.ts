import { UNDATED } from '../support/board/undated.js';
import t from 'tap';
import type { Services } from '../../src/api/operation/operation.js';
import { cardOperations } from '../../src/api/operations/cards.js';
import { memberOperations } from '../../src/api/operations/members.js';
import { MAX_UNASSIGNED } from '../../src/domain/commands/members.js';
import { startEdge } from '../support/http/edge.js';
import { ann, ben, bodyOf, ids, TestPartition } from '../support/store/faultyStorePartition.js';

const CARDS = 300;
/** As many as a step of the removal takes away. */
const BURST = MAX_UNASSIGNED;
/** Only for a failure: without the attack the removal has four steps. */
const MAX_STEPS = 9;

/**
 * The HTTP edge with a real shard. The attack is as fast as it can be: a burst of requests is answered between any two
 * steps of the removal. Over a network, several members reach that with a store that syncs every commit.
 */
t.test('HOSTILE46 members who assign a member all the time cannot keep them from being removed', async (t) => {
  const partition = new TestPartition(t);
  const board = ids.fresh();
  const card = { title: 'x', description: null, ...UNDATED, labels: [], assignee_ids: [ben.id], checklists: [], attachments: [], comments: [] };
  await partition.must('board.import', board, {
    ...{ title: 'Busy', description: null, importer: ann, labels: [], rules: [] },
    members: [{ user: ben, role: 'member' }],
    columns: [{ title: 'To do', color: '#fff', is_done_column: false, cards: Array.from({ length: CARDS }, () => card) }],
  });
  const full = JSON.parse(bodyOf(await partition.ask('board.get', board, {}))) as { columns: { cards: { id: string }[] }[] };
  const attackedCards = (full.columns[0]?.cards ?? []).slice(0, BURST);
  t.equal(attackedCards.length, BURST);

  const steps: string[] = [];
  const statuses = new Set<number>();
  const boards: Services['boards'] = {
    async ask(command) {
      const [outcome] = await partition.askAll([command]);
      if (outcome === undefined) throw new Error('an ask was not answered');
      if (command.op === 'card.assign') return outcome;
      steps.push(command.op);
      if (steps.length > MAX_STEPS) throw new Error('the removal does not end');
      await Promise.all(attackedCards.map(async ({ id }) => statuses.add(await assign(id))));
      return outcome;
    },
  };
  const directory = { ask: async (_op: string, { id }: { id: string }) => ({ id, is_active: true }) } as unknown as Services['directory'];
  const edge = await startEdge(t, [...memberOperations, ...cardOperations], { directory, boards, now: () => new Date() });
  const tokens = { [ann.id]: await edge.tokens.issue(ann.id), [ben.id]: await edge.tokens.issue(ben.id) };
  const assign = (id: string): Promise<number> => request('PUT', `/cards/${id}/assignees`, ben.id, { user_ids: [ben.id] });
  const request = async (method: string, path: string, user: string, json?: object): Promise<number> => {
    const headers = { authorization: `Bearer ${tokens[user]}`, 'content-type': 'application/json' };
    const answer = await fetch(edge.url + path, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) });
    await answer.arrayBuffer();
    return answer.status;
  };

  t.equal(await request('DELETE', `/boards/${board}/members/${ben.id}`, ann.id), 204);
  t.strictSame(steps, ['member.remove', 'member.unassign', 'member.unassign', 'member.remove'], 'a hundred in each step');
  t.strictSame([...statuses], [200, 409, 403], 'before the removal, during it and after it');
  t.notMatch(bodyOf(await partition.ask('member.list', board, {})), ben.id, 'the member is gone');
  t.notOk(bodyOf(await partition.ask('board.get', board, {})).includes(ben.email), 'with all assignments');
});
