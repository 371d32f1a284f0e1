import t from 'tap';
import type { BoardJson, CardJson, ColumnJson } from '../../support/board/boardSnapshot.js';
import { send, startWorld } from '../../support/board/boardWorld.js';
import { fileForm } from '../../support/board/populatedBoard.js';
import { newUser } from '../../support/http/users.js';

t.test('QUOTA13 a user cannot create more boards than the limit by requests and imports, also in parallel', async (t) => {
  const world = await startWorld(t, { MAX_BOARDS_PER_USER: '3' });
  const { api, owner, member } = world;
  const document = { format: 'switchboard-board', version: 1, title: 'Imported' };
  const create = (json: object = { title: 'Board' }) => api.request<BoardJson>('POST', '/boards', { token: owner.token, json });
  const importOne = () => api.request('POST', '/boards/import', { token: owner.token, json: document });
  const answers = await Promise.all([create(), create(), create(), create(), create()]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409]);
  const detail = 'A user can create at most 3 boards (MAX_BOARDS_PER_USER); delete one first';
  t.match(await create(), { status: 409, body: { detail } });
  t.match(await importOne(), { status: 409, body: { detail } });

  const board = answers.find(({ status }) => status === 201)?.body;
  await send(world, owner, `POST /boards/${board?.id}/invite`, { user_id: member.id });
  await send(world, owner, `PATCH /boards/${board?.id}/members/${member.id}`, { role: 'owner' });
  await send(world, owner, `DELETE /boards/${board?.id}/members/${owner.id}`);
  t.equal((await create()).status, 409, 'a board still counts for its creator after they left it');
  t.equal((await api.request('POST', '/boards', { token: member.token, json: { title: 'x' } })).status, 201);
  await send(world, member, `DELETE /boards/${board?.id}`);
  t.equal((await importOne()).status, 201);
  t.equal((await create()).status, 409);
});

t.test('QUOTA14 a user cannot add more members in a day than the limit, and only successful additions count', async (t) => {
  const world = await startWorld(t, { MAX_INVITES_PER_DAY: '2' });
  const { api, owner, member, helper, stranger } = world;
  const { id } = await send<BoardJson>(world, owner, 'POST /boards', { title: 'Plans' });
  const invite = (by: typeof owner, user_id: unknown) => {
    return api.request('POST', `/boards/${id}/invite`, { token: by.token, json: { user_id } });
  };
  t.equal((await invite(owner, member.id)).status, 200);
  t.equal((await invite(owner, member.id)).status, 409);
  t.equal((await invite(owner, '00000000-0000-4000-8000-00000000dead')).status, 404);
  t.equal((await invite(owner, 'nonsense')).status, 422);
  t.equal((await invite(member, helper.id)).status, 403);
  t.equal((await invite(owner, helper.id)).status, 200, 'refused ones were not counted');
  const refused = await invite(owner, stranger.id);
  const detail = 'A user can add at most 2 members in a day (MAX_INVITES_PER_DAY); try again tomorrow (UTC)';
  t.match(refused, { status: 429, body: { detail } });
  const seconds = Number(refused.headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 86_400, `to the next day: ${seconds}`);
  t.equal((await invite(owner, '00000000-0000-4000-8000-00000000dead')).status, 404);

  await send(world, owner, `PATCH /boards/${id}/members/${member.id}`, { role: 'owner' });
  t.equal((await invite(member, stranger.id)).status, 200, 'being invited is not limited');
  const late = await newUser(api);
  t.equal((await invite(member, late.id)).status, 200);
  await send(world, owner, `PATCH /boards/${id}/members/${member.id}`, { role: 'member' });
  const outsider = await newUser(api);
  t.equal((await invite(member, outsider.id)).status, 403, 'without the right to invite the answer is 403, also with no invitations left');
});

t.test('QUOTA14 an import adds only as many members as its importer may, and reports those left out', async (t) => {
  const world = await startWorld(t, { MAX_INVITES_PER_DAY: '2', MAX_BOARD_LABELS: '1' });
  const { api, owner, member, helper, stranger } = world;
  const people = [owner, member, helper, stranger].map(({ email, username }) => ({ email, username, role: 'member' }));
  const document = { format: 'switchboard-board', version: 1, title: 'Imported', members: people };
  const labels = [1, 2].map((n) => ({ id: `${n}`, name: 'x' }));
  const post = (json: object) => api.request<{ board: BoardJson; left_out: string[] }>('POST', '/boards/import', { token: owner.token, json });
  t.match(await post({ ...document, labels }), {
    status: 409,
    body: { detail: 'A board can have at most 1 labels (MAX_BOARD_LABELS)' },
  });
  const { status, body } = await post(document);
  t.equal(status, 201, 'the refused import did not count');
  t.strictSame(body.board.members.map(({ user_id }) => user_id).sort(), [owner.id, member.id, helper.id].sort());
  t.strictSame(body.left_out, [`Member ${stranger.username} (${stranger.email}): you cannot add more members today (MAX_INVITES_PER_DAY).`]);
  t.strictSame(
    (await post(document)).body.board.members.map(({ user_id }) => user_id),
    [owner.id],
  );
});

t.test('QUOTA16 the list of boards is paged if it is long or if the caller asks for pages', async (t) => {
  const world = await startWorld(t, { MAX_BOARD_LABELS: '100000' });
  const { api, owner, member } = world;
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C', 'D', 'E']) {
    ids.push((await send<BoardJson>(world, owner, 'POST /boards', { title })).id);
  }
  const page = async (query: string, token = owner.token) => {
    const { status, body, headers } = await api.request<BoardJson[]>('GET', `/boards${query}`, { token });
    t.equal(status, 200);
    return { ids: body.map(({ id }) => id), link: headers.get('link') };
  };
  t.strictSame(await page(''), { ids, link: null }, 'without parameters it is all of them');
  t.strictSame(await page('?limit=5'), { ids, link: null });
  t.strictSame(await page('?limit=2'), { ids: ids.slice(0, 2), link: '<?limit=2&offset=2>; rel="next"' });
  t.strictSame(await page('?limit=2&offset=2'), { ids: ids.slice(2, 4), link: '<?limit=2&offset=4>; rel="next"' });
  t.strictSame(await page('?limit=2&offset=4'), { ids: ids.slice(4), link: null });
  t.strictSame(await page('?offset=9'), { ids: [], link: null });
  for (const query of ['?limit=0', '?limit=1001', '?offset=-1', '?limit=x']) {
    t.equal((await api.request('GET', `/boards${query}`, { token: owner.token })).status, 422, query);
  }

  // 3 MB of labels each, as boards from before the limits may have them.
  const labels = Array.from({ length: 2_000 }, (_, n) => ({ id: `${n}`, name: '\u0001'.repeat(250) }));
  const document = { format: 'switchboard-board', version: 1, title: 'Large', labels };
  const large: string[] = [];
  for (let n = 0; n < 7; n += 1) {
    large.push((await send<{ board: BoardJson }>(world, member, 'POST /boards/import', document)).board.id);
  }
  const found: string[] = [];
  for (let query: string | undefined = ''; query !== undefined;) {
    const { ids: part, link } = await page(query, member.token);
    t.ok(part.length > 0 && part.length <= 3, `a page of ${part.length} boards`);
    found.push(...part);
    query = /^<(\?.*)>; rel="next"$/.exec(link ?? '')?.[1];
  }
  t.strictSame(found, large, 'following the links gives all of them, once and in order');
});

t.test('QUOTA2 every request refused by a limit gets a documented 409, and a board above the limits can be used and shrunk', async (t) => {
  const world = await startWorld(t);
  const { owner, member, config } = world;
  const board = await send<BoardJson>(world, owner, 'POST /boards', { title: 'Plans' });
  await send(world, owner, `POST /boards/${board.id}/invite`, { user_id: member.id });
  const columns: ColumnJson[] = [];
  for (const title of ['A', 'B']) columns.push(await send(world, owner, `POST /boards/${board.id}/columns`, { title }));
  const [column] = columns;
  const cards: CardJson[] = [];
  for (const title of ['1', '2']) {
    cards.push(await send(world, owner, `POST /boards/${board.id}/columns/${column?.id}/cards`, { title }));
  }
  const [card, second] = cards;
  const label = await send<{ id: string }>(world, owner, `POST /boards/${board.id}/labels`, { name: 'x' });
  await send(world, owner, `POST /boards/${board.id}/labels`, { name: 'y' });
  const checklist = await send<{ id: string }>(world, owner, `POST /cards/${card?.id}/checklists`, { title: 'x' });
  const item = await send<{ id: string }>(world, owner, `POST /checklists/${checklist.id}/items`, { content: 'x' });
  const rule = { name: 'x', trigger_type: 'CARD_CREATED', action_type: 'ASSIGN_MEMBER', action_user_id: owner.id };
  const { id: ruleId } = await send<{ id: string }>(world, owner, `POST /boards/${board.id}/automations`, rule);
  const before = await send<BoardJson>(world, owner, `GET /boards/${board.id}`);
  await world.app.close();

  const one = ['BYTES', 'CARDS', 'COLUMNS', 'LABELS', 'MEMBERS', 'RULES', 'ITEMS', 'ATTACHMENT_BYTES'];
  const tight = Object.fromEntries(one.map((name) => [`MAX_BOARD_${name}`, '1']));
  const again = await startWorld(t, { DATA_DIR: config.dataDir, ...tight });
  const { api } = again;
  t.strictSame(await send(again, owner, `GET /boards/${board.id}`), before, 'it is read as it was');
  t.strictSame(
    (await send<BoardJson[]>(again, owner, 'GET /boards')).map(({ id }) => id),
    [board.id],
  );
  const long = 'x'.repeat(100);
  const growing: ReadonlyArray<readonly [request: string, json?: object]> = [
    [`PATCH /boards/${board.id}`, { description: long }],
    [`POST /boards/${board.id}/invite`, { user_id: again.stranger.id }],
    [`POST /boards/${board.id}/columns`, { title: 'x' }],
    [`PATCH /columns/${column?.id}`, { title: long }],
    [`POST /boards/${board.id}/columns/${column?.id}/cards`, { title: 'x' }],
    [`PATCH /cards/${card?.id}`, { title: long }],
    [`PUT /cards/${card?.id}/assignees`, { user_ids: [owner.id] }],
    [`POST /cards/${card?.id}/labels/${label.id}`],
    [`POST /boards/${board.id}/labels`, { name: 'x' }],
    [`PATCH /labels/${label.id}`, { name: long }],
    [`POST /cards/${card?.id}/checklists`, { title: 'x' }],
    [`PATCH /checklists/${checklist.id}`, { title: long }],
    [`POST /checklists/${checklist.id}/items`, { content: 'x' }],
    [`PATCH /items/${item.id}`, { content: long }],
    [`PUT /items/${item.id}/assignees`, { user_ids: [owner.id] }],
    [`POST /boards/${board.id}/automations`, rule],
    [`PATCH /automations/${ruleId}`, { name: long }],
    ['POST /boards', { title: long }],
  ];
  for (const [request, json] of growing) {
    const [method = '', path = ''] = request.split(' ');
    const answer = await api.request<{ detail: string }>(method, path, { token: owner.token, json });
    t.equal(answer.status, 409, `${request}: ${answer.body.detail}`);
    t.match(answer.body.detail, /^A board can have at most 1 .* \(MAX_BOARD_[A-Z_]+\)$/);
  }
  const body = fileForm('x');
  t.equal((await api.request('POST', `/cards/${card?.id}/attachments`, { token: owner.token, body })).status, 409);
  t.strictSame(await send(again, owner, `GET /boards/${board.id}`), before, 'no refused request changed anything');

  await send(again, owner, `PATCH /cards/${card?.id}`, { title: '3' });
  await send(again, owner, `POST /cards/${card?.id}/move`, { column_id: columns[1]?.id, position: 0 });
  for (const path of [`items/${item.id}`, `checklists/${checklist.id}`, `cards/${second?.id}`, `columns/${column?.id}`]) {
    await send(again, owner, `DELETE /${path}`);
  }
  await send(again, owner, `DELETE /boards/${board.id}/members/${member.id}`);
  t.match(await send(again, owner, `GET /boards/${board.id}`), { columns: [{ cards: [{ title: '3' }] }] });
});
