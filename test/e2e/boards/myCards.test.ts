import t from 'tap';
import type { CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate, type PopulatedBoard } from '../../support/board/populatedBoard.js';
import { newUser } from '../../support/http/users.js';

const world = await enterWorld();
const { api, owner } = world;

interface PageJson {
  readonly cards: Array<{ readonly id: string; readonly title: string; readonly number: number | null; readonly board_title: string }>;
  readonly next: string | null;
}

async function page(token: string, query = ''): Promise<PageJson> {
  const { status, body } = await api.request<PageJson>('GET', `/me/cards${query}`, { token });
  t.equal(status, 200);
  return body;
}

t.test('MINE1 the cards of a user over all boards come by date, without completed ones and those of lost boards', async (t) => {
  const user = await newUser(api);
  const [one, two] = [await populate(world), await populate(world)];
  const titles = async (): Promise<string[]> => (await page(user.token)).cards.map(({ title }) => title);
  t.strictSame(await titles(), []);
  const add = async ({ board, todo }: PopulatedBoard, title: string, fields: object): Promise<CardJson> => {
    const card = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title, ...fields });
    await board.do(owner, `PUT /cards/${card.id}/assignees`, { user_ids: [user.id] });
    return card;
  };
  for (const { board } of [one, two]) await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
  const day = await add(one, 'that day', { due_at: '2027-01-02' });
  await add(two, 'before its end', { due_at: '2027-01-02T22:00:00Z' });
  await add(two, 'some day', {});
  await add(one, 'first', { due_at: '2027-01-01' });
  const done = await add(one, 'done', { due_at: '2026-01-01' });
  await one.board.do(owner, `POST /cards/${done.id}/move`, { column_id: one.done.id });
  t.strictSame(await titles(), ['first', 'before its end', 'that day', 'some day']);
  t.strictSame(
    (await page(world.helper.token)).cards.filter(({ title }) => title === 'first'),
    [],
    'not those of others',
  );

  const first = await page(user.token, '?limit=3');
  t.equal(first.cards.length, 3);
  t.match(await page(user.token, `?limit=3&after=${first.next}`), { cards: [{ title: 'some day' }], next: null });

  await one.board.do(owner, `PATCH /cards/${day.id}`, { title: 'renamed' });
  t.strictSame(await titles(), ['first', 'before its end', 'renamed', 'some day'], 'a change is shown at once');
  await one.board.do(owner, `DELETE /cards/${day.id}/assignees/${user.id}`);
  t.strictSame(await titles(), ['first', 'before its end', 'some day']);
  await two.board.do(owner, `DELETE /boards/${two.board.id}/members/${user.id}`);
  t.strictSame(await titles(), ['first']);
});

t.test('MINE1 bad parameters are refused by their names, and so are callers without a credential', async (t) => {
  for (const [query, detail] of [
    ['?limit=0', /limit/],
    ['?limit=201', /limit/],
    ['?after=x', /after: must be the `next` of another page/],
  ] as const) {
    t.match(await api.request('GET', `/me/cards${query}`, { token: owner.token }), { status: 422, body: { detail } });
  }
  t.equal((await api.request('GET', '/me/cards')).status, 401);
});
