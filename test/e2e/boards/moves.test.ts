/** Moves of cards to other boards, over HTTP, with the events of both. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import type { BoardJson, CardJson, ColumnJson, CommentJson, EventPageJson } from '../../support/board/boardSnapshot.js';
import { enterWorld, startWorld, type World } from '../../support/board/boardWorld.js';
import { FILE_CONTENT, fileForm, populate } from '../../support/board/populatedBoard.js';
import { ScenarioBoard } from '../../support/board/boardScenario.js';
import type { ApiResponse } from '../../support/http/api.js';
import { newKey } from '../../support/http/keys.js';
import { expectRefusal } from '../../support/http/refusals.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { changeUser } from '../../support/service/operator.js';
import { untilResolved } from '../../support/until.js';

const world = await enterWorld();
const { api, owner, member, helper, stranger } = world;

type Moved = CardJson & { readonly dropped_people: ReadonlyArray<{ readonly id: string; readonly username: string }> };

interface Target {
  readonly board: ScenarioBoard;
  readonly column: ColumnJson;
}

/** Another board of the same three users, unless the helper leaves it. */
async function newTarget(of: World = world, { keepsHelper = false } = {}): Promise<Target> {
  const board = await ScenarioBoard.create(of);
  if (!keepsHelper) await board.do(of.owner, `DELETE /boards/${board.id}/members/${of.helper.id}`);
  return { board, column: await board.do<ColumnJson>(of.owner, `POST /boards/${board.id}/columns`, { title: 'Inbox' }) };
}

function move(card: string, { board, column }: Target, token = member.token, key?: string): Promise<ApiResponse<Moved>> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return api.request<Moved>('POST', `/cards/${card}/move`, { token, json: { board_id: board.id, column_id: column.id }, headers });
}

async function eventsOf(board: ScenarioBoard, since: number): Promise<ReadonlyArray<Record<string, unknown>>> {
  const { events } = await board.do<EventPageJson>(owner, `GET /boards/${board.id}/events?since=${since}`);
  return events as unknown as ReadonlyArray<Record<string, unknown>>;
}

const seqOf = async (board: ScenarioBoard): Promise<number> => (await board.look()).seq;

t.test('MOVE1 a card moves to another board with everything it has, and both boards tell of it', async (t) => {
  const { board, card, label, attachment } = await populate(world);
  await board.do(owner, `PATCH /cards/${card.id}`, { due_at: '2031-02-03', reminder_minutes: 30, cover: { color: 'teal' } });
  await board.do(owner, `PUT /cards/${card.id}/assignees`, { user_ids: [member.id] });
  const before = await board.card(card.id);
  const target = await newTarget();
  const [from, to] = [await seqOf(board), await seqOf(target.board)];
  const { status, body } = await move(card.id, target);
  t.equal(status, 200);
  t.match(body, {
    board_id: target.board.id,
    column_id: target.column.id,
    title: before.title,
    description: before.description,
    due_at: '2031-02-03',
    reminder_minutes: 30,
    cover: { color: 'teal' },
    number: 1,
    created_by: before.created_by,
    created_at: before.created_at,
    updated_by: member.id,
    comment_count: 1,
    text_version: 1,
    labels: [{ name: label.name, color: label.color, board_id: target.board.id }],
    assignees: [{ id: member.id }],
    checklists: [
      { title: 'Steps', items: [{ content: 'First', assignees: [] }, { content: 'Second' }] },
      { title: 'More steps', items: [] },
    ],
    attachments: [{ name: attachment.name, size: attachment.size, created_at: attachment.created_at }],
    dropped_people: [{ id: helper.id, username: helper.username }],
  });
  const { dropped_people: _dropped, ...shown } = body;
  t.strictSame(await target.board.card(body.id), shown);
  t.match(await target.board.do(owner, `GET /cards/${body.id}/comments`), { comments: [{ body: 'Remark', author: { id: member.id } }] });
  const file = await api.request<Uint8Array>('GET', `/attachments/${body.attachments[0]?.id ?? ''}`, { token: member.token });
  t.equal(Buffer.from(file.body).toString(), FILE_CONTENT);
  t.match(await eventsOf(board, from), [{ type: 'card.deleted', user_id: member.id, data: { id: card.id } }]);
  const arrived = await eventsOf(target.board, to);
  t.match(arrived, [{ type: 'label.created' }, { type: 'card.created', user_id: member.id, data: shown }]);
  t.equal(arrived.length, 2);
  t.notOk(JSON.stringify(await board.do(owner, `GET /boards/${board.id}/trash`)).includes(card.id), 'it is not in the trash');
  for (const { id } of [attachment, ...card.attachments])
    t.equal((await api.request('GET', `/attachments/${id}`, { token: owner.token })).status, 404);
});

t.test('MOVE1 authors who are not there stay by name, and labels of the same name and colour are used', async (t) => {
  const { board, card, label } = await populate(world);
  await board.do(helper, `POST /cards/${card.id}/comments`, { body: 'By the helper' });
  const target = await newTarget();
  const known = await target.board.do<{ id: string }>(owner, `POST /boards/${target.board.id}/labels`, { name: label.name, color: label.color });
  await target.board.do(owner, `POST /boards/${target.board.id}/labels`, { name: label.name, color: 'blue' });
  const { body } = await move(card.id, target);
  t.strictSame(
    body.labels.map(({ id }) => id),
    [known.id],
  );
  const { comments } = await target.board.do<{ comments: CommentJson[] }>(owner, `GET /cards/${body.id}/comments`);
  t.match(comments, [{ author: null, author_name: helper.username }, { author: { id: member.id } }]);
  t.notOk(JSON.stringify(comments).includes(helper.email));
});

t.test('MOVE1 entering a done column completes the card, and neither board undoes the move', async (t) => {
  const { board, plainCard } = await populate(world);
  const target = await newTarget();
  const done = await target.board.do<ColumnJson>(owner, `POST /boards/${target.board.id}/columns`, { title: 'Done', is_done_column: true });
  const { body } = await move(plainCard.id, { board: target.board, column: done });
  t.match(body, { completed_at: /Z$/ });
  expectRefusal(t, await api.request('POST', `/boards/${target.board.id}/undo`, { token: member.token, json: {} }), 409, /another board/);
  expectRefusal(t, await api.request('POST', `/boards/${board.id}/undo`, { token: member.token, json: {} }), 409, /another board/);
  t.match(await board.do(owner, `GET /boards/${board.id}/activity?limit=1`), {
    activity: [{ kind: 'card.deleted', moved: true, user_name: member.username }],
  });
  t.match(await board.do(owner, `GET /boards/${target.board.id}/activity?limit=1`), {
    activity: [{ kind: 'card.created', moved: true, user_name: member.username }],
  });
});

t.test('MOVE1 a request with a key moves the card once, and its repetition has the same answer', async (t) => {
  const { card } = await populate(world);
  const target = await newTarget();
  const key = randomUUID();
  const [one, two] = await Promise.all([move(card.id, target, member.token, key), move(card.id, target, member.token, key)]);
  t.strictSame([one.status, two.status], [200, 200]);
  t.strictSame(one.body, two.body);
  await target.board.do(owner, `PATCH /cards/${one.body.id}`, { title: 'Changed since' });
  const again = await move(card.id, target, member.token, key);
  t.strictSame([again.status, again.body, again.headers.get('idempotency-replayed')], [200, one.body, 'true']);
  t.equal((await target.board.do<BoardJson>(owner, `GET /boards/${target.board.id}`)).columns[0]?.cards.length, 1);
});

t.test('MOVE1 the old id leads to the new card those who may read both boards', async (t) => {
  const { card } = await populate(world);
  const [first, second] = [await newTarget(), await newTarget()];
  const { body } = await move(card.id, first);
  const get = (token: string, id = card.id) => api.request('GET', `/cards/${id}`, { token });
  const found = await get(owner.token);
  t.strictSame([found.status, found.headers.get('location')], [308, `/cards/${body.id}`]);
  for (const { token } of [helper, stranger]) expectRefusal(t, await get(token), 404, 'Card not found');
  for (const request of ['PATCH', 'DELETE'] as const) {
    expectRefusal(t, await api.request(request, `/cards/${card.id}`, { token: owner.token, json: {} }), 404, 'Card not found');
  }
  t.equal((await api.request('GET', `/cards/${card.id}/comments`, { token: owner.token })).status, 404);
  const narrow = await newKey(api, owner, { scopes: ['read'], board_ids: [card.board_id] });
  t.equal((await get(narrow.key)).status, 404, 'a key for the old board alone');
  const moved = await move(body.id, second);
  t.strictSame(
    [(await get(owner.token)).headers.get('location'), (await get(owner.token, body.id)).headers.get('location')],
    [`/cards/${body.id}`, `/cards/${moved.body.id}`],
  );
  await second.board.do(owner, `DELETE /cards/${moved.body.id}`);
  t.equal((await get(owner.token, body.id)).status, 404, 'it is deleted');
});

async function addWith(board: ScenarioBoard, role: string): Promise<TestUser> {
  const user = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id, role });
  return user;
}

t.test('MOVE2 only members of both boards move a card, with a key that is for both and may write', async (t) => {
  const { board, card, todo } = await populate(world);
  const target = await newTarget();
  const { token } = helper;
  expectRefusal(t, await move(card.id, target, token), 403, /not a member/);
  const [here, there] = [await addWith(target.board, 'member'), await addWith(board, 'member')];
  expectRefusal(t, await move(card.id, target, here.token), 403, /not a member/);
  expectRefusal(t, await move(card.id, target, there.token), 403, /not a member/);
  for (const role of ['commenter', 'viewer']) {
    const limited = await addWith(target.board, role);
    await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: limited.id });
    expectRefusal(t, await move(card.id, target, limited.token), 403, new RegExp(role));
    const alsoLimited = await addWith(board, role);
    await board.do(owner, `POST /boards/${target.board.id}/invite`, { user_id: alsoLimited.id });
    expectRefusal(t, await move(card.id, target, alsoLimited.token), 403, new RegExp(role));
  }
  const keys = await Promise.all([
    newKey(api, member, { scopes: ['read'] }),
    newKey(api, member, { scopes: ['read', 'write'], board_ids: [board.id] }),
    newKey(api, member, { scopes: ['read', 'write'], board_ids: [target.board.id] }),
  ]);
  for (const { key } of keys) t.equal((await move(card.id, target, key)).status, 403);
  const unknown = { id: randomUUID() } as ColumnJson;
  expectRefusal(t, await move(card.id, { board: target.board, column: unknown }), 404, 'Column not found');
  expectRefusal(t, await move(card.id, { board: { id: randomUUID() } as ScenarioBoard, column: todo }), 404, 'Board not found');
  const ownKey = board.id.slice(0, -1) + (board.id.endsWith('0') ? '1' : '0');
  expectRefusal(t, await move(card.id, { board: { id: ownKey } as ScenarioBoard, column: todo }), 404, 'Board not found');
  const archived = await target.board.do<ColumnJson>(owner, `POST /boards/${target.board.id}/columns`, { title: 'Old' });
  await target.board.do(owner, `POST /columns/${archived.id}/archive`);
  expectRefusal(t, await move(card.id, { board: target.board, column: archived }), 409, /archived/);
  const withoutColumn = { token: member.token, json: { board_id: target.board.id, position: 0 } };
  expectRefusal(t, await api.request('POST', `/cards/${card.id}/move`, withoutColumn), 422, /board_id/);
  const operations = [{ method: 'POST', path: `/cards/${card.id}/move`, body: { board_id: target.board.id, column_id: target.column.id } }];
  expectRefusal(t, await api.request('POST', `/boards/${board.id}/batch`, { token: member.token, json: { operations } }), 409, /board_id/);
  t.equal((await board.card(card.id)).column_id, todo.id, 'the card is where it was');
  const both = await newKey(api, member, { scopes: ['read', 'write'], board_ids: [board.id, target.board.id] });
  t.equal((await move(card.id, target, both.key)).status, 200);
});

t.test('MOVE2 a card that does not fit there stays as it was', async (t) => {
  const small = await startWorld(t, { MAX_BOARD_CARDS: '3' });
  const { board, card } = await populate(small);
  const target = await newTarget(small);
  for (const title of ['1', '2', '3'])
    await target.board.do(small.owner, `POST /boards/${target.board.id}/columns/${target.column.id}/cards`, { title });
  const before = await board.card(card.id);
  const json = { board_id: target.board.id, column_id: target.column.id };
  const key = randomUUID();
  const attempt = () => small.api.request('POST', `/cards/${card.id}/move`, { token: small.owner.token, json, headers: { 'idempotency-key': key } });
  expectRefusal(t, await attempt(), 409, /MAX_BOARD_CARDS/);
  expectRefusal(t, await attempt(), 409, /MAX_BOARD_CARDS/);
  t.strictSame(await board.card(card.id), before);
  await board.do(small.owner, `PATCH /cards/${card.id}`, { title: 'Free' });
  const [first] = (await target.board.do<BoardJson>(small.owner, `GET /boards/${target.board.id}`)).columns[0]?.cards ?? [];
  await target.board.do(small.owner, `DELETE /cards/${first?.id ?? ''}`);
  const moved = await attempt();
  t.equal(moved.status, 200, 'with room it goes, with the same key too');
  t.strictSame(await attempt().then(({ status, body }) => [status, body]), [200, moved.body], 'once');
  await small.app.close();
  t.match(await checkFolder(small.config.dataDir), { problems: [] });
});

t.test('MOVE1 files of any size come along, and links', async (t) => {
  const { board, plainCard } = await populate(world);
  const target = await newTarget();
  const large = new Uint8Array(700_000).map((_byte, index) => index % 251);
  for (const body of [fileForm(large, 'large.bin', 'application/octet-stream'), fileForm('', 'empty.txt')]) {
    t.equal((await api.request('POST', `/cards/${plainCard.id}/attachments`, { token: member.token, body })).status, 201);
  }
  await board.do(member, `POST /cards/${plainCard.id}/attachments`, { url: 'https://example.org/', title: 'A page' });
  const { body } = await move(plainCard.id, target);
  t.match(body.attachments, [{ name: 'large.bin', size: 700_000 }, { name: 'empty.txt', size: 0 }, { url: 'https://example.org/' }]);
  const file = await api.request<Uint8Array>('GET', `/attachments/${body.attachments[0]?.id ?? ''}`, { token: member.token });
  t.ok(Buffer.from(file.body).equals(large));
});

t.test('DEL3 an author who was never on the board of a moved card is nameless there after the deletion', async (t) => {
  const own = await startWorld(t);
  const { board, card } = await populate(own);
  await changeUser(own.config.dataDir, own.owner.id, { is_superuser: true });
  await board.do(own.helper, `POST /cards/${card.id}/comments`, { body: 'By the helper' });
  const there = await board.do<BoardJson>(own.owner, 'POST /boards', { title: 'Without the helper' });
  await board.do(own.owner, `POST /boards/${there.id}/invite`, { user_id: own.member.id });
  const column = await board.do<ColumnJson>(own.owner, `POST /boards/${there.id}/columns`, { title: 'Inbox' });
  const { id } = await board.do<Moved>(own.member, `POST /cards/${card.id}/move`, { board_id: there.id, column_id: column.id });
  const comments = (): Promise<{ comments: CommentJson[] }> => board.do(own.owner, `GET /cards/${id}/comments`);
  t.match(await comments(), { comments: [{ author_name: own.helper.username }, {}] });
  await board.do(own.owner, `DELETE /admin/users/${own.helper.id}`);
  await untilResolved(async () => {
    if (JSON.stringify(await comments()).includes(own.helper.username)) throw new Error('the name is still there');
  });
});

t.test('MOVE2 a user has few moves under way', async (t) => {
  const { board, todo } = await populate(world);
  const target = await newTarget();
  const cards = [];
  for (let index = 0; index < 6; index += 1) {
    cards.push(await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: `${index}` }));
  }
  const answers = await Promise.all(cards.map(({ id }) => move(id, target)));
  t.strictSame([...new Set(answers.map(({ status }) => status))].sort(), [200, 429]);
  const [refused] = answers.filter(({ status }) => status === 429);
  t.equal(refused?.headers.get('retry-after'), '2');
  for (const [index, { status }] of answers.entries()) if (status === 429) t.equal((await move(cards[index]?.id ?? '', target)).status, 200);
});
