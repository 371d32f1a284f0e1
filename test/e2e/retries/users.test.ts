/** Requests about users that are sent twice with one key. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { operations } from '../../../src/api/operations/table.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { Api, ApiRequest, ApiResponse } from '../../support/http/api.js';
import { changeUser } from '../../support/service/operator.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { logIn, newRegistration, newUser } from '../../support/http/users.js';
import { query } from '../../support/store/sqlFile.js';

const app = await startTestApp(t);
const { api } = app;

function once<Body>(to: Api, key: string, request: string, sent: ApiRequest = {}): Promise<ApiResponse<Body>> {
  const [method = '', path = ''] = request.split(' ');
  return to.request<Body>(method, path, { ...sent, headers: { ...sent.headers, 'idempotency-key': key } });
}

function replayed({ headers }: ApiResponse): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

/** Every answer kept in the data folder, as text. */
function keptIn({ config }: TestApp): string {
  const files = ['directory.sqlite', ...Array.from({ length: config.shards }, (_, n) => `shard-0${n}.sqlite`)];
  return JSON.stringify(files.map((file) => query(`${config.dataDir}/${file}`, 'SELECT * FROM answer')));
}

t.test('IDEM26 a registration with a key is carried out once, and its key belongs to nobody else', async (t) => {
  const json = newRegistration();
  const key = randomUUID();
  const [first, second] = await Promise.all([1, 2].map(() => once<PublicUser>(api, key, 'POST /auth/register', { json })));
  t.strictSame([first?.status, second?.status, second?.body], [201, 201, first?.body]);
  t.equal([first, second].filter((answer) => answer !== undefined && replayed(answer)).length, 1);
  t.ok(replayed(await once(api, key, 'POST /auth/register', { json })));
  t.equal((await once(api, randomUUID(), 'POST /auth/register', { json })).status, 409, 'another key is another request');
  const other = await once<PublicUser>(api, key, 'POST /auth/register', { json: newRegistration() });
  t.strictSame([other.status, replayed(other)], [201, false], 'strangers may have the same key');
  t.equal((await once(api, '', 'POST /auth/register', { json })).status, 422);
});

t.test('IDEM26 changes of users with a key are carried out once', async (t) => {
  const ann = await newUser(api);
  const { token } = ann;
  const rename = (key: string, firstname: string): Promise<ApiResponse<PublicUser>> =>
    once(api, key, 'PATCH /auth/me', { token, json: { firstname } });
  const first = await rename('a', 'First');
  t.equal((await rename('b', 'Second')).body.firstname, 'Second');
  const again = await rename('a', 'First');
  t.strictSame([again.status, again.body, replayed(again)], [200, first.body, true]);
  t.equal((await api.request<PublicUser>('GET', '/auth/me', { token })).body.firstname, 'Second');
  t.equal((await rename('a', 'Other')).status, 422);

  const json = { current_password: ann.password, new_password: 'another correct horse' };
  const change = (): Promise<ApiResponse> => once(api, 'password', 'POST /auth/change-password', { token, json });
  const [one, other] = await Promise.all([change(), change()]);
  t.strictSame([one.status, other.status, other.body], [200, 200, one.body]);
  const third = await change();
  t.strictSame([third.status, third.body, replayed(third)], [200, one.body, true], 'although the current password is another one now');
  await logIn(api, ann.email, json.new_password);
  t.notMatch(keptIn(app), /horse|argon2/, 'no password and no hash is kept');
});

t.test('IDEM26 also by administrators', async (t) => {
  const [admin, ben] = [await newUser(api), await newUser(api)];
  await changeUser(app.config.dataDir, admin.id, { is_superuser: true });
  const { token } = admin;
  for (const verb of ['deactivate', 'activate', 'promote', 'demote']) {
    const request = `POST /admin/users/${ben.id}/${verb}`;
    const first = await once(api, verb, request, { token });
    const second = await once(api, verb, request, { token });
    t.strictSame([first.status, second.status, second.body, replayed(second)], [200, 200, first.body, true], verb);
  }
  t.equal((await once(api, 'activate', `POST /admin/users/${admin.id}/activate`, { token })).status, 422);
  const invitation = await once<{ id: string }>(api, 'invite', 'POST /invitations', { token, json: {} });
  const revoke = `DELETE /invitations/${invitation.body.id}`;
  t.equal((await once(api, 'other', `DELETE /invitations/${ben.id}`, { token })).status, 404);
  for (const isReplayed of [false, true]) {
    const revoked = await once(api, 'revoke', revoke, { token });
    t.strictSame([revoked.status, replayed(revoked)], [204, isReplayed]);
  }
  t.strictSame([(await once(api, 'again', revoke, { token })).status, (await once(api, 'other', revoke, { token })).status], [404, 404]);
});

t.test('IDEM26 also the end of sessions', async (t) => {
  const ann = await newUser(api);
  const { token } = ann;
  const current = (await api.request<Array<{ id: string; current: boolean }>>('GET', '/auth/sessions', { token })).body;
  await logIn(api, ann.email, ann.password);
  const { body: sessions } = await api.request<Array<{ id: string; current: boolean }>>('GET', '/auth/sessions', { token });
  const other = sessions.find(({ id }) => id !== current[0]?.id)?.id;
  const end = (): Promise<ApiResponse> => once(api, 'end', `DELETE /auth/sessions/${other}`, { token });
  t.strictSame([(await end()).status, replayed(await end()), (await end()).status], [204, true, 204]);
  const endOthers = (): Promise<ApiResponse> => once(api, 'others', 'DELETE /auth/sessions', { token });
  t.equal((await endOthers()).status, 204);
  const later = await logIn(api, ann.email, ann.password);
  t.ok(replayed(await endOthers()));
  t.equal((await api.request('GET', '/auth/me', { token: later })).status, 200, 'a repetition ends no session that began since');
});

t.test('SESS22 an answer with a secret is never kept', async (t) => {
  const { email, password, token } = await newUser(api);
  const kept = (): number => keptIn(app).length;
  const before = kept();
  const form = { username: email, password };
  const first = await once<{ access_token: string }>(api, 'login', 'POST /auth/login', { form });
  const second = await once<{ access_token: string }>(api, 'login', 'POST /auth/login', { form });
  t.strictSame([first.status, second.status, replayed(second)], [200, 200, false]);
  t.equal((await once(api, 'login', 'POST /auth/login', { form: { ...form, password: 'wrong' } })).status, 401, 'the key has no effect');
  t.equal((await once(api, 'two words', 'POST /auth/logout', { token })).status, 422);
  t.equal((await once(api, 'logout', 'POST /auth/logout', { token })).status, 200);
  t.equal(kept(), before);
  const unkept = operations.filter(({ method, isAnswerKept }) => method !== 'GET' && isAnswerKept === false).map(({ name }) => name);
  // Accepting an invitation twice gives the same answer without a key, and so does asking for a mail, marking what was read, or restoring a board. A second factor is
  // changed with a code, which works once. Webhooks are changed in place, and a
  // secret that is asked for twice is another one.
  t.strictSame(unkept, [
    'auth.login',
    'auth.logout',
    'auth.forgotPassword',
    'auth.requestVerification',
    'auth.refresh',
    'auth.beginTotp',
    'auth.confirmTotp',
    'auth.renewRecoveryCodes',
    'auth.removeTotp',
    'key.create',
    'invitation.create',
    'invitation.preview',
    'invitation.accept',
    'notification.read',
    'notification.setSettings',
    'notification.unsubscribe',
    'board.restore',
    ...['create', 'update', 'delete', 'test', 'resume', 'replay', 'rotate'].map((name) => `webhook.${name}`),
    ...['create', 'update', 'delete', 'test', 'resume', 'replay', 'rotate'].map((name) => `adminWebhook.${name}`),
  ]);
});
