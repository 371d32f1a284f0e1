import t from 'tap';
import type { Account } from '../../src/domain/account/user.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';
import { expectRefusal } from '../support/http/refusals.js';
import { logIn, newRegistration, newUser } from '../support/http/users.js';

for (const threads of ['0', '2']) {
  t.test(`accounts work the same with SHARD_THREADS=${threads}`, async (t) => {
    const { api, config, close } = await startTestApp(t, { SHARD_THREADS: threads });
    const health = await api.request('GET', '/health');
    t.strictSame(health.body, { status: 'ok', database: 'connected', pubsub: 'embedded' });
    const { id, token, email, username, password } = await newUser(api);
    const taken = newRegistration({ email: email.toUpperCase() });
    const duplicate = await api.request('POST', '/auth/register', { json: taken });
    expectRefusal(t, duplicate, 409, 'A user with this e-mail address is already registered');
    const renamed = await api.request<Account>('PATCH', '/auth/me', { token, json: { firstname: 'Ann' } });
    t.equal(renamed.body.firstname, 'Ann');
    t.strictSame((await api.request('GET', '/auth/me', { token })).body, renamed.body, 'a change is seen at once');
    const found = await api.request('GET', `/users?search=${username}`, { token });
    const { language: _language, time_zone: _zone, ...profile } = renamed.body;
    t.strictSame(found.body, [profile]);
    const change = { current_password: password, new_password: 'new secret' };
    t.equal((await api.request('POST', '/auth/change-password', { token, json: change })).status, 200);
    t.ok(await logIn(api, email, 'new secret'));
    await changeUser(config.dataDir, id, { is_active: false });
    expectRefusal(t, await api.request('GET', '/auth/me', { token }), 401, 'The user is unknown or deactivated');
    await changeUser(config.dataDir, id, { is_active: true });
    await close();

    const other = threads === '0' ? '2' : '0';
    const again = await startTestApp(t, { SHARD_THREADS: other, DATA_DIR: config.dataDir });
    const kept = await again.api.request('GET', '/auth/me', { token: await logIn(again.api, email, 'new secret') });
    t.strictSame(kept.body, renamed.body, 'and the data is the same for both');
  });
}
