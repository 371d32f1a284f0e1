import t from 'tap';
import { expectRefusal } from '../../support/http/refusals.js';
import type { ApiResponse } from '../../support/http/api.js';
import { newUser } from '../../support/http/users.js';
import { startTestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';

const INVALID = 'The invitation is not valid, was used up, or has expired';

t.test('REG4 who has the token of an invitation sees its board and inviter, and nothing is used up', async (t) => {
  const { api, config } = await startTestApp(t, { INVITATIONS: 'owners' });
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Plans' } });
  const { body: made } = await api.request<{ token: string; id: string }>('POST', '/invitations', { token: ann.token, json: { board_id: board.id } });
  const preview = (token: string): Promise<ApiResponse> => api.request('POST', '/invitations/preview', { json: { token } });
  for (let time = 0; time < 3; time += 1) {
    t.match(await preview(made.token), { status: 200, body: { inviter: ann.username, board: { id: board.id, title: 'Plans' } } });
  }
  expectRefusal(t, await preview(`${made.token.slice(0, -1)}_`), 403, INVALID);
  await changeUser(config.dataDir, ann.id, { is_active: false });
  expectRefusal(t, await preview(made.token), 403, INVALID, 'of an inactive inviter');
  await changeUser(config.dataDir, ann.id, { is_active: true });
  t.equal((await preview(made.token)).status, 200);
  t.equal((await api.request('POST', '/invitations/accept', { token: ben.token, json: { token: made.token } })).status, 200);
  expectRefusal(t, await preview(made.token), 403, INVALID, 'used up');
});

t.test('REG4 guesses of tokens are limited by address', async (t) => {
  const { api } = await startTestApp(t);
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    statuses.push((await api.request('POST', '/invitations/preview', { json: { token: `swi_${String(guess).padStart(32, 'x')}` } })).status);
  }
  t.strictSame(statuses.slice(0, 5), [403, 403, 403, 403, 403]);
  t.ok(statuses.includes(429), String(statuses));
});

t.test('REG4 the ways in say who can invite', async (t) => {
  for (const INVITATIONS of ['owners', 'superusers']) {
    const { api } = await startTestApp(t, { INVITATIONS });
    t.match((await api.request('GET', '/auth/methods')).body, { invitations: INVITATIONS });
  }
});
