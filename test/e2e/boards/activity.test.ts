import t from 'tap';
import type { Scene } from '../../support/board/boardScenario.js';
import { enterWorld, send, startWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { Api } from '../../support/http/api.js';
import { startApp } from '../../../src/app.js';

interface ActivityJson {
  readonly seq: number;
  readonly kind: string;
  readonly user_name: string | null;
  readonly card_id: string | null;
}

interface PageJson {
  readonly activity: readonly ActivityJson[];
  readonly next: number | null;
}

const world = await enterWorld();
const { api, owner, member, helper, stranger } = world;

t.test('ACTIVITY1 everyone on a board reads who changed what, in pages, by card, and since a number', async (t) => {
  const { board, todo, done, plainCard: card, rule } = await populate(world);
  const before = await board.do<PageJson>(member, `GET /boards/${board.id}/activity`);
  const seen = before.activity[0]?.seq ?? 0;
  await board.do(owner, `PATCH /automations/${rule.id}`, { is_enabled: true });
  await board.do(member, `PATCH /cards/${card.id}`, { title: 'Plainer' });
  await board.do(member, `POST /cards/${card.id}/move`, { column_id: done.id });
  const { activity, next } = await board.do<PageJson>(helper, `GET /boards/${board.id}/activity?after=${seen}`);
  t.match(activity, [
    { kind: 'card.assigned', user: null, user_name: null, by_rule: { id: rule.id, name: rule.name }, after: { assignee_ids: [helper.id] } },
    { kind: 'card.moved', user: { id: member.id }, before: { column_id: todo.id }, after: { column_id: done.id } },
    { kind: 'card.updated', user_name: member.username, card_id: card.id, before: { title: 'Plain' }, after: { title: 'Plainer' } },
  ]);
  t.match(activity[3], { kind: 'rule.updated', user_name: owner.username, after: { is_enabled: true } });
  t.strictSame([activity.length, next], [4, null]);
  const ofCard = await board.do<PageJson>(helper, `GET /cards/${card.id}/activity?limit=2`);
  t.strictSame([ofCard.activity.length, ofCard.next], [2, ofCard.activity[1]?.seq]);
  const rest = await board.do<PageJson>(helper, `GET /cards/${card.id}/activity?before=${ofCard.next ?? ''}`);
  t.strictSame(
    rest.activity.map(({ kind }) => kind),
    ['card.updated', 'card.created'],
  );
  await board.do(owner, `DELETE /cards/${card.id}`);
  const deleted = await board.do<PageJson>(helper, `GET /boards/${board.id}/activity?card_id=${card.id}&kind=card.deleted&user_id=${owner.id}`);
  t.match(deleted.activity, [{ kind: 'card.deleted', name: 'Plainer', before: { column_id: done.id } }]);
});

t.test('ACTIVITY1 rights and bad input', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const lists = [`GET /boards/${board.id}/activity`, `GET /cards/${card.id}/activity`];
  const wrong = ['limit=0', 'limit=201', 'before=x', 'after=-1', 'before=1.5', 'before=1234567890123456', 'user_id=x', 'kind=rule.run'];
  await board.refuse(t, [
    ...lists.map((request): Scene => ({ as: null, request, status: 401 })),
    ...lists.map((request): Scene => ({ as: stranger, request, status: 403, detail: /not a member/ })),
    ...lists.flatMap((request) => wrong.map((query): Scene => ({ as: member, request: `${request}?${query}`, status: 422, detail: /./ }))),
    { as: member, request: `GET /cards/${card.id.replace(/.{12}$/, '0'.repeat(12))}/activity`, status: 404, detail: /Card not found/ },
  ]);
  const elsewhere = await populate(world);
  const reading = await newKey(api, member, { scopes: ['read'] });
  const ofOther = await newKey(api, member, { scopes: ['read'], board_ids: [elsewhere.board.id] });
  for (const request of lists) {
    const [method = '', path = ''] = request.split(' ');
    t.equal((await api.request(method, path, { token: reading.key })).status, 200);
    t.equal((await api.request(method, path, { token: ofOther.key })).status, 403);
  }
});

t.test('ACTIVITY1 what a user stores for each change is bounded, however long the text', async (t) => {
  const { board, plainCard: card } = await populate(world);
  for (const letter of ['a', 'b']) await board.do(member, `PATCH /cards/${card.id}`, { description: letter.repeat(10_000) });
  const { activity } = await board.do<PageJson>(member, `GET /cards/${card.id}/activity?kind=card.updated`);
  t.match(activity, [{ omitted: ['description'] }, { omitted: ['description'] }]);
  t.ok(JSON.stringify(activity).length < 2_000);
});

t.test('CRASH1 the activity is the same after a restart, and gone with its board', async (t) => {
  const own = await startWorld(t);
  const { board, plainCard: card } = await populate(own);
  await board.do(own.owner, `DELETE /boards/${board.id}/members/${own.helper.id}`);
  const before = await send<PageJson>(own, own.member, `GET /boards/${board.id}/activity?limit=200`);
  t.ok(before.activity.length > 10);
  await own.app.close();
  const app = await startApp(own.config);
  t.teardown(() => app.close());
  const again = { ...own, app, api: await Api.connect(app.url) };
  t.strictSame(await send<PageJson>(again, own.member, `GET /boards/${board.id}/activity?limit=200`), before);
  await send(again, own.owner, `DELETE /boards/${board.id}`);
  const gone = await again.api.request('GET', `/cards/${card.id}/activity`, { token: own.member.token });
  t.equal(gone.status, 404);
});
