import t from 'tap';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';

const world = await enterWorld();
const { api, app, owner } = world;

const MINUTE_MS = 60_000;
/** Until a reminder, so that it is set before it is due. */
const SOON_MS = 1_500;

interface WatchingJson {
  readonly watching: ReadonlyArray<{ readonly kind: string; readonly id: string; readonly board_id: string }>;
  readonly next: string | null;
}

async function listed(token: string, query = ''): Promise<WatchingJson> {
  const { status, body } = await api.request<WatchingJson>('GET', `/me/watching${query}`, { token });
  t.equal(status, 200);
  return body;
}

/** A viewer of a new board, and what the feed of their socket told. */
async function newViewer() {
  const { board, todo, plainCard: card } = await populate(world);
  const user = await newUser(api);
  const socket = await TestSharedSocket.enter(app.url, user);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id, role: 'viewer' });
  const told = async (kind: string): Promise<object> => socket.find((message) => JSON.stringify(message).includes(`"kind":"${kind}"`));
  return { board, todo, card, user, told };
}

t.test('WATCH2 an invitation, a comment and a move reach who watches, and the list shows what they chose', async (t) => {
  const { board, todo, card, user, told } = await newViewer();
  const by = { id: owner.id, username: owner.username };
  t.match(await told('invited'), {
    type: 'user.notification',
    board_id: board.id,
    notification: { user: by, card_id: null, title: (await board.do<{ title: string }>(owner, `GET /boards/${board.id}`)).title },
  });
  t.strictSame(await board.do(user, `GET /cards/${card.id}/watch`), { watching: false });
  t.strictSame(await board.do(user, `PUT /boards/${board.id}/watch`), { watching: true });
  t.strictSame(await board.do(user, `PUT /cards/${card.id}/watch`), { watching: true });
  t.strictSame(await board.do(user, `GET /columns/${todo.id}/watch`), { watching: true }, 'with its board');
  const { id: comment } = await board.do<{ id: string }>(owner, `POST /cards/${card.id}/comments`, { body: 'Look.' });
  t.match(await told('commented'), { notification: { user: by, card_id: card.id, comment_id: comment, title: card.title } });
  const { id: column_id } = await board.do<{ id: string }>(owner, `POST /boards/${board.id}/columns`, { title: 'Next' });
  await board.do(owner, `POST /cards/${card.id}/move`, { column_id });
  t.match(await told('moved'), { notification: { user: by, card_id: card.id, comment_id: null } });

  const due_at = new Date(Date.now() + MINUTE_MS + SOON_MS).toISOString();
  await board.do(owner, `PATCH /cards/${card.id}`, { due_at, reminder_minutes: 1 });
  t.match(await told('due'), { notification: { user: null, card_id: card.id, due_at } });

  const own = [
    { kind: 'card', id: card.id, board_id: board.id },
    { kind: 'board', id: board.id, board_id: board.id },
  ];
  t.strictSame(await listed(user.token), { watching: own, next: null });
  const first = await listed(user.token, '?limit=1');
  t.strictSame(first.watching, own.slice(0, 1));
  t.strictSame(await listed(user.token, `?limit=1&before=${first.next}`), { watching: own.slice(1), next: null });
  t.strictSame(await board.do(user, `DELETE /cards/${card.id}/watch`), { watching: false });
  t.strictSame((await listed(user.token)).watching, own.slice(1));
  await board.do(owner, `DELETE /boards/${board.id}/members/${user.id}`);
  t.strictSame(await listed(user.token), { watching: [], next: null });
});

t.test('WATCH2 what is watched stays with a card in the archive and the trash, and is in no export and no copy', async (t) => {
  const { board, card, user } = await newViewer();
  await board.do(user, `PUT /cards/${card.id}/watch`);
  await board.do(owner, `POST /cards/${card.id}/archive`);
  t.equal((await api.request('PUT', `/cards/${card.id}/watch`, { token: user.token })).status, 409);
  await board.do(owner, `POST /cards/${card.id}/restore`, {});
  await board.do(owner, `DELETE /cards/${card.id}`);
  t.equal((await listed(user.token)).watching.length, 1);
  await board.do(owner, `POST /boards/${board.id}/trash/${card.id}/restore`, {});
  t.strictSame(await board.do(user, `GET /cards/${card.id}/watch`), { watching: true });
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  t.notMatch(JSON.stringify(document), /watch/);
  await board.do(owner, `DELETE /cards/${card.id}`);
  await board.do(owner, `DELETE /boards/${board.id}/trash/${card.id}`);
  t.strictSame((await listed(user.token)).watching, [], 'it goes with the card');
});

t.test('WATCH2 the list is for who is logged in; a key of some boards lists these', async (t) => {
  const { board, user } = await newViewer();
  const other = await newBoardOf(user);
  for (const id of [board.id, other]) t.equal((await api.request('PUT', `/boards/${id}/watch`, { token: user.token })).status, 200);
  t.equal((await api.request('GET', '/me/watching')).status, 401);
  t.match(await api.request('GET', '/me/watching?before=x', { token: user.token }), { status: 422, body: { detail: /before/ } });
  const { key } = await newKey(api, user, { scopes: ['read'], board_ids: [other] });
  t.strictSame((await listed(key)).watching, [{ kind: 'board', id: other, board_id: other }]);
  t.equal((await listed(user.token)).watching.length, 2);
});

async function newBoardOf({ token }: TestUser): Promise<string> {
  const { body } = await api.request<{ id: string }>('POST', '/boards', { token, json: { title: 'Own' } });
  return body.id;
}
