import t from 'tap';
import { ScenarioBoard } from '../support/boardScenario.js';
import type { CardJson, ColumnJson, RuleJson } from '../support/boardSnapshot.js';
import { send, startWorld, type World } from '../support/boardWorld.js';
import type { TestUser } from '../support/users.js';

const CHANGES = 150;
const READERS = 6;

async function seqNow({ api }: World, as: TestUser, board: string, known?: number): Promise<number> {
  const headers = known === undefined ? {} : { 'if-none-match': `"${known}"` };
  const response = await api.request('GET', `/boards/${board}`, { token: as.token, headers });
  return Number(JSON.parse(response.headers.get('etag') ?? '""'));
}

t.test('BOARD53 a read that begins after a change was answered shows it, however many read meanwhile', async (t) => {
  const world = await startWorld(t, { DURABILITY: 'normal' });
  const { owner, member } = world;
  const board = await ScenarioBoard.create(world);
  const column = await board.do<ColumnJson>(owner, `POST /boards/${board.id}/columns`, { title: 'A' });
  const card = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${column.id}/cards`, { title: '0' });
  const first = await seqNow(world, owner, board.id);
  let acknowledged = 0;
  const stale: string[] = [];
  const readCard = async (as: TestUser): Promise<void> => {
    const least = acknowledged;
    const { title } = await send<CardJson>(world, as, `GET /cards/${card.id}`);
    if (Number(title) < least) stale.push(`card ${title} after ${least}`);
  };
  const readBoard = async (as: TestUser, known?: number): Promise<void> => {
    const least = acknowledged;
    const seq = (await seqNow(world, as, board.id, known)) - first;
    if (seq < least) stale.push(`board ${seq} after ${least}`);
  };
  const read = async (reader: number): Promise<void> => {
    const as = reader % 2 === 0 ? owner : member;
    while (acknowledged < CHANGES) {
      await readCard(as);
      await readBoard(as);
      await readBoard(as, first + acknowledged);
    }
  };
  const write = async (): Promise<void> => {
    for (let change = 1; change <= CHANGES; change += 1) {
      await send(world, owner, `PATCH /cards/${card.id}`, { title: String(change) });
      acknowledged = change;
    }
  };
  await Promise.all([write(), ...Array.from({ length: READERS }, (_, reader) => read(reader))]);
  t.strictSame(stale, []);
});

t.test('BOARD54 whoever left the board, or a rule that is in no event, is not in what is read next', async (t) => {
  const world = await startWorld(t);
  const { owner, member, api } = world;
  const board = await ScenarioBoard.create(world);
  const column = await board.do<ColumnJson>(owner, `POST /boards/${board.id}/columns`, { title: 'A' });
  const rules = `/boards/${board.id}/automations`;
  const list = (): Promise<RuleJson[]> => send(world, member, `GET ${rules}`);
  const names = async (): Promise<string[]> => (await list()).map(({ name }) => name);

  t.strictSame(await names(), []);
  const action = { action_type: 'MOVE_TO_COLUMN', action_column_id: column.id, trigger_type: 'CARD_CREATED' };
  const rule = await board.do<RuleJson>(owner, `POST ${rules}`, { name: 'one', ...action });
  t.strictSame(await names(), ['one']);
  await board.do(owner, `PATCH /automations/${rule.id}`, { name: 'two' });
  t.strictSame(await names(), ['two']);
  await board.do(owner, `DELETE /automations/${rule.id}`);
  t.strictSame(await names(), []);

  const paths = [`/boards/${board.id}`, rules, `/boards/${board.id}/labels`, `/boards/${board.id}/members`];
  const statuses = (): Promise<number[]> =>
    Promise.all(paths.map(async (path) => (await api.request('GET', path, { token: member.token })).status));
  await statuses();
  t.strictSame(await statuses(), [200, 200, 200, 200]);
  await board.do(owner, `DELETE /boards/${board.id}/members/${member.id}`);
  t.strictSame(await statuses(), [403, 403, 403, 403]);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: member.id });
  t.strictSame(await statuses(), [200, 200, 200, 200]);
  await board.do(owner, `DELETE /boards/${board.id}`);
  t.strictSame(await statuses(), [404, 404, 404, 404]);
});
