/** Deleted boards and their way back, over HTTP and sockets. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { startApp } from '../../../src/app.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { enterWorld, send, startWorld, type World } from '../../support/board/boardWorld.js';
import { FILE_CONTENT, populate } from '../../support/board/populatedBoard.js';
import { Api } from '../../support/http/api.js';
import { newKey } from '../../support/http/keys.js';
import { expectRefusal } from '../../support/http/refusals.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { TestSocket } from '../../support/realtime/socket.js';
import { changeUser } from '../../support/service/operator.js';
import { untilResolved } from '../../support/until.js';

interface DeletedBoards {
  readonly boards: ReadonlyArray<{ readonly id: string; readonly title: string; readonly deleted_at: string; readonly expires_at: string }>;
  readonly next: string | null;
}

interface Shown {
  readonly id: string;
  readonly updated_at: string;
  readonly updated_by: string;
}

const DAYS_MS = 30 * 86_400_000;
const world = await enterWorld();
const { api, app, owner, member, helper, stranger } = world;

const trashOf = async (user: TestUser, query = '', of: World = world): Promise<DeletedBoards> => send(of, user, `GET /me/trash${query}`);
const idsOf = async (user: TestUser, of: World = world): Promise<string[]> => (await trashOf(user, '', of)).boards.map(({ id }) => id);

async function newBoard(of: World, by: TestUser, title = 'Board'): Promise<string> {
  return (await send<{ id: string }>(of, by, 'POST /boards', { title })).id;
}

function restoration(board: string, token: string) {
  return api.request<{ detail: string }>('POST', `/boards/${board}/restore`, { token });
}

t.test('TRASH2 a deleted board answers as deleted, and comes back for its members with all that was on it', async (t) => {
  const { board, card, attachment, comment } = await populate(world);
  const before = await board.do<Shown>(owner, `GET /boards/${board.id}`);
  const socket = await TestSocket.open(api.url, board.id, { token: member.token });
  const feed = await TestSharedSocket.enter(app.url, member);
  await board.do(owner, `DELETE /boards/${board.id}`);
  t.match(await socket.closed, { code: 4410 });
  await feed.find(({ type, board_id }) => type === 'user.board_removed' && board_id === board.id);
  for (const request of [`/boards/${board.id}`, `/cards/${card.id}`, `/attachments/${attachment.id}`, `/boards/${board.id}/events`]) {
    t.equal((await api.request('GET', request, { token: owner.token })).status, 404, request);
  }
  t.match(await (await TestSocket.open(api.url, board.id, { token: owner.token })).closed, { code: 1008 });

  const [entry] = (await trashOf(owner)).boards;
  t.match(entry, { id: board.id, title: /./ });
  t.equal(Date.parse(entry?.expires_at ?? '') - Date.parse(entry?.deleted_at ?? ''), DAYS_MS);
  for (const user of [member, helper, stranger]) {
    t.notOk((await idsOf(user)).includes(board.id), 'who did not own it does not see it');
    expectRefusal(t, await restoration(board.id, user.token), 404, 'Board not found');
  }
  const { status, body, headers } = await api.request<Shown>('POST', `/boards/${board.id}/restore`, { token: owner.token });
  t.equal(status, 200);
  t.match(headers.get('etag'), /^"\d+"$/);
  const { updated_at: _at, updated_by: _by, ...same } = before;
  t.match(body, same, 'the same board, changed by who restored it');
  t.equal(body.updated_by, owner.id);
  await feed.find(({ type, board_id }) => type === 'user.board_added' && board_id === board.id);
  t.notOk((await idsOf(owner)).includes(board.id));
  for (const user of [owner, member, helper]) {
    t.ok(
      (await send<Shown[]>(world, user, 'GET /boards')).some(({ id }) => id === board.id),
      'it is on the lists',
    );
  }
  const file = await api.request<Uint8Array>('GET', `/attachments/${attachment.id}`, { token: member.token });
  t.equal(Buffer.from(file.body).toString(), FILE_CONTENT);
  t.match(await board.do(member, `GET /cards/${card.id}/comments`), { comments: [{ id: comment.id }] });
  const live = await TestSocket.open(api.url, board.id, { token: member.token });
  await live.find('user_joined');
  await board.do(owner, `PATCH /boards/${board.id}`, { title: 'Back' });
  t.match(await live.find('board.updated'), { data: { title: 'Back' } });
  t.equal((await restoration(board.id, owner.token)).status, 200, 'repeated, it answers the same');
  expectRefusal(t, await restoration(board.id, member.token), 403, /owner/);
  expectRefusal(t, await restoration(board.id, stranger.token), 403, /member/);
});

t.test('TRASH2 those restore a board who owned it when it was deleted, also with an API key that may write', async (t) => {
  const board = await newBoard(world, owner);
  const [second, demoted] = [await newUser(api), await newUser(api)];
  for (const { id: user_id } of [second, demoted]) await send(world, owner, `POST /boards/${board}/invite`, { user_id, role: 'owner' });
  await send(world, owner, `PATCH /boards/${board}/members/${demoted.id}`, { role: 'member' });
  const [write, read, other, narrow] = await Promise.all([
    newKey(api, second, { scopes: ['read', 'write'] }),
    newKey(api, second, { scopes: ['read'] }),
    newKey(api, second, { scopes: ['read', 'write'], board_ids: [await newBoard(world, second)] }),
    newKey(api, second, { scopes: ['read', 'write'], board_ids: [board] }),
  ]);
  await send(world, owner, `DELETE /boards/${board}`);
  t.strictSame([(await idsOf(second)).includes(board), await idsOf(demoted)], [true, []]);
  expectRefusal(t, await restoration(board, demoted.token), 404, 'Board not found');
  expectRefusal(t, await restoration(board, read.key), 403, /write/);
  expectRefusal(t, await restoration(board, other.key), 403, /member/);
  for (const { key } of [narrow, other]) t.equal((await api.request('GET', '/me/trash', { token: key })).status, 403, 'its list is of all boards');
  t.equal((await api.request('GET', `/boards/${board}`, { token: narrow.key })).status, 404);
  t.equal((await restoration(board, write.key)).status, 200);
  await send(world, second, `DELETE /boards/${board}`);
  t.equal((await restoration(board, narrow.key)).status, 200, 'a key for this board');
  expectRefusal(t, await restoration(randomUUID(), owner.token), 404, 'Board not found');
  t.equal((await api.request('POST', `/boards/${board}/restore`, {})).status, 401);
});

t.test('TRASH2 the list is paged, the latest first', async (t) => {
  const user = await newUser(api);
  const boards: string[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    boards.unshift(await newBoard(world, user, title));
    await send(world, user, `DELETE /boards/${boards[0]}`);
  }
  const { boards: first, next } = await trashOf(user, '?limit=2');
  t.strictSame(
    first.map(({ id }) => id),
    boards.slice(0, 2),
  );
  const rest = await trashOf(user, `?limit=2&before=${next ?? ''}`);
  t.match(rest, { boards: [{ id: boards[2], title: 'One' }], next: null });
  for (const query of ['?limit=0', '?before=x']) t.equal((await api.request('GET', `/me/trash${query}`, { token: user.token })).status, 422, query);
});

t.test('TRASH2 webhooks of a restored board are paused, and its invitation links are void', async (t) => {
  const own = await startWorld(t, { INVITATIONS: 'owners' });
  const board = await newBoard(own, own.owner);
  const hook = await send<{ id: string }>(own, own.owner, `POST /boards/${board}/webhooks`, { url: 'https://hooks.example.org/' });
  const link = await send<{ token: string }>(own, own.owner, 'POST /invitations', { board_id: board, max_uses: 5 });
  const guest = await newUser(own.api);
  await send(own, own.owner, `DELETE /boards/${board}`);
  await send(own, own.owner, `POST /boards/${board}/restore`);
  t.match(await send(own, own.owner, `GET /webhooks/${hook.id}`), { state: 'paused', paused_because: 'restored' });
  const accept = { token: guest.token, json: { token: link.token } };
  expectRefusal(t, await own.api.request('POST', '/invitations/accept', accept), 403, /invitation/i);
  t.strictSame(await send(own, own.owner, 'GET /invitations'), []);
  t.match(await send(own, own.owner, `POST /webhooks/${hook.id}/resume`), { state: 'active', paused_because: null });
});

t.test('TRASH3 a user who is deleted meanwhile is on no restored board, and what only they owned is restored by nobody', async (t) => {
  const own = await startWorld(t);
  const root = await newUser(own.api);
  await changeUser(own.config.dataDir, root.id, { is_superuser: true });
  const { board, card, comment } = await populate(own);
  const alone = await newBoard(own, own.member, 'Alone');
  for (const [user, id] of [
    [own.owner, board.id],
    [own.member, alone],
  ] as const) {
    await send(own, user, `DELETE /boards/${id}`);
  }
  await send(own, root, `DELETE /admin/users/${own.member.id}`);
  await untilResolved(() => send(own, own.owner, `POST /boards/${board.id}/restore`));
  const texts = [await send(own, own.owner, `GET /boards/${board.id}`), await send(own, own.owner, `GET /cards/${card.id}/comments`)].map((each) =>
    JSON.stringify(each),
  );
  for (const text of texts) t.notOk(text.includes(own.member.id) || text.includes(own.member.username));
  t.match(texts[1], comment.id, 'the comment is there');
  t.match(await send(own, own.owner, `GET /boards/${board.id}/events?since=0`), { resync: true }, 'and no event that may show them');
  await own.app.close();
  t.match(await checkFolder(own.config.dataDir), { problems: [] }, 'the folder is sound');
});

t.test('TRASH2 a restart changes nothing, and with no days all of it goes', async (t) => {
  const own = await startWorld(t);
  const [first, second] = [await newBoard(own, own.owner), await newBoard(own, own.owner)];
  for (const board of [first, second]) await send(own, own.owner, `DELETE /boards/${board}`);
  await own.app.close();
  t.match(await checkFolder(own.config.dataDir), { problems: [] });
  let again = { ...own, app: await startApp(own.config) };
  again = { ...again, api: await Api.connect(again.app.url) };
  t.strictSame((await idsOf(own.owner, again)).sort(), [first, second].sort());
  t.match(await send(again, own.owner, `POST /boards/${first}/restore`), { id: first });
  await again.app.close();

  const none = { ...own, app: await startApp({ ...own.config, trashDays: 0 }) };
  t.teardown(() => none.app.close());
  const last = { ...none, api: await Api.connect(none.app.url) };
  t.strictSame(await trashOf(own.owner, '', last), { boards: [], next: null });
  t.equal((await last.api.request('POST', `/boards/${second}/restore`, { token: own.owner.token })).status, 404);
  await send(last, own.owner, `DELETE /boards/${first}`);
  t.equal((await last.api.request('POST', `/boards/${first}/restore`, { token: own.owner.token })).status, 404);
});

t.test('TRASH4 deleted boards count among those of their creator and give way to new ones, the longest deleted first', async (t) => {
  const own = await startWorld(t, { MAX_BOARDS_PER_USER: '3' });
  const boards: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    boards.push(await newBoard(own, own.owner));
    await send(own, own.owner, `DELETE /boards/${boards[n]}`);
  }
  t.strictSame(await idsOf(own.owner, own), boards.toReversed());
  await newBoard(own, own.owner);
  t.strictSame(await idsOf(own.owner, own), boards.slice(1).reverse(), 'the first one gave way');
  t.equal((await own.api.request('POST', `/boards/${boards[0]}/restore`, { token: own.owner.token })).status, 404);
  await send(own, own.owner, `POST /boards/${boards[1]}/restore`);
  await send(own, own.owner, `POST /boards/${boards[2]}/restore`);
  expectRefusal(t, await own.api.request('POST', '/boards', { token: own.owner.token, json: { title: 'x' } }), 409, /MAX_BOARDS_PER_USER/);
});
