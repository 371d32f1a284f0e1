import t from 'tap';
import type { AuditEntry } from '../../src/domain/audit.js';
import type { Api } from '../support/http/api.js';
import { auditEntries } from '../support/http/audit.js';
import { newKey } from '../support/http/keys.js';
import { logInWith } from '../support/http/secondFactor.js';
import { logInPair } from '../support/http/sessions.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';
import { until } from '../support/until.js';

const ACCOUNTS = 11;
const ENTRIES_EACH = 210;
const AT_ONCE = 10;
/** Of a network in a minute. */
const FAILURES = 5;

/** A proxy on this machine is trusted, so a test can use any address. */
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });

/** Ends other sessions, of which there are none: the cheapest request with an entry. */
async function floodEntries({ url }: Api, { token }: TestUser): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (let sent = 0; sent < ENTRIES_EACH; sent += AT_ONCE) {
    const answers = Array.from({ length: AT_ONCE }, () => fetch(`${url}/auth/sessions`, { method: 'DELETE', headers }));
    await Promise.all(answers.map(async (answer) => (await answer).arrayBuffer()));
  }
}

t.test('AUDIT16 eleven accounts and a network that flood the audit log hide nothing of another user', async (t) => {
  const { api, config } = await startTestApp(t);
  const [admin, victim, ...accounts] = await Promise.all(Array.from({ length: ACCOUNTS + 2 }, () => newUser(api)));
  if (admin === undefined || victim === undefined) throw new Error('there are no users');
  await changeUser(config.dataDir, admin.id, { is_superuser: true });
  await Promise.all(accounts.map((account) => floodEntries(api, account)));
  const guess = (email: string) => logInWith(api, { email, password: 'wrong' }, undefined, from('203.0.113.1'));
  await Promise.all(Array.from({ length: FAILURES }, () => guess('nobody@example.org')));

  t.equal((await guess(victim.email)).status, 401);
  const { access_token: token } = await logInPair(api, victim, from('198.51.100.1'));
  const key = await newKey(api, { token });
  t.equal((await api.request('DELETE', `/auth/keys/${key.id}`, { token })).status, 204);
  const passwords = { current_password: victim.password, new_password: 'another long password' };
  t.equal((await api.request('POST', '/auth/change-password', { token, json: passwords })).status, 200);
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token, json: { title: 'A board' } });
  await api.request('POST', `/boards/${board.id}/invite`, { token, json: { user_id: admin.id } });
  await api.request('PATCH', `/boards/${board.id}/members/${admin.id}`, { token, json: { role: 'owner' } });
  t.equal((await api.request('DELETE', `/boards/${board.id}`, { token })).status, 204);
  t.equal((await api.request('POST', '/auth/logout', { token })).status, 200);

  const kinds = [
    'board.deleted',
    'key.created',
    'key.revoked',
    'login',
    'login.failed',
    'logout',
    'member.added',
    'member.role_changed',
    'password.changed',
  ];
  const ofVictim = (): Promise<AuditEntry[]> => auditEntries(api, admin.token, `&user_id=${victim.id}`);
  // Entries of boards and failures come off the path of the request, in the order in which they were recorded.
  const entries = await until(async () => {
    const found = await ofVictim();
    return found.some(({ kind }) => kind === 'board.deleted') && found;
  }, ofVictim);
  const found = new Set(entries.filter(({ address }) => address !== null).map(({ kind }) => kind));
  t.strictSame(
    kinds.filter((kind) => !found.has(kind as AuditEntry['kind'])),
    [],
    'every act of the victim has its entry',
  );
  t.ok(
    entries.some(({ kind, address }) => kind === 'login' && address === '198.51.100.1'),
    'also the login from a new network',
  );
});
