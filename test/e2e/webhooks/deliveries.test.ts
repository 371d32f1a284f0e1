/** Events on their way to receivers. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Webhook } from 'standardwebhooks';
import { backUp } from '../../../src/store/backup/backup.js';
import { restore } from '../../../src/store/backup/backupRestore.js';
import { changeUser } from '../../support/service/operator.js';
import { startTestApp } from '../../support/service/app.js';
import { parsePrometheus, valueOf } from '../../support/service/prometheusText.js';
import { newUser } from '../../support/http/users.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { until } from '../../support/until.js';
import { ALLOWED, HookScene, type HookJson } from '../../support/webhooks/hookScene.js';
import { answering, Receiver } from '../../support/webhooks/receiver.js';

t.test('HOOK1 events of a board arrive in order, signed as Standard Webhooks say', async (t) => {
  const scene = await HookScene.start(t);
  const { boardId, owner } = scene;
  const receiver = await Receiver.start(t);
  await scene.rename('Before the webhook');
  const hook = await scene.hook({ url: receiver.url });
  t.match(hook.secret, /^whsec_[A-Za-z0-9+/]+=*$/);
  const { body: column } = await scene.send<{ id: string }>(`POST /boards/${boardId}/columns`, { title: 'To do' });
  await scene.send(`POST /boards/${boardId}/columns/${column.id}/cards`, { title: 'Card' });
  await scene.rename('Better plans');
  const all = await receiver.until(({ length }) => length >= 3);
  t.strictSame(receiver.types, ['column.created', 'card.created', 'board.updated']);
  const seqs = all.map(({ body }) => body.seq);
  t.strictSame(seqs, [2, 3, 4]);
  const [first] = all;
  t.strictSame(Object.keys(first?.body ?? {}), ['type', 'board_id', 'seq', 'user_id', 'timestamp', 'data']);
  t.strictSame([first?.body.board_id, first?.body.user_id, first?.body.data['id']], [boardId, owner.id, column.id]);
  t.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 3);
  for (const { text, headers } of all) t.doesNotThrow(() => new Webhook(hook.secret).verify(text, { ...headers }));
  const [secret] = all;
  t.throws(() => new Webhook(hook.secret).verify(`${secret?.text} `, { ...secret?.headers }), 'another text has another signature');
});

t.test('HOOK1 a webhook gets the kinds that it wants; while its secret rotates both verify', async (t) => {
  const scene = await HookScene.start(t);
  const receiver = await Receiver.start(t);
  const hook = await scene.hook({ url: receiver.url, event_types: ['board.updated'] });
  await scene.send(`POST /boards/${scene.boardId}/columns`, { title: 'To do' });
  await scene.rename('One');
  await receiver.until(({ length }) => length === 1);
  const { body: rotated } = await scene.send<HookJson>(`POST /webhooks/${hook.id}/rotate`);
  t.not(rotated.secret, hook.secret);
  await scene.rename('Two');
  // The first may come once more: what was delivered is stored once a second.
  const all = await receiver.until((got) => got.at(-1)?.body.seq === 3);
  t.strictSame([...new Set(all.map(({ body }) => `${body.type} ${body.seq}`))], ['board.updated 2', 'board.updated 3']);
  const { text = '', headers = {} } = all.at(-1) ?? {};
  for (const secret of [hook.secret, rotated.secret ?? '']) t.doesNotThrow(() => new Webhook(secret).verify(text, { ...headers }));
});

t.test('HOOK2 a failed delivery is repeated with the same id, and nothing overtakes it', async (t) => {
  const scene = await HookScene.start(t);
  const receiver = await Receiver.start(t);
  receiver.behaviour = answering(500);
  const hook = await scene.hook({ url: receiver.url });
  await scene.rename('One');
  await scene.rename('Two');
  t.match(await scene.untilState(hook.id, 'retrying'), { paused_because: null });
  receiver.behaviour = answering(200);
  const all = await receiver.until((got) => got.at(-1)?.body.seq === 2);
  t.equal(new Set(all.slice(0, -1).map(({ headers }) => headers['webhook-id'])).size, 1, 'the first one, until it was taken');
  t.match(await scene.untilState(hook.id, 'active'), { failing_since: null, next_attempt_at: null });
  const deliveries = await until(async () => {
    const shown = await scene.deliveries(hook.id);
    return shown[0]?.status === 200 && shown.length >= 3 ? shown : null;
  });
  t.match(deliveries.at(-1), { status: 500, attempt: 1, error: null, type: 'board.updated' });
  t.notMatch(JSON.stringify(deliveries), /thanks/, 'what receivers answer is not kept');
});

t.test('HOOK2 a 410 disables a webhook until it is resumed; it goes on where it stopped', async (t) => {
  const scene = await HookScene.start(t);
  const receiver = await Receiver.start(t);
  receiver.behaviour = answering(410);
  const hook = await scene.hook({ url: receiver.url });
  await scene.rename('One');
  t.match(await scene.untilState(hook.id, 'disabled'), { is_enabled: false, paused_because: 'gone' });
  receiver.behaviour = answering(200);
  await scene.rename('Two');
  t.equal((await scene.send<HookJson>(`POST /webhooks/${hook.id}/resume`)).body.state, 'active');
  await receiver.until((got) => got.at(-1)?.body.seq === 2);
  t.strictSame(
    receiver.all.map(({ body }) => body.seq),
    [1, 1, 2],
  );
});

t.test('METRIC1 attempts by outcome, and what waits or is paused, are counted without naming a receiver', async (t) => {
  const METRICS_TOKEN = 'for-prometheus-alone';
  const scene = await HookScene.start(t, { METRICS_TOKEN });
  const scrape = async (): Promise<readonly number[]> => {
    const response = await fetch(`${scene.api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const text = await response.text();
    t.notMatch(text, /127\.0\.0\.1/);
    const families = parsePrometheus(text);
    return [
      ...['taken', 'refused', 'unreachable'].map((outcome) => valueOf(families, 'switchboard_webhook_deliveries_total', { outcome })),
      valueOf(families, 'switchboard_webhooks_pending'),
      ...['board', 'all'].map((scope) => valueOf(families, 'switchboard_webhooks_paused', { scope })),
    ];
  };
  const untilCounted = async (expected: readonly number[]): Promise<void> => {
    await until(async () => JSON.stringify(await scrape()) === JSON.stringify(expected), scrape, 100);
  };
  const root = await newUser(scene.api);
  await changeUser(scene.app.config.dataDir, root.id, { is_superuser: true });
  const [gone, quick, failing] = [await Receiver.start(t), await Receiver.start(t), await Receiver.start(t)];
  gone.behaviour = answering(410);
  failing.behaviour = (response) => response.destroy();
  await untilCounted([0, 0, 0, 0, 0, 0]);
  await scene.send('POST /admin/webhooks', { url: quick.url }, root.token);
  await scene.hook({ url: gone.url });
  await scene.rename('One');
  await untilCounted([1, 1, 0, 0, 1, 0]);
  await scene.send('POST /admin/webhooks', { url: gone.url }, root.token);
  await scene.rename('Two');
  await untilCounted([2, 2, 0, 0, 1, 1]);
  // Its attempts go on, after one second and then after five.
  await scene.hook({ url: failing.url });
  await scene.rename('Three');
  await until(async () => {
    const [taken, refused, unreachable = 0, ...rest] = await scrape();
    return taken === 3 && refused === 2 && unreachable >= 1 && JSON.stringify(rest) === '[1,1,1]';
  }, scrape);
});

t.test('HOOK2 events are replayed from a number, and a test is delivered at once', async (t) => {
  const scene = await HookScene.start(t);
  const receiver = await Receiver.start(t);
  for (const title of ['One', 'Two', 'Three']) await scene.rename(title);
  const hook = await scene.hook({ url: receiver.url });
  const tested = await scene.send<object>(`POST /webhooks/${hook.id}/test`);
  t.match(tested.body, { status: 204, error: null, type: 'test', seq: null });
  t.doesNotThrow(() => new Webhook(hook.secret).verify(receiver.all[0]?.text ?? '', { ...receiver.all[0]?.headers }));
  await scene.send(`POST /webhooks/${hook.id}/replay`, { since: 1 });
  await receiver.until((got) => got.at(-1)?.body.seq === 3);
  t.strictSame(
    receiver.all.map(({ body }) => body.seq),
    [null, 2, 3],
  );
});

t.test('HOOK1 what is kept no more is one resync, and events go on behind it', async (t) => {
  const scene = await HookScene.start(t, { EVENT_RETENTION_COUNT: '10' });
  const receiver = await Receiver.start(t);
  const hook = await scene.hook({ url: receiver.url, is_enabled: false });
  // Old events are deleted once in 64.
  for (let n = 1; n <= 70; n += 1) await scene.rename(`Title ${n}`);
  await scene.send(`PATCH /webhooks/${hook.id}`, { is_enabled: true });
  const all = await receiver.until((got) => got.at(-1)?.body.seq === 70);
  const [first, second] = all;
  t.equal(first?.body.type, 'resync');
  t.equal(second?.body.seq, (first?.body.seq ?? 0) + 1, 'no gap behind it');
  t.equal(receiver.types.filter((type) => type === 'resync').length, 1);
});

/** A board with a column whose events have all its cards, and a webhook. */
async function largeColumn(t: Test, receiver: Receiver, cards: number): Promise<{ readonly board: HookScene; readonly columnId: string }> {
  const scene = await HookScene.start(t);
  const column = { id: 'large', title: 'Large', cards: Array.from({ length: cards }, () => ({ title: 'Large', description: 'x'.repeat(10_000) })) };
  const document = { format: 'switchboard-board', version: 1, title: 'Plans', columns: [column] };
  const { body: imported } = await scene.send<{ board: { id: string } }>('POST /boards/import', document);
  const board = new HookScene(scene.api, scene.owner, imported.board.id);
  const { body: read } = await board.send<{ columns: Array<{ id: string }> }>(`GET /boards/${board.boardId}`);
  await board.hook({ url: receiver.url });
  return { board, columnId: read.columns[0]?.id ?? '' };
}

t.test('HOOK1 an event that is too large for the log is one resync, between the events around it', async (t) => {
  const receiver = await Receiver.start(t);
  const { board, columnId } = await largeColumn(t, receiver, 106);
  await board.rename('Before');
  const changed = await board.send(`PATCH /columns/${columnId}`, { title: 'Its event has all its cards' });
  t.equal(changed.status, 200);
  await board.rename('After');
  const all = await receiver.until((got) => got.length >= 3);
  t.strictSame(receiver.types, ['board.updated', 'resync', 'board.updated']);
  const [before = 0, ...later] = all.map(({ body }) => body.seq);
  t.strictSame(later, [before + 1, before + 2], 'the resync has the number of the event');
});

t.test('HOOK1 events that are larger than what is read at once are delivered whole, in their order', async (t) => {
  const receiver = await Receiver.start(t);
  receiver.behaviour = answering(503);
  const { board, columnId } = await largeColumn(t, receiver, 60);
  await board.rename('Before');
  for (const title of ['One', 'Two']) await board.send(`PATCH /columns/${columnId}`, { title });
  await board.rename('After');
  const tried = (await receiver.until(({ length }) => length > 0)).length;
  receiver.behaviour = answering(204);
  const all = await receiver.until((got) => got.at(-1)?.body.data['title'] === 'After');
  const taken = all.slice(tried).filter(({ body }, at, others) => body.seq !== others[at - 1]?.body.seq);
  t.strictSame(
    taken.map(({ body }) => body.data['title']),
    ['Before', 'One', 'Two', 'After'],
  );
  t.ok(taken[1] !== undefined && taken[1].text.length > 600_000);
});

t.test('HOOK1 a receiver that moved gets what was not taken at its old address, in order', async (t) => {
  const scene = await HookScene.start(t);
  const [old, moved] = [await Receiver.start(t), await Receiver.start(t)];
  old.behaviour = answering(503);
  const hook = await scene.hook({ url: old.url });
  for (const title of ['One', 'Two']) await scene.rename(title);
  await scene.untilState(hook.id, 'retrying');
  const { body } = await scene.send<HookJson>(`PATCH /webhooks/${hook.id}`, { url: moved.url });
  t.match(body, { url: moved.url, state: 'active', failing_since: null });
  await scene.rename('Three');
  await moved.until((got) => got.at(-1)?.body.seq === 3);
  const seqs = moved.all.map(({ body: received }) => received.seq);
  t.strictSame(seqs, [1, 2, 3]);
  t.strictSame([...new Set(old.all.map(({ body: received }) => received.seq))], [1], 'the old address gets nothing more');
});

t.test('HOOK1 after a restore a webhook gets one resync, and then what happens from there', async (t) => {
  const dataDir = await temporaryFolder(t);
  const settings = { ...ALLOWED, JWT_SECRET: 'a secret of at least 32 characters' };
  const app = await startTestApp(t, { ...settings, DATA_DIR: dataDir });
  const scene = await HookScene.on(app.api);
  const receiver = await Receiver.start(t);
  await scene.hook({ url: receiver.url });
  await scene.rename('One');
  await receiver.until(({ length }) => length === 1);
  const backup = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir, target: backup, program: 'test' });
  await scene.rename('Abandoned');
  await receiver.until((got) => got.at(-1)?.body.seq === 2);
  await app.close();
  const restored = join(await temporaryFolder(t), 'restored');
  await restore({ source: backup, dataDir: restored });
  receiver.all.length = 0;
  const again = await startTestApp(t, { ...settings, DATA_DIR: restored });
  await receiver.until((got) => got.at(-1)?.body.type === 'resync');
  await new HookScene(again.api, scene.owner, scene.boardId).rename('Another two');
  const all = await receiver.until((got) => got.at(-1)?.body.type === 'board.updated');
  t.strictSame(
    [...new Set(all.map(({ body }) => `${body.type} ${body.seq}`))],
    ['resync 1', 'board.updated 2'],
    'its cursor is of the history that was abandoned',
  );
});

t.test('HOOK1 the deletion of a board is delivered behind everything before it', async (t) => {
  const scene = await HookScene.start(t);
  const receiver = await Receiver.start(t);
  receiver.behaviour = answering(503);
  const hook = await scene.hook({ url: receiver.url });
  await scene.rename('One');
  await scene.rename('Two');
  await scene.untilState(hook.id, 'retrying');
  t.equal((await scene.send(`DELETE /boards/${scene.boardId}`)).status, 204);
  t.equal((await scene.send(`GET /webhooks/${hook.id}`)).status, 404);
  receiver.all.length = 0;
  receiver.behaviour = answering(200);
  await receiver.until((got) => got.at(-1)?.body.type === 'board.deleted');
  t.strictSame(receiver.types.slice(-3), ['board.updated', 'board.updated', 'board.deleted']);
  t.strictSame(receiver.all.at(-1)?.body.data, { id: scene.boardId });
});

t.test('HOOK2 a webhook whose creator is no active owner rests until another owner resumes it', async (t) => {
  const scene = await HookScene.start(t);
  const { boardId, owner } = scene;
  const receiver = await Receiver.start(t);
  const ben = await newUser(scene.api);
  await scene.send(`POST /boards/${boardId}/invite`, { user_id: ben.id });
  await scene.send(`PATCH /boards/${boardId}/members/${ben.id}`, { role: 'owner' });
  const hook = await scene.hook({ url: receiver.url, event_types: ['board.updated'] });
  await scene.send(`PATCH /boards/${boardId}/members/${owner.id}`, { role: 'member' }, ben.token);
  await scene.send(`PATCH /boards/${boardId}`, { title: 'Secret' }, ben.token);
  const shown = await until(async () => {
    const { body } = await scene.send<HookJson>(`GET /webhooks/${hook.id}`, undefined, ben.token);
    return body.state === 'paused' ? body : null;
  });
  t.equal(shown.paused_because, 'creator');
  t.equal(receiver.all.length, 0);
  await scene.send(`POST /webhooks/${hook.id}/resume`, undefined, ben.token);
  await receiver.until(({ length }) => length >= 1);
  t.equal((await scene.send<HookJson>(`GET /webhooks/${hook.id}`, undefined, ben.token)).body.created_by, ben.id);
});

t.test('HOOK2 a webhook of an owner who was removed gets nothing of what came after, though the board is deleted then', async (t) => {
  const scene = await HookScene.start(t, { TRASH_DAYS: '0' });
  const { boardId, owner } = scene;
  const [theirs, bens] = [await Receiver.start(t), await Receiver.start(t)];
  for (const receiver of [theirs, bens]) receiver.behaviour = answering(500);
  const ben = await newUser(scene.api);
  await scene.send(`POST /boards/${boardId}/invite`, { user_id: ben.id });
  await scene.send(`PATCH /boards/${boardId}/members/${ben.id}`, { role: 'owner' });
  const hook = await scene.hook({ url: theirs.url, event_types: ['board.updated', 'board.deleted'] });
  // It fails later, so its next attempt is later too.
  const { status } = await scene.send(`POST /boards/${boardId}/webhooks`, { url: bens.url, event_types: ['board.deleted'] }, ben.token);
  t.equal(status, 201);
  await scene.rename('One');
  await scene.untilState(hook.id, 'retrying');
  t.equal((await scene.send(`DELETE /boards/${boardId}/members/${owner.id}`, undefined, ben.token)).status, 204);
  await scene.send(`PATCH /boards/${boardId}`, { title: 'Secret' }, ben.token);
  t.equal((await scene.send(`DELETE /boards/${boardId}`, undefined, ben.token)).status, 204);
  theirs.behaviour = answering(200);
  await bens.until(({ length }) => length > 0);
  bens.behaviour = answering(200);
  bens.all.length = 0;
  await bens.until((got) => got.at(-1)?.body.type === 'board.deleted');
  const later = theirs.all.filter(({ body }) => body.type === 'board.deleted' || JSON.stringify(body.data).includes('Secret'));
  t.strictSame(later, []);
});

t.test('HOOK2 a slow receiver holds up no other and no change', async (t) => {
  const scene = await HookScene.start(t);
  const [slow, quick] = [await Receiver.start(t), await Receiver.start(t)];
  slow.behaviour = () => undefined;
  await scene.hook({ url: slow.url });
  await scene.hook({ url: quick.url });
  for (let n = 1; n <= 5; n += 1) await scene.rename(`Title ${n}`);
  await quick.until((got) => got.at(-1)?.body.seq === 5);
  t.equal(slow.all.length, 1, 'one at a time');
});

t.test('HOOK1 formats for people: a chat message and a notification', async (t) => {
  const scene = await HookScene.start(t);
  const [slack, ntfy] = [await Receiver.start(t), await Receiver.start(t)];
  await scene.rename('<!channel> & more');
  await scene.hook({ url: slack.url, format: 'slack' });
  await scene.hook({ url: `${ntfy.url}/plans`, format: 'ntfy' });
  await scene.send(`POST /boards/${scene.boardId}/columns`, { title: '<http://evil|click>' });
  const [message] = await slack.until(({ length }) => length === 1);
  t.strictSame(Object.keys(message?.body ?? {}), ['text']);
  t.equal(message?.body.text, `&lt;!channel&gt; &amp; more: ${scene.owner.username} added the column “&lt;http://evil|click&gt;”.`);
  const [notice] = await ntfy.until(({ length }) => length === 1);
  t.match(notice?.body, { topic: 'plans', title: '<!channel> & more', message: `${scene.owner.username} added the column “<http://evil|click>”.` });
  t.equal(notice?.path, '/hook/');
});

t.test('HOOK1 a webhook of superusers gets the events of all boards, each in order, also after a restart', async (t) => {
  const dataDir = await temporaryFolder(t);
  const settings = { ...ALLOWED, DATA_DIR: dataDir, JWT_SECRET: 'a secret of at least 32 characters' };
  const app = await startTestApp(t, settings);
  const root = await newUser(app.api);
  await changeUser(dataDir, root.id, { is_superuser: true });
  const receiver = await Receiver.start(t);
  const scenes = [await HookScene.on(app.api), await HookScene.on(app.api), await HookScene.on(app.api)];
  for (const scene of scenes) await scene.rename('Before');
  const made = await app.api.request<HookJson>('POST', '/admin/webhooks', { token: root.token, json: { url: receiver.url } });
  t.equal(made.status, 201);
  for (const scene of scenes) for (const title of ['One', 'Two']) await scene.rename(title);
  await receiver.until(({ length }) => length === 6);
  receiver.behaviour = answering(500);
  for (const scene of scenes) await scene.rename('Three');
  await app.close();
  const again = await startTestApp(t, settings);
  receiver.behaviour = answering(200);
  const isComplete = (board: string): boolean => receiver.all.some(({ body }) => body.board_id === board && body.seq === 5);
  for (const scene of scenes) {
    const { token } = scene.owner;
    await again.api.request('PATCH', `/boards/${scene.boardId}`, { token, json: { title: 'Four' } });
  }
  await until(() => scenes.every(({ boardId }) => isComplete(boardId)));
  for (const { boardId } of scenes) {
    const seqs = receiver.all.filter(({ body }) => body.board_id === boardId).map(({ body }) => body.seq);
    t.strictSame([...new Set(seqs)], [2, 3, 4, 5], seqs.join());
  }
  const listed = await again.api.request<object[]>('GET', `/admin/webhooks/${made.body.id}/deliveries`, { token: root.token });
  t.ok(listed.body.length > 0);
  await changeUser(dataDir, root.id, { is_superuser: false });
  const other = await newUser(again.api);
  await changeUser(dataDir, other.id, { is_superuser: true });
  const [scene] = scenes;
  // Superusers are trusted for some seconds.
  await until(
    async () => {
      await again.api.request('PATCH', `/boards/${scene?.boardId}`, { token: scene?.owner.token ?? '', json: { title: 'Once more' } });
      const { body } = await again.api.request<HookJson>('GET', `/admin/webhooks/${made.body.id}`, { token: other.token });
      return body.paused_because === 'creator';
    },
    undefined,
    250,
  );
});
