import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { VERSION } from '../../../src/version.js';
import { startTestApp, WITH_THREADS } from '../../support/service/app.js';
import { send, startWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';
import { changeUser } from '../../support/service/operator.js';
import { TestSocket } from '../../support/realtime/socket.js';
import { logIn, newUser } from '../../support/http/users.js';

const world = await startWorld(t, { ...WITH_THREADS, SHARDS: '2' });
const { api, owner, member } = world;
const root = await newUser(api, { username: 'root' });
await changeUser(world.config.dataDir, root.id, { is_superuser: true });

const OPERATIONS = [
  'GET /admin/cluster',
  'GET /admin/stats',
  'GET /admin/users',
  'GET /admin/audit',
  ...['activate', 'deactivate', 'promote', 'demote'].map((verb) => `POST /admin/users/${member.id}/${verb}`),
];

async function change(verb: string, id: string, token = root.token): Promise<{ status: number; body: PublicUser }> {
  return api.request<PublicUser>('POST', `/admin/users/${id}/${verb}`, { token });
}

t.test('ADMIN1 only superusers can use administration', async (t) => {
  for (const operation of OPERATIONS) {
    const [method = '', path = ''] = operation.split(' ');
    t.equal((await api.request(method, path)).status, 401, `${operation} without a credential`);
    t.equal((await api.request(method, path, { token: owner.token })).status, 403, `${operation} as an ordinary user`);
  }
  t.match(await send(world, member, 'GET /auth/me'), { is_active: true, is_superuser: false }, 'nothing was done');
});

t.test('ADMIN2 statistics count users, boards, memberships, instances and sockets', async (t) => {
  const before = await send<Record<string, number>>(world, root, 'GET /admin/stats');
  const { board } = await populate(world);
  const socket = await TestSocket.open(api.url, board.id, { token: owner.token });
  await socket.find('user_joined');
  const ina = await newUser(api);
  await change('deactivate', ina.id);
  const after = await send<Record<string, number>>(world, root, 'GET /admin/stats');
  const { users = 0, active_users = 0, boards = 0, memberships = 0 } = before;
  t.strictSame(after, {
    users: users + 1,
    active_users,
    boards: boards + 1,
    memberships: memberships + 3,
    instances: 1,
    sockets: 1,
  });
});

t.test('ADMIN2 the overview shows this instance and its partitions', async (t) => {
  const overview = await send<{ instances: object[] }>(world, root, 'GET /admin/cluster');
  t.match(overview, {
    pubsub: 'embedded',
    instances: [{ pid: process.pid, url: api.url, version: VERSION, leaving: false }],
  });
  t.equal(overview.instances.length, 1);
  t.match(overview.instances[0], { owns: ['directory', 'shard 0', 'shard 1'] });
});

t.test('ADMIN2 users can be listed, searched and paged', async (t) => {
  const all = await send<PublicUser[]>(world, root, 'GET /admin/users');
  const names = all.map(({ username }) => username);
  t.ok(names.includes('root') && names.includes(owner.username));
  t.strictSame(names, [...names].sort(), 'by username');
  t.strictSame(await send(world, root, `GET /admin/users?search=${owner.email}`), [{ has_second_factor: false, ...owner.user }]);
  const page = await send<PublicUser[]>(world, root, 'GET /admin/users?limit=2&offset=1');
  t.strictSame(page, all.slice(1, 3));
  const bad = await api.request('GET', '/admin/users?limit=0', { token: root.token });
  t.equal(bad.status, 422);
});

t.test('ADMIN5 deactivating and activating a user take effect at once', async (t) => {
  const user = await newUser(api);
  const { id: boardId } = await send<{ id: string }>(world, user, 'POST /boards', { title: 'Mine' });
  const socket = await TestSocket.open(api.url, boardId, { token: user.token });
  await socket.find('user_joined');
  const locked = await change('deactivate', user.id);
  t.match(locked, { status: 200, body: { id: user.id, is_active: false } });
  t.match(await socket.closed, { code: 1008 });
  t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 401);
  const login = { form: { username: user.email, password: user.password } };
  t.equal((await api.request('POST', '/auth/login', login)).status, 401);

  t.match(await change('activate', user.id), { status: 200, body: { id: user.id, is_active: true } });
  t.equal((await api.request('GET', '/auth/me', { token: user.token })).status, 401, 'the sessions of before stay ended');
  t.ok(await logIn(api, user.email, user.password));
});

t.test('ADMIN5 promoting and demoting a superuser take effect at once', async (t) => {
  const user = await newUser(api);
  const status = async (token = user.token): Promise<number> => (await api.request('GET', '/admin/stats', { token })).status;
  t.equal(await status(), 403);
  t.match(await change('promote', user.id), { status: 200, body: { id: user.id, is_superuser: true } });
  t.equal(await status(), 200);
  t.match(await change('demote', user.id), { status: 200, body: { id: user.id, is_superuser: false } });
  t.equal(await status(), 401, 'the sessions of the superuser have ended');
  t.equal(await status(await logIn(api, user.email, user.password)), 403);
});

t.test('ADMIN5 superusers cannot lock themselves out, and unknown users are not found', async (t) => {
  t.equal((await change('deactivate', root.id)).status, 409);
  t.equal((await change('demote', root.id)).status, 409);
  t.equal((await change('promote', root.id)).status, 200, 'changes that do not lock the caller out are allowed');
  for (const verb of ['activate', 'deactivate', 'promote', 'demote']) {
    t.equal((await change(verb, randomUUID())).status, 404, verb);
    t.equal((await change(verb, 'nobody')).status, 422, verb);
  }
  t.match(await send(world, root, 'GET /auth/me'), { is_active: true, is_superuser: true });
});

t.test('ADMIN1 when switched off, administration is neither served nor documented', async (t) => {
  const paths = async (url: string): Promise<string[]> => {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
    return Object.keys(document.paths).filter((path) => path.startsWith('/admin'));
  };
  t.equal((await paths(api.url)).length, 16, 'switched on, all of it is documented');

  const off = await startTestApp(t, { ADMIN_API: 'off' });
  const user = await newUser(off.api);
  await changeUser(off.config.dataDir, user.id, { is_superuser: true });
  t.strictSame(await paths(off.url), []);
  for (const operation of OPERATIONS) {
    const [method = '', path = ''] = operation.split(' ');
    const { status, body } = await off.api.request(method, path, { token: user.token });
    t.equal(status, 404, operation);
    t.strictSame(body, { detail: 'Not Found' });
  }
});
