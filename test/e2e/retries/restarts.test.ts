/** Requests that are sent again after a restart. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Api, ApiRequest, ApiResponse } from '../../support/http/api.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
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

/** As after a day. */
async function restartedWithoutAnswers(t: Test, before: TestApp): Promise<TestApp> {
  await before.close();
  for (let n = 0; n < before.config.shards; n += 1) sql(`${before.config.dataDir}/shard-0${n}.sqlite`, 'DELETE FROM answer');
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

t.test('IDEM20 a key that was forgotten makes another board, with an id that no board ever had', async (t) => {
  let app = await startTestApp(t, { DATA_DIR: await temporaryFolder(t), ...SECRET });
  const { token } = await newUser(app.api);
  const listed = async (): Promise<string[]> => {
    return (await app.api.request<BoardJson[]>('GET', '/boards', { token })).body.map(({ id }) => id).sort();
  };
  const ids: string[] = [];
  for (const fate of ['exists', 'is deleted', 'exists'] as const) {
    const { status, body } = await create(app.api, token);
    t.equal(status, 201);
    t.notOk(ids.includes(body.id), 'another one');
    ids.push(body.id);
    t.ok(replayed(await create(app.api, token)));
    t.ok((await listed()).includes(body.id), 'the list of boards has it');
    if (fate === 'is deleted') await app.api.request('DELETE', `/boards/${body.id}`, { token });
    t.ok(replayed(await create(app.api, token)), `the board ${fate}`);
    app = await restartedWithoutAnswers(t, app);
  }
  const [first, , third] = ids;
  t.strictSame(await listed(), [first, third].sort());
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

  const { api } = await restartedWithoutAnswers(t, first);
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
