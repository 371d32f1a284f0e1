import t from 'tap';
import * as v from 'valibot';
import { operation } from '../../src/api/operation/operation.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { logLines } from '../support/service/logLines.js';
import { changeUser, hashOf } from '../support/service/operator.js';
import { sendRaw } from '../support/http/rawHttp.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { newRegistration, newUser } from '../support/http/users.js';

t.test('LOG1 no log line contains a password, hash, token or cookie', async (t) => {
  const { log, text, lines } = logLines();
  const secret = 'the signing secret of this very test';
  const { api, url, config, close } = await startTestApp(t, { JWT_SECRET: secret }, log);
  const password = 'P4ssword-of-Ann';
  const { email, id, token } = await newUser(api, { password });
  const hash = await hashOf(config.dataDir, id);
  const json = { 'content-type': 'application/json' };

  await api.request('POST', '/auth/register', { json: newRegistration({ email, password }) });
  await api.request('POST', '/auth/register', { json: { password } });
  for (const body of [`{"password":"${password}",`, `{"password":"${password}","password":"${password}"}`]) {
    await api.request('POST', '/auth/register', { body, headers: json });
  }
  await api.request('POST', '/auth/login', { form: { username: email, password: `${password}-wrong` } });
  await api.request('POST', '/auth/login', { json: { username: email, password } });
  const change = { current_password: password, new_password: `${password}-new` };
  t.equal((await api.request('POST', '/auth/change-password', { token, json: change })).status, 200);
  await api.request('GET', '/auth/me', { headers: { cookie: `svc_auth=${token}` } });
  await api.request('GET', '/auth/me', { token: `${token}x` });
  await api.request('GET', `/auth/me?token=${token}`);
  await api.request('GET', `/users?search=${password}&access_token=${token}`, { token });
  await api.request('POST', '/auth/logout', { token });
  await changeUser(config.dataDir, id, { hashed_password: hash });
  for (const path of [`/ws/boards/${id}?token=${token}`, `/nothing?token=${token}`]) {
    await sendRaw(url, rawRequest(`GET ${path}`));
    await sendRaw(
      url,
      rawRequest(`GET ${path}`, [
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]),
    );
  }
  const ambiguous = ['Content-Length: 1', 'Content-Length: 1', `Cookie: svc_auth=${token}`];
  await t.rejects(sendRaw(url, rawRequest('POST /auth/register', ambiguous, 'x')), 'cut off');
  await close();

  t.ok(lines().filter(({ msg }) => msg === 'answered').length > 10, 'requests are logged');
  const [, payload = '', signature = ''] = token.split('.');
  const words = { cookie: 'svc_auth', bearer: 'Bearer', argon2: '$argon2' };
  const secrets = { password, hash, token, payload, signature, secret, ...words };
  for (const [name, value] of Object.entries(secrets)) t.notOk(text().includes(value), `no ${name}`);
});

t.test('HTTP8 a request is logged under its id, without its query', async (t) => {
  const { log, lines } = logLines();
  const { api } = await startTestApp(t, {}, log);
  await api.request('GET', '/api/users?search=private', { headers: { 'x-request-id': 'my-id' } });
  const line = lines().find(({ requestId }) => requestId === 'my-id');
  t.match(line, { method: 'GET', path: '/api/users', status: 401, milliseconds: Number, msg: 'answered' });
  t.notMatch(JSON.stringify(line), 'private');
});

t.test('HTTP6 the cause of a 500 is in the log, under the id that the client got', async (t) => {
  const faulty = operation({
    name: 'faulty',
    method: 'GET',
    path: '/faulty',
    access: 'public',
    tag: 'Test',
    summary: 'Fails',
    success: { status: 200, description: 'Never', schema: v.object({}) },
    handle: () => Promise.reject(new Error('the innermost cause')),
  });
  const { log, lines } = logLines();
  const { url } = await startEdge(t, [faulty], {}, { log });
  const response = await fetch(`${url}/faulty`);
  t.equal(response.status, 500);
  const line = lines().find(({ msg }) => msg === 'an operation failed');
  t.match(line, {
    level: 50,
    operation: 'faulty',
    requestId: response.headers.get('x-request-id'),
    err: { message: 'the innermost cause', stack: /logs\.test/ },
  });
});
