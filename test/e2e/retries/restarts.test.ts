/** Requests that are sent again after a restart. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Api, ApiRequest, ApiResponse } from '../../support/http/api.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { fileForm } from '../../support/board/populatedBoard.js';
import { logIn, newUser } from '../../support/http/users.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { sql } from '../../support/store/sqlFile.js';

const SECRET = { JWT_SECRET: 'a secret of at least 32 characters' };

function once<Body>(to: Api, key: string, request: string, sent: ApiRequest = {}): Promise<ApiResponse<Body>> {
  const [method = '', path = ''] = request.split(' ');
  return to.request<Body>(method, path, { ...sent, headers: { ...sent.headers, 'idempotency-key': key } });
}

function create(to: Api, token: string): Promise<ApiResponse<BoardJson>> {
  return once(to, 'board', 'POST /boards', { token, json: { title: 'Mine' } });
}

function replayed({ headers }: ApiResponse): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

async function restarted(t: Test, before: TestApp, settings: Record<string, string> = SECRET): Promise<TestApp> {
  await before.close();
  return startTestApp(t, { DATA_DIR: before.config.dataDir, ...settings });
}

/** After a day. */
async function restartedLater(t: Test, before: TestApp): Promise<TestApp> {
  await before.close();
  for (let n = 0; n < before.config.shards; n += 1)
    sql(`${before.config.dataDir}/shard-0${n}.sqlite`, `UPDATE answer SET created_at = '2020-01-01T00:00:00.000Z'`);
  return startTestApp(t, { DATA_DIR: before.config.dataDir, ...SECRET });
}

t.test('IDEM29 kept answers survive a restart; with another secret a repetition is refused, never carried out', async (t) => {
  const first = await startTestApp(t, { DATA_DIR: await temporaryFolder(t), ...SECRET });
  const ann = await newUser(first.api);
  const made = await create(first.api, ann.token);
  const rename = (to: Api, token: string): Promise<ApiResponse> => once(to, 'name', 'PATCH /auth/me', { token, json: { firstname: 'Ann' } });
  await rename(first.api, ann.token);
  const second = await restarted(t, first);
  const again = await create(second.api, ann.token);
  t.strictSame([again.status, again.body, replayed(again)], [201, made.body, true]);
  t.ok(replayed(await rename(second.api, ann.token)));
  const third = await restarted(t, second, { JWT_SECRET: 'another secret of at least 32 characters' });
  const token = await logIn(third.api, ann.email, ann.password);
  t.equal((await create(third.api, token)).status, 422);
  t.equal((await rename(third.api, token)).status, 422);
  t.equal((await third.api.request<BoardJson[]>('GET', '/boards', { token })).body.length, 1);
});

t.test('IDEM20 a board is created once, however late the request is repeated', async (t) => {
  const first = await startTestApp(t, { DATA_DIR: await temporaryFolder(t), ...SECRET });
  const [ann, ben] = [await newUser(first.api), await newUser(first.api)];
  const made = await create(first.api, ann.token);
  await first.api.request('PATCH', `/boards/${made.body.id}`, { token: ann.token, json: { title: 'Renamed' } });
  const makeGone = (to: Api): Promise<ApiResponse<BoardJson & { detail: string }>> =>
    once(to, 'gone', 'POST /boards', { token: ann.token, json: { title: 'Gone' } });
  const gone = await makeGone(first.api);
  await first.api.request('DELETE', `/boards/${gone.body.id}`, { token: ann.token });
  const { body: document } = await first.api.request('GET', `/boards/${made.body.id}/export`, { token: ann.token });
  const importIt = (to: Api): Promise<ApiResponse<{ board: BoardJson; detail: string }>> =>
    once(to, 'imported', 'POST /boards/import', { token: ann.token, json: document });
  const imported = await importIt(first.api);
  t.equal(imported.status, 201);

  const copyIt = (to: Api): Promise<ApiResponse<BoardJson>> =>
    once(to, 'copied', `POST /boards/${made.body.id}/copy`, { token: ann.token, json: { title: 'Copied' } });
  const copied = await copyIt(first.api);
  t.equal(copied.status, 201);

  const { api } = await restartedLater(t, first);
  const late = await create(api, ann.token);
  t.strictSame([late.status, late.body.id, late.body.title, replayed(late)], [200, made.body.id, 'Renamed', true]);
  t.match(await makeGone(api), { status: 409, body: { detail: /something that was deleted had the id/ } });
  const lateImport = await importIt(api);
  t.strictSame(
    [lateImport.status, Object.keys(lateImport.body), replayed(lateImport)],
    [200, ['board'], true],
    'what was left out is not known any more',
  );
  t.equal(lateImport.body.board.id, imported.body.board.id);
  const lateCopy = await copyIt(api);
  t.match([lateCopy.status, lateCopy.body, replayed(lateCopy)], [200, { id: copied.body.id, title: 'Copied' }, true]);
  t.notOk('left_out' in lateCopy.body);
  t.strictSame((await create(api, ben.token)).status, 201, 'a key belongs to its user');
  const { body: boards } = await api.request<BoardJson[]>('GET', '/boards', { token: ann.token });
  t.strictSame(boards.map(({ id }) => id).sort(), [made.body.id, imported.body.board.id, copied.body.id].sort());
  await api.request('POST', `/boards/${made.body.id}/invite`, { token: ann.token, json: { user_id: ben.id } });
  await api.request('PATCH', `/boards/${made.body.id}/members/${ben.id}`, { token: ann.token, json: { role: 'owner' } });
  await api.request('DELETE', `/boards/${made.body.id}/members/${ann.id}`, { token: ann.token });
  t.equal((await create(api, ann.token)).status, 403, 'rights come first');
  await api.request('POST', `/boards/${imported.body.board.id}/invite`, { token: ann.token, json: { user_id: ben.id, role: 'owner' } });
  await api.request('DELETE', `/boards/${imported.body.board.id}/members/${ann.id}`, { token: ann.token });
  t.equal((await importIt(api)).status, 403, 'also for an import');
});

t.test('IDEM20 a card that was created with a forgotten key is shown to its creator, and never created again', async (t) => {
  const first = await startTestApp(t, { DATA_DIR: await temporaryFolder(t), ...SECRET });
  const [ann, ben] = [await newUser(first.api), await newUser(first.api)];
  const { body: board } = await create(first.api, ann.token);
  await first.api.request('POST', `/boards/${board.id}/invite`, { token: ann.token, json: { user_id: ben.id } });
  const columns = `POST /boards/${board.id}/columns`;
  const [columnKey, key, goneKey] = [randomUUID(), randomUUID(), randomUUID()];
  const { body: column } = await once<{ id: string }>(first.api, columnKey, columns, { token: ann.token, json: { title: 'To do' } });
  const cards = `POST /boards/${board.id}/columns/${column.id}/cards`;
  const add = (to: Api, token: string, withKey: string): Promise<ApiResponse<{ id: string; title: string }>> =>
    once(to, withKey, cards, { token, json: { title: 'Plan' } });
  const made = await add(first.api, ann.token, key);
  const gone = await add(first.api, ann.token, goneKey);
  await first.api.request('DELETE', `/cards/${gone.body.id}`, { token: ann.token });
  await first.api.request('PATCH', `/cards/${made.body.id}`, { token: ben.token, json: { title: 'Plan, renamed' } });

  // One of each kind, on two cards, so that each can be tried in another parent.
  const [one, two] = [await add(first.api, ann.token, randomUUID()), await add(first.api, ann.token, randomUUID())];
  const { body: checklist } = await first.api.request<{ id: string }>('POST', `/cards/${one.body.id}/checklists`, {
    token: ann.token,
    json: { title: 'Steps' },
  });
  const rule = {
    name: 'A',
    trigger_type: 'CARD_CREATED',
    trigger_column_id: column.id,
    action_type: 'ASSIGN_MEMBER',
    action_user_id: ann.id,
    is_enabled: false,
  };
  const kinds = (card: string): ReadonlyArray<readonly [path: string, sent: () => ApiRequest]> => [
    [`/boards/${board.id}/labels`, () => ({ json: { name: 'A' } })],
    [`/boards/${board.id}/automations`, () => ({ json: rule })],
    [`/cards/${card}/checklists`, () => ({ json: { title: 'A' } })],
    [`/checklists/${checklist.id}/items`, () => ({ json: { content: 'A' } })],
    [`/cards/${card}/attachments`, () => ({ body: fileForm() })],
    [`/cards/${card}/attachments`, () => ({ json: { url: 'https://example.org/' } })],
    [`/cards/${card}/comments`, () => ({ json: { body: 'A' } })],
  ];
  const kindKeys = kinds('').map(() => randomUUID());
  const makeKind = (to: Api, n: number, card = one.body.id): Promise<ApiResponse<{ id: string; detail?: string }>> => {
    const [path, sent] = kinds(card)[n] ?? ['', () => ({})];
    return once(to, kindKeys[n] ?? '', `POST ${path}`, { token: ann.token, ...sent() });
  };
  const ofKinds = await Promise.all(kindKeys.map((_, n) => makeKind(first.api, n)));
  t.strictSame(new Set(ofKinds.map(({ status }) => status)), new Set([201]));

  const batchKey = randomUUID();
  const operations = [
    { method: 'POST', path: `/boards/${board.id}/columns/${column.id}/cards`, body: { title: 'In a batch' } },
    { method: 'POST', path: '/cards/$0.id/checklists', body: { title: 'Steps' } },
  ];
  const batch = (to: Api, token: string): Promise<ApiResponse<{ answers: Array<{ status: number; body: { id: string } }>; detail?: string }>> =>
    once(to, batchKey, `POST /boards/${board.id}/batch`, { token, json: { operations } });
  const batched = await batch(first.api, ann.token);

  const { api } = await restartedLater(t, first);
  for (const [n, [path]] of kinds('*').entries()) {
    const late = await makeKind(api, n);
    t.strictSame([late.status, late.body, replayed(late)], [200, ofKinds[n]?.body, true], path);
    if (path.includes('*')) t.equal((await makeKind(api, n, two.body.id)).status, 422, `${path}: in another card`);
  }
  const idOf = (n: number): string => ofKinds[n]?.body.id ?? '';
  await api.request('DELETE', `/labels/${idOf(0)}`, { token: ann.token });
  t.match(await makeKind(api, 0), { status: 409, body: { detail: /something that was deleted/ } }, 'a label in the trash');
  await api.request('DELETE', `/boards/${board.id}/trash/${idOf(0)}`, { token: ann.token });
  t.equal((await makeKind(api, 0)).status, 409, 'and gone');
  await api.request('POST', `/cards/${one.body.id}/archive`, { token: ann.token });
  for (const n of [2, 3, 4, 5, 6]) {
    const late = await makeKind(api, n);
    t.strictSame([late.status, late.body.id, replayed(late)], [200, idOf(n), true], `number ${n} on an archived card`);
  }
  await api.request('DELETE', `/cards/${two.body.id}`, { token: ann.token });

  const lateBatch = await batch(api, ann.token);
  t.strictSame(
    [lateBatch.status, lateBatch.body.answers.map(({ body }) => body.id), replayed(lateBatch)],
    [200, batched.body.answers.map(({ body }) => body.id), true],
  );
  t.match(await batch(api, ben.token), { status: 422, body: { detail: /^0: Idempotency-Key/ } }, 'a batch is not the other one’s either');
  await api.request('DELETE', `/cards/${batched.body.answers[0]?.body.id}`, { token: ann.token });
  t.match(await batch(api, ann.token), { status: 409, body: { detail: /^0: Idempotency-Key: something that was deleted/ } });
  const late = await add(api, ann.token, key);
  t.strictSame([late.status, late.body.id, late.body.title, replayed(late)], [200, made.body.id, 'Plan, renamed', true]);
  t.equal((await once(api, columnKey, columns, { token: ann.token, json: { title: 'To do' } })).status, 200, 'a column too');
  t.equal((await add(api, ben.token, key)).status, 422, 'it is not the other one’s');
  t.equal((await add(api, ann.token, goneKey)).status, 409, 'it was deleted');
  t.equal((await once(api, key, `POST /boards/${board.id}/labels`, { token: ann.token, json: { name: 'x' } })).status, 422, 'another kind');
  await api.request('DELETE', `/boards/${board.id}/members/${ben.id}`, { token: ann.token });
  t.equal((await add(api, ben.token, key)).status, 403, 'rights come first');
  const { body: full } = await api.request<BoardJson>('GET', `/boards/${board.id}`, { token: ann.token });
  t.strictSame(
    full.columns.map((each) => each.cards.length),
    [1],
  );
});
