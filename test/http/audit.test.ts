import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { MAX_PER_HOUR, type AuditEntry } from '../../src/domain/audit.js';
import { auditEntries, auditLines, auditTexts } from '../support/http/audit.js';
import { newKey } from '../support/http/keys.js';
import { expectRefusal } from '../support/http/refusals.js';
import { codeOf, logInWith, turnOnFactor } from '../support/http/secondFactor.js';
import { logInPair, refresh } from '../support/http/sessions.js';
import { newUser, register, type TestUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { logLines } from '../support/service/logLines.js';
import { changeUser, operatorOf } from '../support/service/operator.js';
import { until } from '../support/until.js';

async function newAdmin({ api, config }: TestApp): Promise<TestUser> {
  const admin = await newUser(api);
  await changeUser(config.dataDir, admin.id, { is_superuser: true });
  return admin;
}

/** Waits for entries that are written off the path of the request. */
async function untilComplete(read: () => Promise<AuditEntry[]>, isComplete: (entries: AuditEntry[]) => boolean): Promise<AuditEntry[]> {
  return until(async () => {
    const entries = await read();
    return isComplete(entries) && entries;
  }, read);
}

t.test('AUDIT1 what changes accounts and access leaves an entry: who, from where, when, what', async (t) => {
  const app = await startTestApp(t);
  const { api, config } = app;
  const admin = await newAdmin(app);
  const headers = { 'user-agent': 'A browser', 'x-forwarded-for': '192.0.2.7' };
  const ann = await register(api);
  const other = await newUser(api);
  const send = async (method: string, path: string, token: string, json?: object): Promise<{ id: string }> => {
    const { status, body } = await api.request<{ id: string }>(method, path, { token, headers, ...(json === undefined ? {} : { json }) });
    t.ok(status < 300, `${method} ${path} answered ${status}`);
    return body;
  };
  t.equal((await logInWith(api, { ...ann, password: 'wrong' }, undefined, headers)).status, 401);
  const sessions = [await logInPair(api, ann, headers), await logInPair(api, ann, headers), await logInPair(api, ann, headers)];
  const token = sessions[0]?.access_token ?? '';
  const listed = (await api.request<Array<{ id: string; current: boolean }>>('GET', '/auth/sessions', { token })).body;
  await send('DELETE', `/auth/sessions/${listed.find(({ current }) => !current)?.id ?? ''}`, token);
  await send('DELETE', '/auth/sessions', token);
  t.equal((await refresh(api, sessions[2]?.refresh_token ?? '')).status, 401);
  await send('POST', '/auth/change-password', token, { current_password: ann.password, new_password: 'another password' });
  const factor = await turnOnFactor(api, { token, password: 'another password' });
  await send('POST', '/auth/factors/recovery-codes', token, { password: 'another password', code: factor.recoveryCodes[0] });
  await send('DELETE', '/auth/factors/totp', token, { password: 'another password', code: codeOf(factor, 1) });
  const board = await send('POST', '/boards', token, { title: 'A board' });
  await send('POST', `/boards/${board.id}/invite`, token, { user_id: other.id });
  await send('PATCH', `/boards/${board.id}/members/${other.id}`, token, { role: 'owner' });
  await send('DELETE', `/boards/${board.id}/members/${other.id}`, token);
  await send('DELETE', `/boards/${board.id}`, token);
  await send('POST', '/auth/logout', token);
  const invitation = await send('POST', '/invitations', admin.token, {});
  await send('DELETE', `/invitations/${invitation.id}`, admin.token);
  for (const verb of ['promote', 'demote', 'deactivate', 'activate']) await send('POST', `/admin/users/${ann.id}/${verb}`, admin.token);

  const read = (): Promise<AuditEntry[]> => auditEntries(api, admin.token, `&user_id=${ann.id}`);
  const entries = await untilComplete(read, (found) => found.some(({ kind }) => kind === 'board.deleted'));
  const kinds = entries.map(({ kind }) => kind).reverse();
  // Those of boards come off the path of the request, so their place may differ a little.
  t.strictSame([...kinds].sort(), [
    'board.deleted',
    'factor.disabled',
    'factor.enabled',
    'login',
    'login',
    'login',
    'login.failed',
    'logout',
    'member.added',
    'member.removed',
    'member.role_changed',
    'password.changed',
    'recovery_codes.renewed',
    'session.ended',
    'sessions.ended',
    'user.activated',
    'user.deactivated',
    'user.demoted',
    'user.promoted',
    'user.registered',
  ]);
  t.ok(
    entries.every(({ at }, index) => at <= (entries[index - 1]?.at ?? '~')),
    'the latest first',
  );
  const one = (kind: string): AuditEntry | undefined => entries.find((entry) => entry.kind === kind);
  const client = { address: '192.0.2.7', device: 'A browser' };
  t.match(one('login'), { user_id: ann.id, username: ann.username, ...client, details: { method: 'password' } });
  t.match(one('login.failed'), { user_id: ann.id, username: ann.username, ...client, details: { reason: 'password' } });
  t.match(one('member.role_changed'), { user_id: ann.id, subject_id: board.id, ...client, details: { user_id: other.id, role: 'owner' } });
  t.match(one('board.deleted'), { subject_id: board.id });
  t.match(one('user.promoted'), { user_id: admin.id, username: admin.username, subject_id: ann.id, ...client });
  const all = await auditEntries(api, admin.token);
  t.match(
    all.find(({ kind }) => kind === 'invitation.created'),
    { user_id: admin.id, subject_id: invitation.id },
  );
  t.match(
    all.find(({ kind }) => kind === 'invitation.revoked'),
    { user_id: admin.id, subject_id: invitation.id },
  );
  t.match(
    all.find(({ kind }) => kind === 'refresh.refused'),
    { user_id: null, address: '127.0.0.1' },
  );
  await app.close();
  const lines = await auditLines(config.dataDir);
  t.strictSame(new Set(lines.map(({ id }) => id)), new Set(all.map(({ id }) => id)), 'AUDIT5: the file has the same');
  t.equal(lines.length, all.length);
});

t.test('AUDIT1 superusers alone read the log, in pages, and a bad query is refused', async (t) => {
  const app = await startTestApp(t);
  const { api } = app;
  const user = await newUser(api);
  const admin = await newAdmin(app);
  t.equal((await api.request('GET', '/admin/audit')).status, 401);
  expectRefusal(t, await api.request('GET', '/admin/audit', { token: user.token }), 403, /./);
  for (const query of ['before=x', 'before=2030', 'limit=0', 'limit=201', 'user_id=x', 'kind=nothing']) {
    t.equal((await api.request('GET', `/admin/audit?${query}`, { token: admin.token })).status, 422, query);
  }
  const all = await untilComplete(
    () => auditEntries(api, admin.token),
    (found) => found.length >= 5,
  );
  const paged: AuditEntry[] = [];
  let next: string | null = '';
  while (next !== null) {
    const path: string = `/admin/audit?limit=2${next === '' ? '' : `&before=${next}`}`;
    const { body }: { body: { entries: AuditEntry[]; next: string | null } } = await api.request('GET', path, { token: admin.token });
    t.ok(body.entries.length > 0 && body.entries.length <= 2);
    paged.push(...body.entries);
    next = body.next;
  }
  t.strictSame(paged, all);
  const logins = await auditEntries(api, admin.token, '&kind=login');
  t.strictSame(
    logins,
    all.filter(({ kind }) => kind === 'login'),
  );
});

t.test('AUDIT3 no secret of any request is in the file, the rows or the log', async (t) => {
  const { log, text } = logLines();
  const app = await startTestApp(t, { METRICS_TOKEN: 'MARKED-metrics', JWT_SECRET: 'MARKED-jwt of the service, long enough' }, log);
  const { api, config } = app;
  const admin = await newAdmin(app);
  const secrets = ['MARKED', admin.token];
  const password = 'MARKED-password';
  const user = await newUser(api, { password });
  const attempt = (json: object, path: string, method = 'POST', token = user.token): Promise<unknown> => api.request(method, path, { token, json });
  // People type a password into the field of the name.
  await logInWith(api, { email: 'MARKED-typed-as-name', password });
  await logInWith(api, { ...user, password: 'MARKED-wrong' });
  await logInWith(api, user, 'MARKED-code');
  const pair = await logInPair(api, user);
  const renewed = (await refresh(api, pair.refresh_token)).body;
  await refresh(api, renewed.refresh_token);
  await refresh(api, pair.refresh_token);
  secrets.push(pair.access_token, pair.refresh_token, renewed.access_token, renewed.refresh_token, user.token);
  await attempt({ current_password: 'MARKED-wrong', new_password: 'MARKED-new' }, '/auth/change-password');
  await attempt({ current_password: password, new_password: 'MARKED-new' }, '/auth/change-password');
  await attempt({ password: 'MARKED-wrong' }, '/auth/factors/totp');
  const factor = await turnOnFactor(api, { token: user.token, password: 'MARKED-new' });
  secrets.push(...factor.recoveryCodes, factor.secret.toString('base64'), factor.secret.toString('hex'), `"${codeOf(factor)}"`);
  await attempt({ password: 'MARKED-new', code: 'MARKED-code' }, '/auth/factors/recovery-codes');
  await logInWith(api, { ...user, password: 'MARKED-new' }, factor.recoveryCodes[0]);
  await logInWith(api, { ...user, password: 'MARKED-new' }, factor.recoveryCodes[0]);
  await attempt({ password: 'MARKED-new', code: factor.recoveryCodes[1] }, '/auth/factors/totp', 'DELETE');
  const link = await api.request<{ token: string }>('POST', '/invitations', { token: admin.token, json: {} });
  secrets.push(link.body.token);
  await register(api, { password: 'MARKED-third', ...{ invitation: link.body.token } });
  await attempt({ token: 'MARKED-invitation' }, '/invitations/accept');
  await attempt({}, '/auth/logout');
  const entries = await untilComplete(
    () => auditEntries(api, admin.token),
    (found) => found.some(({ kind }) => kind === 'refresh.refused'),
  );
  t.ok(entries.length > 10, `${entries.length} entries`);
  t.ok(
    entries.some(({ kind, user_id, username }) => kind === 'login.failed' && user_id === null && username === null),
    'an unknown name is not stored',
  );
  await app.close();
  const lines = (await auditTexts(join(config.dataDir, 'audit'))).join('\n');
  t.match(lines, /"METRICS_TOKEN":"\(hidden\)"/);
  for (const [place, content] of Object.entries({ rows: JSON.stringify(entries), file: lines, log: text() })) {
    for (const secret of secrets) t.equal(content.includes(secret), false, `${place}: ${secret.slice(0, 12)}`);
  }
});

t.test('AUDIT7 a file that cannot be written stops no login, is logged once and is in the metrics', async (t) => {
  const { log, lines } = logLines();
  const dataDir = t.testdir();
  // A folder in the place of the file, which also stops root.
  mkdirSync(join(dataDir, 'audit', 'audit.log'), { recursive: true });
  const app = await startTestApp(t, { DATA_DIR: dataDir }, log);
  const admin = await newAdmin(app);
  const troubles = (): unknown[] => lines().filter(({ msg }) => msg === 'the audit file cannot be written');
  await until(() => troubles().length > 0);
  for (let login = 0; login < 3; login += 1) await logInPair(app.api, admin);
  const { body } = await app.api.request<Uint8Array>('GET', '/metrics', { token: admin.token });
  t.match(new TextDecoder().decode(body), /^switchboard_audit_file_failing 1$/m);
  t.equal((await auditEntries(app.api, admin.token, '&kind=login')).length, 4, 'the rows are there');
  t.equal(troubles().length, 1);
});

t.test('AUDIT8 a guesser fills neither the file nor the directory', async (t) => {
  const app = await startTestApp(t);
  const admin = await newAdmin(app);
  const user = await newUser(app.api);
  const guess = () => logInWith(app.api, { ...user, password: 'wrong' }, undefined, { 'x-forwarded-for': '203.0.113.9' });
  for (let failure = 0; failure < 30; failure += 1) await guess();
  const failures = (): Promise<AuditEntry[]> => auditEntries(app.api, admin.token, '&kind=login.failed');
  t.equal((await untilComplete(failures, (found) => found.length >= 5)).length, 5);
  await app.close();
  const lines = (await auditLines(app.config.dataDir)).filter(({ kind }) => kind === 'login.failed');
  t.strictSame(
    lines.slice(5).map(({ address, details }) => [address, details]),
    [['203.0.113.9', { more: 25 }]],
    'and a count at the end',
  );
});

t.test('AUDIT15 a user who changes roles too often is refused with the time to wait, and every change has its entry', async (t) => {
  const app = await startTestApp(t);
  const admin = await newAdmin(app);
  const [owner, other] = [await newUser(app.api), await newUser(app.api)];
  const { body: board } = await app.api.request<{ id: string }>('POST', '/boards', { token: owner.token, json: { title: 'A board' } });
  await app.api.request('POST', `/boards/${board.id}/invite`, { token: owner.token, json: { user_id: other.id } });
  const setRole = (role: string) => app.api.request('PATCH', `/boards/${board.id}/members/${other.id}`, { token: owner.token, json: { role } });
  const max = MAX_PER_HOUR['member.role_changed'];
  const answers = await Promise.all(Array.from({ length: max + 20 }, (_, time) => setRole(time % 2 === 0 ? 'owner' : 'member')));
  t.equal(answers.filter(({ status }) => status === 200).length, max, 'also of changes that arrive together');
  const refused = answers.filter(({ status }) => status === 429);
  t.equal(refused.length, 20);
  t.ok(Number(refused[0]?.headers.get('retry-after')) > 3_000);
  const changes = (): Promise<AuditEntry[]> => auditEntries(app.api, admin.token, '&kind=member.role_changed');
  t.equal((await untilComplete(changes, (found) => found.length >= max)).length, max);
});

t.test('AUDIT1 entries name the API key that acted', async (t) => {
  const app = await startTestApp(t);
  const { api, config } = app;
  const admin = await newAdmin(app);
  const [owner, other] = [await newUser(api), await newUser(api)];
  const key = await newKey(api, owner);
  const adminKey = await newKey(api, admin, { scopes: ['write', 'admin'] });
  const create = async (token: string): Promise<string> => {
    return (await api.request<{ id: string }>('POST', '/boards', { token, json: { title: 'A board' } })).body.id;
  };
  const board = await create(key.key);
  await api.request('POST', `/boards/${board}/invite`, { token: key.key, json: { user_id: other.id } });
  await api.request('DELETE', `/boards/${board}`, { token: key.key });
  await api.request('DELETE', `/boards/${await create(owner.token)}`, { token: owner.token });
  await api.request('POST', `/admin/users/${other.id}/deactivate`, { token: adminKey.key });
  const entries = await untilComplete(
    () => auditEntries(api, admin.token),
    (found) => found.filter(({ kind }) => kind === 'board.deleted').length === 2,
  );
  const keyOf = (kind: string): unknown =>
    entries
      .filter((entry) => entry.kind === kind)
      .map(({ details }) => details['key_id'])
      .reverse();
  t.strictSame(keyOf('member.added'), [key.id]);
  t.strictSame(keyOf('board.deleted'), [key.id, undefined], 'none without a key');
  t.strictSame(keyOf('user.deactivated'), [adminKey.id]);
  await app.close();
  const lines = await auditLines(config.dataDir);
  t.equal(lines.find(({ kind }) => kind === 'member.added')?.details['key_id'], key.id, 'also in the file');
});

t.test('AUDIT13 an import that makes others members or owners leaves entries with all of them', async (t) => {
  const app = await startTestApp(t);
  const { api } = app;
  const admin = await newAdmin(app);
  const [importer, owner, member] = [await newUser(api), await newUser(api), await newUser(api)];
  const withMembers = (members: object[]) =>
    api.request<{ board: { id: string } }>('POST', '/boards/import', {
      token: importer.token,
      json: { format: 'switchboard-board', version: 1, title: 'A board', members },
    });
  t.equal((await withMembers([{ email: importer.email, role: 'owner' }])).status, 201);
  const { body } = await withMembers([
    { email: owner.email, role: 'owner' },
    { email: member.email, role: 'member' },
    { email: 'nobody@example.org', role: 'owner' },
  ]);
  const imports = await untilComplete(
    () => auditEntries(api, admin.token, '&kind=board.imported'),
    (found) => found.length > 0,
  );
  t.equal(imports.length, 1, 'none for a board of the importer alone');
  t.match(imports, [{ user_id: importer.id, subject_id: body.board.id, address: '127.0.0.1' }]);
  const others = [`${owner.id} owner`, `${member.id} member`].sort();
  t.strictSame(String(imports[0]?.details['members']).split(', ').sort(), others);

  const json = JSON.stringify({
    format: 'switchboard-board',
    version: 1,
    title: 'A board',
    members: [owner, member].map(({ email }, index) => ({ email, role: index === 0 ? 'owner' : 'member' })),
  });
  const operator = await operatorOf(app.config.dataDir);
  await operator.importBoard(importer.id, { receive: (_maxBytes, onChunk) => onChunk(Buffer.from(json)) });
  const [byOperator] = await untilComplete(
    () => auditEntries(api, admin.token, '&kind=board.imported'),
    (found) => found.length > 1,
  );
  t.match(byOperator, { user_id: null, device: 'command line', details: { owner_id: importer.id } }, 'the operator’s too');
  t.strictSame(String(byOperator?.details['members']).split(', ').sort(), others);
});

t.test('AUDIT8 what was left out is in the metrics', async (t) => {
  const app = await startTestApp(t, { METRICS_TOKEN: 'a token' });
  const user = await newUser(app.api);
  for (let time = 0; time < 65; time += 1) await app.api.request('DELETE', '/auth/sessions', { token: user.token });
  const { body } = await app.api.request<Uint8Array>('GET', '/metrics', { token: 'a token' });
  t.match(new TextDecoder().decode(body), /^switchboard_audit_left_out_total{kind="sessions.ended"} 5$/m);
  await app.close();
  const lines = (await auditLines(app.config.dataDir)).filter(({ kind }) => kind === 'sessions.ended');
  t.match(lines.slice(60), [{ user_id: user.id, details: { more: 5 } }]);
});

t.test('AUDIT13 a start leaves the settings that differ from the defaults, without secrets', async (t) => {
  const app = await startTestApp(t, { METRICS_TOKEN: 'a token', MAX_BOARD_CARDS: '77', REGISTRATION: 'open' });
  const admin = await newAdmin(app);
  const [entry, ...others] = await untilComplete(
    () => auditEntries(app.api, admin.token, '&kind=service.started'),
    (found) => found.length > 0,
  );
  t.strictSame(others, []);
  t.match(entry, { user_id: null, details: { url: app.url, MAX_BOARD_CARDS: '77', METRICS_TOKEN: '(hidden)', SHARDS: '4', version: /\d/ } });
  for (const name of ['REGISTRATION', 'JWT_SECRET', 'MAX_BOARD_LABELS']) t.equal(name in (entry?.details ?? {}), false, name);
});

t.test('AUDIT5 the file can be turned off', async (t: Test) => {
  const app = await startTestApp(t, { AUDIT_LOG: 'off' });
  const admin = await newAdmin(app);
  t.ok((await auditEntries(app.api, admin.token)).length > 0);
  await app.close();
  t.equal(existsSync(join(app.config.dataDir, 'audit')), false);
  await t.rejects(readFile(join(app.config.dataDir, 'audit', 'audit.log')), { code: 'ENOENT' });
});
