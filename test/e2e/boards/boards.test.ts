import t from 'tap';
import { nextEvent } from '../../support/realtime/boardRecorder.js';
import { ScenarioBoard, emitted } from '../../support/board/boardScenario.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, send } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newUser } from '../../support/http/users.js';

const world = await enterWorld();
const { api, owner, member, helper } = world;

type BoardListJson = Array<BoardJson & { role: string }>;

t.test('BOARD1 creating a board makes the creator its owner and adds it to their list', async (t) => {
  const creator = await newUser(api);
  const ignored = { id: owner.id, created_by: owner.id, role: 'member', members: [], columns: [{}] };
  const json = { title: '  Plans  ', description: 'of all sorts', ...ignored };
  const { status, body } = await api.request<BoardJson>('POST', '/boards', { token: creator.token, json });
  t.equal(status, 201);
  t.match(body, { title: /^Plans$/, description: 'of all sorts', created_by: creator.id, updated_by: creator.id });
  t.not(body.id, owner.id, 'an id of its own');
  t.notOk('columns' in body);
  t.strictSame(
    body.members.map(({ user_id, role, user }) => [user_id, role, user.id]),
    [[creator.id, 'owner', creator.id]],
  );
  const list = await send<BoardListJson>(world, creator, 'GET /boards');
  t.strictSame(list, [{ ...body, last_activity_at: body.created_at, role: 'owner', is_starred: false }]);
  const events = await send<object>(world, creator, `GET /boards/${body.id}/events`);
  t.strictSame(events, { events: [], seq: 0, resync: false }, 'there is no event');
});

t.test('BOARD1 creating a board requires a title and a credential', async (t) => {
  const creator = await newUser(api);
  const bad = [{}, { title: null }, { title: '' }, { title: ' \t\n ' }, { title: 'x'.repeat(256) }, { title: 7 }];
  for (const json of [...bad, { title: 'x', description: 'x'.repeat(10_001) }, { title: 'x', description: 1 }]) {
    const { status } = await api.request('POST', '/boards', { token: creator.token, json });
    t.equal(status, 422, JSON.stringify(json).slice(0, 60));
  }
  t.equal((await api.request('POST', '/boards', { json: { title: 'x' } })).status, 401);
  t.equal((await api.request('GET', '/boards')).status, 401);
  t.strictSame(await send(world, creator, 'GET /boards'), []);
  const longest = { title: '😀'.repeat(255), description: null };
  t.equal((await api.request('POST', '/boards', { token: creator.token, json: longest })).status, 201);
});

t.test('BOARD1 a board has a colour and an icon, which owners set', async (t) => {
  const board = await send<BoardJson>(world, owner, 'POST /boards', { title: 'Launch', color: 'teal', icon: ' 🚀 ' });
  t.match(board, { color: 'teal', icon: '🚀' });
  await send(world, owner, `POST /boards/${board.id}/invite`, { user_id: member.id });
  const path = `/boards/${board.id}`;
  const patch = (json: object, token = owner.token) => api.request<BoardJson>('PATCH', path, { token, json });
  t.equal((await patch({ icon: '🐞' }, member.token)).status, 403);
  for (const icon of ['👩‍👩‍👧‍👦', '🇦🇹', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1️⃣', '👍🏽', '❤️', null]) t.match((await patch({ icon })).body, { icon, color: 'teal' });
  for (const icon of ['', 'A', '🚀🚀', 'x🚀', '🇦', `🚀${'\u200d🚀'.repeat(20)}`, '1', 7]) {
    t.equal((await patch({ icon })).status, 422, JSON.stringify(icon));
  }
  t.equal((await patch({ color: 'nothing' })).status, 422);
  t.match((await patch({ color: null })).body, { color: null, icon: null });
});

t.test('BOARD51 the list shows when the content of a board last changed, and which boards the caller starred', async (t) => {
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const board = await send<BoardJson>(world, ann, 'POST /boards', { title: 'Starred' });
  const { id } = board;
  await send(world, ann, `POST /boards/${id}/invite`, { user_id: ben.id });
  const listed = async (who = ann): Promise<{ last_activity_at: string; is_starred: boolean }> => {
    const [first] = await send<Array<{ last_activity_at: string; is_starred: boolean }>>(world, who, 'GET /boards');
    if (first === undefined) throw new Error('the list is empty');
    return first;
  };
  t.equal((await listed()).last_activity_at, board.created_at, 'members and titles are not its content');
  const column = await send<{ id: string; created_at: string }>(world, ben, `POST /boards/${id}/columns`, { title: 'To do' });
  t.equal((await listed()).last_activity_at, column.created_at);
  const card = await send<{ id: string; created_at: string }>(world, ben, `POST /boards/${id}/columns/${column.id}/cards`, { title: 'x' });
  t.equal((await listed()).last_activity_at, card.created_at);
  await send(world, ann, `PATCH /boards/${id}`, { title: 'Renamed' });
  t.equal((await listed()).last_activity_at, card.created_at);
  await send(world, ben, `DELETE /cards/${card.id}`);
  const { last_activity_at: deletedAt } = await listed();
  t.ok(deletedAt >= card.created_at, 'a removal is one, too');
  const { headers } = await api.request('GET', `/boards/${id}`, { token: ann.token });
  const star = (method: string, token: string) => api.request(method, `/boards/${id}/star`, { token });
  for (let time = 0; time < 2; time += 1) t.equal((await star('PUT', ann.token)).status, 204);
  t.strictSame([(await listed()).is_starred, (await listed(ben)).is_starred], [true, false]);
  const shown = await api.request('GET', `/boards/${id}`, { token: ann.token });
  t.equal(shown.headers.get('etag'), headers.get('etag'), 'a star is no event');
  t.notMatch(JSON.stringify(shown.body), /is_starred/, 'and others cannot see it');
  t.equal((await listed()).last_activity_at, deletedAt);
  t.equal((await star('DELETE', ann.token)).status, 204);
  t.equal((await listed()).is_starred, false);
  await star('PUT', ben.token);
  await send(world, ann, `DELETE /boards/${id}/members/${ben.id}`);
  await send(world, ann, `POST /boards/${id}/invite`, { user_id: ben.id });
  t.equal((await listed(ben)).is_starred, false, 'it ended with the membership');
  t.equal((await star('PUT', (await newUser(api)).token)).status, 403);
  t.equal((await api.request('PUT', `/boards/${ann.id}/star`, { token: ann.token })).status, 404);
});

t.test('BOARD51 the list contains only the boards of the caller, in order of joining, with the role of the caller', async (t) => {
  const [first, second] = [await newUser(api), await newUser(api)];
  const mine = await send<BoardJson>(world, first, 'POST /boards', { title: 'Mine' });
  const shared = await send<BoardJson>(world, second, 'POST /boards', { title: 'Shared' });
  await send(world, second, 'POST /boards', { title: 'Not mine' });
  await send(world, second, `POST /boards/${shared.id}/invite`, { user_id: first.id });
  const list = await send<BoardListJson>(world, first, 'GET /boards');
  t.strictSame(
    list.map(({ id, role }) => [id, role]),
    [
      [mine.id, 'owner'],
      [shared.id, 'member'],
    ],
  );
  t.notOk(list.some((board) => 'columns' in board));
});

t.test('BOARD3 the full board has columns with cards, labels, members and its number', async (t) => {
  const { board, todo, done, card, plainCard, label, unusedLabel, checklist, attachment } = await populate(world);
  const found = (await board.look()).board;
  t.strictSame(
    found.columns.map(({ id }) => id),
    [todo.id, done.id],
  );
  t.strictSame(
    found.columns.map(({ cards }) => cards.map(({ id }) => id)),
    [[card.id, plainCard.id], []],
  );
  t.strictSame(found.columns[0]?.cards[0], await board.card(card.id));
  t.match(found.columns[0]?.cards[0], {
    labels: [{ id: label.id }],
    assignees: [{ id: helper.id }],
    checklists: [{ id: checklist.id, items: [{ assignees: [{ id: helper.id }] }, {}] }, {}],
    attachments: [attachment],
  });
  t.strictSame(
    found.labels.map(({ id }) => id),
    [label.id, unusedLabel.id],
  );
  t.strictSame(
    found.members.map(({ user_id }) => user_id),
    [owner.id, member.id, helper.id],
  );
});

t.test('BOARD6 an update changes the given fields, sets updated_at and emits board.updated', async (t) => {
  const { board } = await populate(world);
  const request = `PATCH /boards/${board.id}`;
  const events = [emitted('board.updated', owner)];
  const both = { title: 'Other', description: 'Said' };
  await board.play(t, { as: owner, request, json: both, status: 200, answer: both, events });
  const json = { title: '  Trimmed ' };
  await board.play(t, {
    as: owner,
    request,
    json,
    status: 200,
    answer: { title: 'Trimmed', description: 'Said' },
    events,
  });
  await board.play(t, {
    as: owner,
    request,
    json: { description: null },
    status: 200,
    answer: { description: null },
    events,
  });
  const { after } = await board.play(t, { as: owner, request, json: { title: 'Last' }, status: 200, events });
  t.match((await send<BoardListJson>(world, member, 'GET /boards')).at(-1), { id: board.id, title: 'Last' });
  t.equal(after?.board.updated_by, owner.id);
});

t.test('BOARD6 an update without fields changes nothing and emits nothing', async (t) => {
  const { board } = await populate(world);
  for (const json of [{}, { members: [], created_by: member.id, id: member.id, role: 'member' }]) {
    await board.play(t, { as: owner, request: `PATCH /boards/${board.id}`, json, status: 200 });
  }
});

t.test('BOARD8 deleting a board emits its id and removes all its data', async (t) => {
  const { board, todo, card, label, checklist, item, attachment, rule } = await populate(world);
  const gone = nextEvent(world, board.id, 'board.deleted');
  const { events } = await board.play(t, {
    as: owner,
    request: `DELETE /boards/${board.id}`,
    status: 204,
    events: [emitted('board.deleted', owner, board.id)],
  });
  t.strictSame(events[0]?.data, { id: board.id });
  t.match(await gone, { user_id: owner.id });
  for (const user of [owner, member, helper]) {
    const list = await send<BoardListJson>(world, user, 'GET /boards');
    t.notOk(
      list.some(({ id }) => id === board.id),
      'it is on no list',
    );
  }
  const lost = [
    `GET /boards/${board.id}`,
    `GET /boards/${board.id}/events`,
    `DELETE /boards/${board.id}`,
    `DELETE /columns/${todo.id}`,
    `GET /cards/${card.id}`,
    `DELETE /labels/${label.id}`,
    `DELETE /checklists/${checklist.id}`,
    `DELETE /items/${item.id}`,
    `GET /attachments/${attachment.id}`,
    `DELETE /automations/${rule.id}`,
  ];
  for (const request of lost) {
    const [method = '', path = ''] = request.split(' ');
    t.equal((await api.request(method, path, { token: owner.token })).status, 404, request);
  }
});

t.test('BOARD3 a caller that has the latest state gets no body', async (t) => {
  const { board, card } = await populate(world);
  const path = `/boards/${board.id}`;
  const get = (ifNoneMatch: string): ReturnType<typeof api.request> =>
    api.request('GET', path, { token: member.token, headers: { 'if-none-match': ifNoneMatch } });
  const first = await api.request('GET', path, { token: member.token });
  const etag = first.headers.get('etag') ?? '';
  t.match(etag, /^"\d+"$/);
  for (const same of [etag, `W/${etag}`, ` ${etag}`, `"0", ${etag}`, `W/"x",${etag} ,"1"`]) {
    const { status, body, headers } = await get(same);
    t.strictSame([status, body, headers.get('etag')], [304, undefined, etag], same);
  }
  const others = ['"0"', '"99999"', '', 'garbage', etag.slice(1, -1), '""', '"1e1"', '"x"', `"${'9'.repeat(400)}"`];
  for (const other of others) {
    const { status, body } = await get(other);
    t.equal(status, 200, `If-None-Match: ${other.slice(0, 20)}`);
    t.strictSame(body, first.body);
  }
  await board.do(member, `PATCH /cards/${card.id}`, { title: 'Changed' });
  const changed = await get(etag);
  t.equal(changed.status, 200, 'after a change the old tag is stale');
  t.equal(Number(JSON.parse(changed.headers.get('etag') ?? '')), Number(JSON.parse(etag)) + 1);
});

t.test('ACCESS2 only members can read the events after a number', async (t) => {
  const board = await ScenarioBoard.create(world);
  const request = `GET /boards/${board.id}/events`;
  for (const name of ['a', 'b', 'c']) await board.do(member, `POST /boards/${board.id}/labels`, { name });
  type Page = { events: Array<{ seq: number; type: string; data: { name: string } }>; seq: number; resync: boolean };
  const since = (seq: string): Promise<Page> => board.do<Page>(member, `${request}${seq}`);
  const all = await since('');
  t.strictSame(
    all.events.map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
    'two invitations and three labels, without a gap',
  );
  t.strictSame(all, await since('?since=0'));
  t.strictSame(
    (await since('?since=3')).events.map(({ data }) => data.name),
    ['b', 'c'],
  );
  t.strictSame(await since('?since=5'), { events: [], seq: 5, resync: false });
  t.strictSame(await since('?since=6'), { events: [], seq: 5, resync: true }, 'a number that the board never had');
  for (const bad of ['-1', 'x', '1.5', '', '99999999999999999999']) {
    await board.refuse(t, [
      { as: member, request: `${request}?since=${bad}`, status: 422, detail: /^since: / },
      { as: world.stranger, request: `${request}?since=${bad}`, status: 403 },
    ]);
  }
});
