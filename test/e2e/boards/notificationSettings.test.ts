import t from 'tap';
import type { NotificationSettings } from '../../../src/client/resources.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { newUser } from '../../support/http/users.js';
import { until } from '../../support/until.js';

const world = await enterWorld();
const { api, owner } = world;
const MINUTE_MS = 60_000;
/** Until the reminder: by then the board knows when the user wants it. */
const SOON_MS = 3_000;
const PATH = '/me/notification-settings';

const DEFAULTS: NotificationSettings = {
  reminder_minutes: 1_440,
  kinds: {
    assigned: { app: true, mail: 'daily' },
    mentioned: { app: true, mail: 'daily' },
    commented: { app: true, mail: 'off' },
    moved: { app: true, mail: 'off' },
    due: { app: true, mail: 'now' },
    invited: { app: true, mail: 'daily' },
  },
  boards: {},
};

t.test('NOTICE2 a user sets what they want of notices, by kind and board; what is left out has its default', async (t) => {
  const { board } = await populate(world);
  const user = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
  const get = () => api.request<NotificationSettings>('GET', PATH, { token: user.token });
  const put = (json: object) => api.request<NotificationSettings>('PUT', PATH, { token: user.token, json });
  t.match(await get(), { status: 200, body: DEFAULTS });
  const boards = { [board.id]: { app: false, mail: 'daily' } } as const;
  const changed = { ...DEFAULTS, reminder_minutes: -1, kinds: { ...DEFAULTS.kinds, moved: { app: false, mail: 'now' } }, boards };
  t.strictSame((await put({ reminder_minutes: -1, kinds: { moved: { app: false, mail: 'now' } }, boards })).body, changed);
  t.strictSame((await get()).body, changed);
  t.strictSame((await put({ boards: { [board.id.toUpperCase()]: { app: false } } })).body.boards, { [board.id]: { app: false, mail: 'now' } });
  t.match(await api.request('GET', PATH), { status: 401 });
  t.match(await api.request('PUT', PATH, { json: {} }), { status: 401 });
});

t.test('REMIND1 a card that does not say when reminds each at their own time', async (t) => {
  const { board, plainCard: card } = await populate(world);
  const user = await newUser(api);
  await board.do(owner, `POST /boards/${board.id}/invite`, { user_id: user.id });
  const assignees = { user_ids: [user.id, owner.id] };
  await board.do(owner, `PUT /cards/${card.id}/assignees`, assignees);
  await board.do(owner, `PATCH /cards/${card.id}`, { due_at: new Date(Date.now() + MINUTE_MS + SOON_MS).toISOString() });
  t.equal((await api.request('PUT', PATH, { token: user.token, json: { reminder_minutes: 1 } })).status, 200);
  const kindsOf = async ({ token }: { readonly token: string }): Promise<readonly string[]> => {
    const { body } = await api.request<{ notifications: ReadonlyArray<{ kind: string; board_id: string }> }>('GET', '/me/notifications', { token });
    return body.notifications.flatMap(({ kind, board_id }) => (board_id === board.id ? [kind] : []));
  };
  await until(async () => (await kindsOf(user)).includes('due'));
  t.notOk((await kindsOf(owner)).includes('due'), 'a day before is over for the others');
});

t.test('NOTICE2 bad settings are refused by their names, and changes have a limit', async (t) => {
  const { board } = await populate(world);
  const user = await newUser(api);
  const put = (json: object) => api.request('PUT', PATH, { token: user.token, json });
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [board.id.slice(0, -4) + String(1_000 + n), { app: false }]));
  for (const [json, detail] of [
    [{ reminder_minutes: -2 }, /^reminder_minutes: /],
    [{ kinds: { due: { mail: 'hourly' } } }, /^kinds\.due\.mail: /],
    [{ boards: { x: {} } }, /^boards\.x: /],
    [{ boards: { [board.id]: { app: false } } }, new RegExp(`^boards\\.${board.id}: must be a board that you are on$`)],
  ] as const) {
    t.match(await put(json), { status: 422, body: { detail } });
  }
  t.match(await put({ boards: many }), { status: 413, body: { detail: /at most 1000 keys/ } });
  for (let count = 1; count < 10; count += 1) t.match(await put({}), { status: 200 });
  const refused = await put({});
  t.match(refused, { status: 429, body: { detail: /10 times a minute \(MAX_PROFILE_CHANGES_PER_MINUTE\)/ } });
  t.ok(Number(refused.headers.get('retry-after')) > 0);
});
