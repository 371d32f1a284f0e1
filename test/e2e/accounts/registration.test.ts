import t, { type Test } from 'tap';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';
import type { Api, ApiResponse } from '../../support/http/api.js';
import { newRegistration, newUser, register, type TestUser } from '../../support/http/users.js';
import { range } from '../../support/realtime/realtimeBoard.js';
import { startTestApp, WITH_THREADS, type TestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { query } from '../../support/store/sqlFile.js';

interface Link {
  readonly id: string;
  readonly token: string;
}

/** A service on a folder with one superuser and one other user, whoever may register. */
async function start(t: Test, settings: Record<string, string>): Promise<{ app: TestApp; api: Api; root: TestUser; ann: TestUser }> {
  const open = await startTestApp(t);
  const [root, ann] = [await newUser(open.api), await newUser(open.api)];
  await changeUser(open.config.dataDir, root.id, { is_superuser: true });
  await open.close();
  const app = await startTestApp(t, { ...settings, DATA_DIR: open.config.dataDir });
  return { app, api: app.api, root, ann };
}

async function invite(api: Api, { token }: TestUser, json: object = {}): Promise<Link> {
  const { status, body } = await api.request<Link>('POST', '/invitations', { token, json });
  if (status !== 201) throw new Error(`the invitation was refused with ${status}: ${JSON.stringify(body)}`);
  return body;
}

const join = (api: Api, invitation?: string): Promise<{ status: number; body: unknown }> =>
  api.request('POST', '/auth/register', { json: { ...newRegistration(), ...(invitation === undefined ? {} : { invitation }) } });

/** Passwords are hashed for real, which is slow on a busy machine. */

t.test('REG1 registration can be closed: nobody registers, whatever they send', async (t) => {
  const { api, root } = await start(t, { REGISTRATION: 'closed' });
  t.match(await join(api), { status: 403, body: { detail: 'Registration is closed' } });
  t.match(await api.request('POST', '/auth/register', { json: { email: 1 } }), { status: 403 });
  const { token } = await invite(api, root);
  t.match(await join(api, token), { status: 403 }, 'nor with an invitation');
});

t.test('REG2 registration by invitation: a link counts its uses, and a refused registration uses nothing', async (t) => {
  const { api, root } = await start(t, { REGISTRATION: 'invite' });
  t.match(await join(api), { status: 403, body: { detail: 'Registration is by invitation only' } });
  t.match(await join(api, 'swi_nonsense'), { status: 403, body: { detail: /not valid/ } });
  const once = await invite(api, root);
  t.match(await join(api, once.token), { status: 201 });
  t.match(await join(api, once.token), { status: 403, body: { detail: /not valid/ } }, 'used up');
  const twice = await invite(api, root, { max_uses: 2 });
  t.match(await api.request('POST', '/auth/register', { json: { ...newRegistration({ email: root.email }), invitation: twice.token } }), {
    status: 409,
  });
  t.match(await join(api, twice.token), { status: 201 }, 'a refused registration uses nothing');
  t.match(await join(api, twice.token), { status: 201 });
  t.match(await join(api, twice.token), { status: 403 });
});

t.test('REG2 a link is used no more often than it allows, however many try at the same time', async (t) => {
  const { api, root } = await start(t, { ...WITH_THREADS, REGISTRATION: 'invite' });
  const { token } = await invite(api, root, { max_uses: 3 });
  const answers = await Promise.all(range(1, 12).map(() => join(api, token)));
  t.strictSame(answers.map(({ status }) => status).sort(), [...Array<number>(3).fill(201), ...Array<number>(9).fill(403)]);
});

t.test('REG4 an invitation leads onto a board with its role, for new users and for those who have an account', async (t) => {
  const { api, ann } = await start(t, { REGISTRATION: 'invite', INVITATIONS: 'owners' });
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  for (const role of ['owner', 'commenter', 'viewer']) {
    const link = await invite(api, ann, { board_id: board.id, role, max_uses: 2 });
    const person = newRegistration();
    t.match(await api.request('POST', '/auth/register', { json: { ...person, invitation: link.token } }), { status: 201 });
    const form = { username: person.email, password: person.password };
    const { body: login } = await api.request<{ access_token: string }>('POST', '/auth/login', { form });
    t.match(await api.request('GET', '/boards', { token: login.access_token }), { body: [{ id: board.id, role }] });
    const accepted = await api.request('POST', '/invitations/accept', { token: login.access_token, json: { token: link.token } });
    t.match(accepted, { status: 200, body: { board_id: board.id } }, 'a member uses nothing up');
    t.match(await api.request('GET', '/invitations', { token: ann.token }), { body: [{ id: link.id, uses: 1 }] });
    await api.request('DELETE', `/invitations/${link.id}`, { token: ann.token });
  }
});

t.test('REG10 twenty acceptances at once by one user use one', async (t) => {
  const { app, api, ann } = await start(t, { ...WITH_THREADS, INVITATIONS: 'owners', MAX_INVITES_PER_DAY: '40' });
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  const { token } = await invite(api, ann, { board_id: board.id, max_uses: 5 });
  const uses = async (): Promise<number | undefined> =>
    (await api.request<{ uses: number }[]>('GET', '/invitations', { token: ann.token })).body[0]?.uses;
  const accept = (user: TestUser): Promise<ApiResponse> => api.request('POST', '/invitations/accept', { token: user.token, json: { token } });
  const [ben, cat] = [await newUser(api), await newUser(api)];
  const answers = await Promise.all(range(1, 20).map(() => accept(ben)));
  t.strictSame(
    answers.map(({ status }) => status),
    Array<number>(20).fill(200),
  );
  t.equal(await uses(), 1);
  const granted = query(`${app.config.dataDir}/${DIRECTORY_FILE}`, 'SELECT count FROM granted_membership');
  t.strictSame(granted, [{ count: 1 }], 'and one membership that the inviter may grant');
  t.equal((await api.request('DELETE', `/boards/${board.id}/members/${ben.id}`, { token: ann.token })).status, 204);
  t.match(await accept(ben), { status: 403 }, 'removed: the link does not bring him back');
  t.match(await accept(cat), { status: 200 });
  t.equal(await uses(), 2);
});

t.test('REG2 an acceptance that the limit of the inviter refuses uses nothing', async (t) => {
  const { api, ann } = await start(t, { INVITATIONS: 'owners', MAX_INVITES_PER_DAY: '1' });
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  const { token } = await invite(api, ann, { board_id: board.id, max_uses: 2 });
  const [ben, cat] = [await newUser(api), await newUser(api)];
  const accept = (user: TestUser): Promise<ApiResponse> => api.request('POST', '/invitations/accept', { token: user.token, json: { token } });
  t.match([await accept(ben), await accept(cat)], [{ status: 200 }, { status: 429 }]);
  t.match(await api.request('GET', '/invitations', { token: ann.token }), { body: [{ uses: 1 }] });
});

t.test('REG4 who may not invite is refused, and at use the inviter must still be entitled', async (t) => {
  const { app, api, root, ann } = await start(t, { REGISTRATION: 'invite', INVITATIONS: 'owners' });
  const other = await newUser(api, { ...newRegistration(), ...{ invitation: (await invite(api, root)).token } } as never);
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  const create = (user: TestUser, json: object): Promise<unknown> => api.request('POST', '/invitations', { token: user.token, json });
  t.match(await create(ann, {}), { status: 403 }, 'an owner only to a board');
  t.match(await create(other, { board_id: board.id }), { status: 403 }, 'and only to an own one');
  t.match(await create(root, { board_id: board.id }), { status: 403 }, 'superusers as well');
  const ofOwner = await invite(api, ann, { board_id: board.id });
  await api.request('POST', `/boards/${board.id}/invite`, { token: ann.token, json: { user_id: other.id } });
  const setRole = (user: string, role: string, token: string): Promise<unknown> =>
    api.request('PATCH', `/boards/${board.id}/members/${user}`, { token, json: { role } });
  await setRole(other.id, 'owner', ann.token);
  await setRole(ann.id, 'member', other.token);
  t.match(await join(api, ofOwner.token), { status: 403 }, 'no longer an owner');
  await setRole(ann.id, 'owner', other.token);
  const ofRoot = await invite(api, root);
  await changeUser(app.config.dataDir, ann.id, { is_active: false });
  t.match(await join(api, ofOwner.token), { status: 403 }, 'deactivated');
  await changeUser(app.config.dataDir, root.id, { is_superuser: false });
  t.match(await join(api, ofRoot.token), { status: 403 }, 'no longer a superuser');
});

t.test('REG4 where only superusers invite, the invitation of one who was demoted is void, also to a board', async (t) => {
  const { app, api, root } = await start(t, { REGISTRATION: 'invite', INVITATIONS: 'superusers' });
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: root.token, json: { title: 'Team' } });
  const { token } = await invite(api, root, { board_id: board.id, role: 'owner', max_uses: 5 });
  t.match(await join(api, token), { status: 201 });
  await changeUser(app.config.dataDir, root.id, { is_superuser: false });
  t.match(await join(api, token), { status: 403 });
});

t.test('REG6 invitations are listed without their secret, and revoked by their creator or a superuser', async (t) => {
  const { api, root, ann } = await start(t, { INVITATIONS: 'owners' });
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  const [own, foreign] = [await invite(api, ann, { board_id: board.id }), await invite(api, root)];
  const list = async ({ token }: TestUser): Promise<string[]> =>
    (await api.request<Link[]>('GET', '/invitations', { token })).body.map(({ id }) => id);
  t.strictSame(await list(ann), [own.id]);
  t.strictSame((await list(root)).sort(), [own.id, foreign.id].sort(), 'a superuser sees all');
  t.notMatch(JSON.stringify((await api.request('GET', '/invitations', { token: root.token })).body), own.token.slice(4));
  const revoke = (user: TestUser, id: string): Promise<{ status: number }> => api.request('DELETE', `/invitations/${id}`, { token: user.token });
  t.equal((await revoke(ann, foreign.id)).status, 404, 'not hers');
  t.equal((await revoke(ann, own.id)).status, 204);
  t.equal((await revoke(ann, own.id)).status, 404);
  t.match(await join(api, own.token), { status: 403 }, 'and is of no use, also where everyone can register');
  for (const json of [{ max_uses: 0 }, { max_uses: 1.5 }, { expires_in_hours: 10_000 }, { role: 'king' }, { board_id: 'x' }]) {
    t.match(await api.request('POST', '/invitations', { token: root.token, json }), { status: 422 }, JSON.stringify(json));
  }
});

t.test('REG7 with a shared directory users find those on their boards, and others by exact e-mail address or username', async (t) => {
  const { api, root, ann } = await start(t, { USER_DIRECTORY: 'shared' });
  const [ben, cat] = [await newUser(api), await newUser(api)];
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Team' } });
  await api.request('POST', `/boards/${board.id}/invite`, { token: ann.token, json: { user_id: ben.id } });
  const find = async (user: TestUser, query = ''): Promise<string[]> =>
    (await api.request<Array<{ id: string }>>('GET', `/users${query}`, { token: user.token })).body.map(({ id }) => id).sort();
  t.strictSame(await find(ann), [ann.id, ben.id].sort());
  t.strictSame(await find(cat), [cat.id], 'alone');
  t.strictSame(await find(ann, `?search=${cat.email.slice(0, -1)}`), [], 'a part of the address of a stranger finds nothing');
  t.strictSame(await find(ann, `?search=${cat.email.toUpperCase()}`), [cat.id]);
  t.strictSame(await find(ann, `?search=${cat.username}`), [cat.id]);
  t.strictSame(await find(ann, `?search=${ben.username.slice(0, 12)}`), [ben.id], 'a part is enough on common boards');
  t.ok((await find(root)).includes(cat.id), 'superusers find everyone');
  const get = async (user: TestUser, id: string): Promise<number> => (await api.request('GET', `/users/${id}`, { token: user.token })).status;
  t.strictSame([await get(ann, ben.id), await get(ann, cat.id), await get(ann, ann.id), await get(root, cat.id)], [200, 404, 200, 200]);
  await api.request('DELETE', `/boards/${board.id}/members/${ben.id}`, { token: ann.token });
  t.strictSame(await find(ann), [ann.id], 'no longer on a common board');
  await register(api);
});
