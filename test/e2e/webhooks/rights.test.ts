/** Who may do what with webhooks, and what nobody sees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import pino from 'pino';
import type { AuditEntry } from '../../../src/domain/audit.js';
import { auditEntries } from '../../support/http/audit.js';
import { until } from '../../support/until.js';
import { startTestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { newKey } from '../../support/http/keys.js';
import { newUser } from '../../support/http/users.js';
import { ALLOWED, HookScene, type HookJson } from '../../support/webhooks/hookScene.js';
import { Receiver } from '../../support/webhooks/receiver.js';

const URL = 'https://example.org/hook';

/** Every operation on the webhooks of a board, with a valid body. */
const ON_BOARD = (board: string, hook: string): ReadonlyArray<readonly [request: string, json?: object]> => [
  [`GET /boards/${board}/webhooks`],
  [`POST /boards/${board}/webhooks`, { url: URL }],
  [`GET /webhooks/${hook}`],
  [`PATCH /webhooks/${hook}`, { is_enabled: true }],
  [`GET /webhooks/${hook}/deliveries`],
  [`POST /webhooks/${hook}/resume`],
  [`POST /webhooks/${hook}/replay`, { since: 0 }],
  [`POST /webhooks/${hook}/rotate`],
];

t.test('HOOK3 only owners of the board use its webhooks, also with a key', async (t) => {
  const scene = await HookScene.start(t);
  const { api, boardId, owner } = scene;
  const [member, stranger] = [await newUser(api), await newUser(api)];
  await scene.send(`POST /boards/${boardId}/invite`, { user_id: member.id });
  const hook = await scene.hook({ url: URL, is_enabled: false });
  const [reading, writing] = [await newKey(api, owner, { scopes: ['read'] }), await newKey(api, owner, { scopes: ['write'] })];
  const elsewhere = await HookScene.on(api);
  const ofOther = await newKey(api, elsewhere.owner, { board_ids: [elsewhere.boardId] });
  for (const [request, json] of [...ON_BOARD(boardId, hook.id), [`POST /webhooks/${hook.id}/test`], [`DELETE /webhooks/${hook.id}`]] as const) {
    const isRead = request.startsWith('GET');
    const status = async (token: string): Promise<number> => (await scene.send(request, json, token)).status;
    const [method = '', path = ''] = request.split(' ');
    t.equal((await api.request(method, path, json === undefined ? {} : { json })).status, 401, `${request} of nobody`);
    t.equal(await status(member.token), 403, `${request} of a member`);
    t.equal(await status(stranger.token), 403, `${request} of a stranger`);
    t.equal(await status(ofOther.key), 403, `${request} of a key for another board`);
    if (!isRead) t.equal(await status(reading.key), 403, `${request} of a reading key`);
    if (isRead) t.equal(await status(reading.key), 200, `${request} of a reading key of the owner`);
  }
  for (const [request, json] of ON_BOARD(boardId, hook.id)) t.match((await scene.send(request, json, writing.key)).status, /^20[01]$/, request);
  t.equal((await scene.send(`DELETE /webhooks/${hook.id}`, undefined, writing.key)).status, 204);
  t.equal((await scene.send(`GET /webhooks/${hook.id}`)).status, 404);
});

t.test('HOOK3 access comes before the input, and a bad input is named', async (t) => {
  const scene = await HookScene.start(t);
  const stranger = await newUser(scene.api);
  const path = `POST /boards/${scene.boardId}/webhooks`;
  t.equal((await scene.send(path, { url: 7 }, stranger.token)).status, 403);
  const refusals: ReadonlyArray<readonly [object, RegExp]> = [
    [{}, /url/],
    [{ url: 'ftp://example.org' }, /url/],
    [{ url: 'http://10.0.0.1/' }, /url: .*private/],
    [{ url: `https://example.org/${'x'.repeat(2000)}` }, /^url: must have at most 2000 characters$/],
    [{ url: URL, format: 'fax' }, /format/],
    [{ url: 'https://ntfy.sh/', format: 'ntfy' }, /url: .*topic/],
    [{ url: URL, event_types: ['card.eaten'] }, /event_types/],
    [{ url: URL, event_types: [] }, /^event_types: must not be empty$/],
    [{ url: URL, is_enabled: 'yes' }, /is_enabled/],
  ];
  for (const [json, named] of refusals) {
    const { status, body } = await scene.send<{ detail: string }>(path, json);
    t.equal(status, 422, JSON.stringify(json));
    t.match(body.detail, named);
  }
  for (let n = 0; n < 10; n += 1) await scene.hook({ url: URL, is_enabled: false });
  t.equal((await scene.send(path, { url: URL })).status, 409, 'ten are enough');
});

t.test('HOOK3 only superusers use webhooks over all boards', async (t) => {
  const scene = await HookScene.start(t);
  const root = await newUser(scene.api);
  await changeUser(scene.app.config.dataDir, root.id, { is_superuser: true });
  const { body: hook } = await scene.send<HookJson>('POST /admin/webhooks', { url: URL, is_enabled: false }, root.token);
  t.equal(hook.board_id, null);
  const path = `/admin/webhooks/${hook.id}`;
  const requests: ReadonlyArray<readonly [string, object?]> = [
    ['GET /admin/webhooks'],
    ['POST /admin/webhooks', { url: URL, is_enabled: false }],
    [`GET ${path}`],
    [`PATCH ${path}`, { event_types: ['card.moved'] }],
    [`POST ${path}/resume`],
    [`POST ${path}/replay`, { since: '2030-01-01T00:00:00Z' }],
    [`POST ${path}/rotate`],
    [`GET ${path}/deliveries`],
    [`DELETE ${path}`],
  ];
  for (const [request, json] of requests) {
    t.equal((await scene.send(request, json)).status, 403, `${request} of an owner of a board`);
    t.match((await scene.send(request, json, root.token)).status, /^20[014]$/, request);
  }
  t.equal((await scene.send(`GET ${path}`, undefined, root.token)).status, 404);
});

t.test('HOOK3 a secret is in one answer alone: not in others, not in the data, not in the log, not in exports', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const app = await startTestApp(t, ALLOWED, log);
  const scene = await HookScene.on(app.api);
  const receiver = await Receiver.start(t);
  const made = await scene.send<HookJson>(`POST /boards/${scene.boardId}/webhooks`, { url: receiver.url });
  const { id, secret = '' } = made.body;
  await scene.rename('One');
  await receiver.until(({ length }) => length === 1);
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const answers = [
    await scene.send(`GET /webhooks/${id}`),
    await scene.send(`GET /boards/${scene.boardId}/webhooks`),
    await scene.send(`GET /webhooks/${id}/deliveries`),
    await scene.send(`PATCH /webhooks/${id}`, { is_enabled: true }),
    await scene.send(`GET /boards/${scene.boardId}/export`),
    await scene.send(`GET /boards/${scene.boardId}`),
  ];
  for (const { body } of answers) t.notMatch(JSON.stringify(body), /whsec_|secret/);
  t.notMatch(JSON.stringify(answers[4]?.body), /webhook|127\.0\.0\.1/, 'webhooks are not exported');
  await app.close();
  const forms = [secret, secret.slice('whsec_'.length), bytes.toString('hex')];
  const files = readdirSync(app.config.dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  t.ok(files.length > 2);
  for (const { name } of files) {
    const content = readFileSync(join(app.config.dataDir, name));
    t.notOk(content.includes(bytes) || forms.some((form) => content.includes(form)), name);
  }
  for (const line of lines)
    t.notOk(
      forms.some((form) => line.includes(form)),
      'the log',
    );
});

t.test(
  'AUDIT1 whoever creates, changes, rotates, resumes, replays or deletes a webhook leaves an entry with the host of its address alone',
  async (t) => {
    const scene = await HookScene.start(t);
    const root = await newUser(scene.api);
    await changeUser(scene.app.config.dataDir, root.id, { is_superuser: true });
    const member = await newUser(scene.api);
    const secret = 'a-secret-of-the-receiver';
    for (const [user, all, one, since] of [
      [scene.owner, `/boards/${scene.boardId}/webhooks`, '/webhooks', 0],
      [root, '/admin/webhooks', '/admin/webhooks', '2030-01-01T00:00:00.000Z'],
    ] as const) {
      const { body: hook } = await scene.send<HookJson>(`POST ${all}`, { url: `${URL}/${secret}`, is_enabled: false }, user.token);
      const path = `${one}/${hook.id}`;
      await scene.send(`PATCH ${path}`, {}, user.token);
      await scene.send(`PATCH ${path}`, { url: `https://other.example/${secret}`, is_enabled: false }, user.token);
      t.equal((await scene.send(`PATCH ${path}`, { is_enabled: true }, member.token)).status, 403);
      await scene.send(`POST ${path}/rotate`, undefined, user.token);
      t.equal((await scene.send(`POST ${path}/replay`, { since: 'yesterday' }, user.token)).status, 422, 'what is refused leaves no entry');
      await scene.send(`POST ${path}/replay`, { since }, user.token);
      await scene.send(`POST ${path}/resume`, undefined, user.token);
      await scene.send(`DELETE ${path}`, undefined, user.token);
      const read = (): Promise<AuditEntry[]> => auditEntries(scene.api, root.token);
      const entries = await until(async () => {
        const found = (await read()).filter(({ subject_id }) => subject_id === hook.id).reverse();
        return found.some(({ kind }) => kind === 'webhook.deleted') && found;
      }, read);
      const on = hook.board_id === null ? {} : { board_id: hook.board_id };
      t.strictSame(
        entries.map(({ kind, user_id, details }) => ({ kind, user_id, details })),
        [
          { kind: 'webhook.created', user_id: user.id, details: { ...on, host: 'example.org' } },
          { kind: 'webhook.updated', user_id: user.id, details: { ...on, fields: 'url, is_enabled', host: 'other.example' } },
          { kind: 'webhook.rotated', user_id: user.id, details: on },
          { kind: 'webhook.replayed', user_id: user.id, details: { ...on, since } },
          { kind: 'webhook.resumed', user_id: user.id, details: on },
          { kind: 'webhook.deleted', user_id: user.id, details: {} },
        ],
      );
      t.notMatch(JSON.stringify(entries), new RegExp(`${secret}|whsec_`));
    }
  },
);

t.test('HOOK3 a board or import never takes webhooks with it', async (t) => {
  const scene = await HookScene.start(t);
  await scene.hook({ url: URL, is_enabled: false });
  const { body: document } = await scene.send<object>(`GET /boards/${scene.boardId}/export`);
  const { body } = await scene.send<{ board: { id: string } }>('POST /boards/import', document);
  t.strictSame((await scene.send<object[]>(`GET /boards/${body.board.id}/webhooks`)).body, []);
});
