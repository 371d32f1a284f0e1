import t from 'tap';
import type { CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newKey } from '../../support/http/keys.js';
import { newUser } from '../../support/http/users.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';

const world = await enterWorld();
const { api, app, owner } = world;
const MINUTE_MS = 60_000;
/** Until a reminder, so that it is set before it is due. */
const SOON_MS = 1_500;

interface PageJson {
  readonly notifications: Array<{ readonly id: string; readonly kind: string; readonly title: string | null; readonly read_at: string | null }>;
  readonly unread: number;
  readonly next: string | null;
}

async function page(token: string, query = ''): Promise<PageJson> {
  const { status, body } = await api.request<PageJson>('GET', `/me/notifications${query}`, { token });
  t.equal(status, 200);
  return body;
}

t.test('NOTICE2 a mention, an assignment and a date reach the user’s sockets and list, and are marked as read', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const user = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
  const socket = await TestSharedSocket.enter(app.url, user);
  const bystander = await TestSharedSocket.enter(app.url, owner);
  const told = async (kind: string): Promise<object> => socket.find((message) => JSON.stringify(message).includes(`"kind":"${kind}"`));
  await board.do(owner, `PUT /cards/${card.id}/assignees`, { user_ids: [user.id, owner.id] });
  const { id: comment } = await board.do<{ id: string }>(owner, `POST /cards/${card.id}/comments`, { body: `@${user.username}, @${owner.username}` });
  const due_at = new Date(Date.now() + MINUTE_MS + SOON_MS).toISOString();
  const changed = await board.do<CardJson>(owner, `PATCH /cards/${card.id}`, { due_at, reminder_minutes: 1 });
  t.match(changed, { due_at, reminder_minutes: 1 });
  const by = { id: owner.id, username: owner.username };
  const about = { board_id: board.id, card_id: card.id, title: card.title };
  t.match(await told('assigned'), { type: 'user.notification', board_id: board.id, notification: { ...about, user: by, comment_id: null } });
  t.match(await told('mentioned'), { notification: { ...about, user: by, comment_id: comment } });
  t.match(await told('due'), { notification: { ...about, user: null, due_at, is_late: false } });

  const { notifications, unread } = await page(user.token);
  t.strictSame([notifications.map(({ kind }) => kind), unread], [['due', 'mentioned', 'assigned', 'invited'], 4]);
  const first = await page(user.token, '?limit=2');
  t.match(await page(user.token, `?limit=2&before=${first.next}`), { notifications: [{ kind: 'assigned' }, { kind: 'invited' }], next: null });
  const read = (ids?: readonly string[]) => api.request('POST', '/me/notifications/read', { token: user.token, json: { ids } });
  t.match(await read([notifications[0]?.id ?? '']), { status: 200, body: { unread: 3 } });
  t.match(await page(user.token, '?unread=true'), { notifications: [{ kind: 'mentioned' }, { kind: 'assigned' }, { kind: 'invited' }], unread: 3 });
  t.match(await read(), { status: 200, body: { unread: 0 } });
  t.ok((await page(user.token)).notifications.every(({ read_at }) => read_at !== null));
  t.match(await page(owner.token), { notifications: [{ kind: 'due' }] }, 'the date concerns the owner too, and nothing else does');
  await bystander.find('user.notification');

  await board.do(owner, `DELETE /boards/${board.id}/members/${user.id}`);
  t.ok(
    (await page(user.token)).notifications.every(({ title }) => title === null),
    'of a lost board nothing is shown',
  );
});

t.test('REMIND1 bad minutes are refused by their name; exports have them, and imports keep them', async (t) => {
  const { board, todo, plainCard: card } = await populate(world);
  for (const reminder_minutes of [-2, 43_201, 0.5, '60']) {
    const answer = await api.request('PATCH', `/cards/${card.id}`, { token: owner.token, json: { reminder_minutes } });
    t.match(answer, { status: 422, body: { detail: /reminder_minutes/ } });
  }
  const json = { title: 'due', due_at: '2099-01-02', reminder_minutes: -1 };
  t.match(await board.do(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, json), { reminder_minutes: -1 });
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const { board: copy } = await board.do<{ board: { id: string } }>(owner, 'POST /boards/import', document);
  t.match(JSON.stringify(await board.do(owner, `GET /boards/${copy.id}`)), /"reminder_minutes":-1/);
});

t.test('NOTICE2 bad parameters are refused by their names; a key needs the scope, and must be for all boards', async (t) => {
  const { board } = await populate(world);
  for (const [query, detail] of [
    ['?limit=0', /limit/],
    ['?unread=perhaps', /unread/],
    ['?before=x', /before: must be the `next` of another page/],
  ] as const) {
    t.match(await api.request('GET', `/me/notifications${query}`, { token: owner.token }), { status: 422, body: { detail } });
  }
  t.match(await api.request('POST', '/me/notifications/read', { token: owner.token, json: { ids: ['x'] } }), {
    status: 422,
    body: { detail: /ids/ },
  });
  t.equal((await api.request('GET', '/me/notifications')).status, 401);
  t.equal((await api.request('POST', '/me/notifications/read', { json: {} })).status, 401);
  const reader = await newKey(api, owner, { scopes: ['read'] });
  t.equal((await api.request('GET', '/me/notifications', { token: reader.key })).status, 200);
  t.equal((await api.request('POST', '/me/notifications/read', { token: reader.key, json: {} })).status, 403);
  const narrow = await newKey(api, owner, { scopes: ['read'], board_ids: [board.id] });
  t.equal((await api.request('GET', '/me/notifications', { token: narrow.key })).status, 403);
});
