import { createHash } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { UnsubscribeTokens } from '../../../src/auth/unsubscribeTokens.js';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { startMailServer, type MailServer } from '../../support/mail/mailServer.js';
import type { ReceivedMail } from '../../support/mail/receivedMail.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { logLines } from '../../support/service/logLines.js';
import { changeUser } from '../../support/service/operator.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { query, sql } from '../../support/store/sqlFile.js';
import { until } from '../../support/until.js';

const PUBLIC_URL = 'https://boards.example.org';
const NOTICES = 'Notices of your boards';

interface Pending {
  readonly id: string;
  readonly user_id: string;
  readonly mail: string;
  readonly due_at: string;
}

/** A service that can be stopped; what is to be mailed becomes due while it is. */
class World {
  readonly server: MailServer;
  readonly #t: Test;
  readonly #dataDir: string;
  readonly #settings: Record<string, string>;
  #app: TestApp | null = null;

  private constructor(t: Test, server: MailServer, dataDir: string) {
    this.server = server;
    this.#t = t;
    this.#dataDir = dataDir;
    this.#settings = { SMTP_URL: server.url, PUBLIC_URL, DATA_DIR: dataDir };
  }

  static async start(t: Test): Promise<World> {
    const world = new World(t, await startMailServer(t), await temporaryFolder(t));
    await world.restart();
    return world;
  }

  get app(): TestApp {
    if (this.#app === null) throw new Error('the service does not run');
    return this.#app;
  }

  async restart(log?: Parameters<typeof startTestApp>[2]): Promise<void> {
    await this.#app?.close();
    this.#app = await startTestApp(this.#t, this.#settings, log);
  }

  async makeDue(): Promise<void> {
    await this.app.close();
    sql(join(this.#dataDir, DIRECTORY_FILE), `UPDATE notice_mail SET due_at = '2026-01-01T00:00:00.000Z'`);
    await this.restart();
  }

  pending(): Pending[] {
    return query<Pending>(join(this.#dataDir, DIRECTORY_FILE), 'SELECT * FROM notice_mail ORDER BY due_at');
  }

  async newUser(): Promise<TestUser> {
    const user = await newUser(this.app.api);
    await changeUser(this.#dataDir, user.id, { is_verified: true });
    return user;
  }

  async do<Body = { id: string }>(user: TestUser, request: string, json?: object): Promise<Body> {
    const [method = '', path = ''] = request.split(' ');
    const { status, body } = await this.app.api.request<Body>(method, path, { token: user.token, ...(json === undefined ? {} : { json }) });
    if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  notices(): ReceivedMail[] {
    return this.server.mails.filter(({ headers }) => headers.get('subject') === NOTICES);
  }

  async noticesTo(count: number): Promise<ReceivedMail[]> {
    await until(() => this.notices().length >= count);
    return this.notices();
  }
}

/** Ben is on Ann's board, with a card. */
async function withBoard(world: World) {
  const [ann, ben] = [await world.newUser(), await world.newUser()];
  const board = await world.do(ann, 'POST /boards', { title: 'Plans' });
  const column = await world.do(ann, `POST /boards/${board.id}/columns`, { title: 'To do' });
  const card = await world.do(ann, `POST /boards/${board.id}/columns/${column.id}/cards`, { title: 'Call the printer' });
  const put = (kinds: object) => world.do(ben, 'PUT /me/notification-settings', { kinds });
  const invite = () => world.do(ann, `POST /boards/${board.id}/invite`, { user_id: ben.id });
  const assign = () => world.do(ann, `PUT /cards/${card.id}/assignees`, { user_ids: [ben.id] });
  return { ann, ben, board, card, put, invite, assign };
}

t.test('MAIL41 notices are mailed at once or once a day, as their user chose, and no second time', async (t) => {
  const world = await World.start(t);
  const { ann, ben, board, card, put, invite, assign } = await withBoard(world);
  await world.do(ben, 'PATCH /auth/me', { time_zone: 'Asia/Kathmandu' });
  await put({ assigned: { mail: 'now' } });
  await invite();
  await assign();
  await until(() => world.pending().length === 2);
  const [now, daily] = world.pending();
  t.match([now?.mail, daily?.mail], ['now', 'daily']);
  t.match(daily?.due_at, /T02:15:00\.000Z$/, 'eight in Kathmandu');
  const ahead = Date.parse(now?.due_at ?? '') - Date.now();
  t.ok(ahead > 0 && ahead <= 60_000);
  await world.makeDue();
  const [mail] = await world.noticesTo(1);
  t.strictSame(mail?.to, [ben.email]);
  t.match(mail?.text, /“user-[^”]*” assigned you to “Call the printer”\.\n/);
  t.match(mail?.text, `${PUBLIC_URL}/app/boards/${board.id}/cards/${card.id}`);
  t.match(mail?.text, 'You are a member of another board now.');
  t.notMatch(mail?.text, 'Plans');
  t.strictSame(world.pending(), []);
  await world.restart();
  await world.do(ann, `POST /cards/${card.id}/comments`, { body: `@${ben.username}` });
  await until(() => world.pending().length === 1);
  await world.makeDue();
  const [, second] = await world.noticesTo(2);
  t.notMatch(second?.text, 'assigned');
});

t.test('MAIL41 what was read, and what is about a lost board, is not mailed', async (t) => {
  const world = await World.start(t);
  const { ann, ben, board, put, invite, assign } = await withBoard(world);
  await put({ assigned: { mail: 'now' } });
  await invite();
  await assign();
  await until(() => world.pending().length === 2);
  await world.do(ann, `DELETE /boards/${board.id}/members/${ben.id}`);
  const other = await withBoard(world);
  await other.put({ assigned: { mail: 'now' } });
  await other.assign().catch(() => undefined);
  await other.invite();
  await until(() => world.pending().length === 3);
  await world.do(other.ben, 'POST /me/notifications/read', {});
  await other.assign();
  await until(() => world.pending().length === 4);
  await world.makeDue();
  const [mail] = await world.noticesTo(1);
  t.strictSame(mail?.to, [other.ben.email]);
  t.match(mail?.text, 'assigned');
  t.notMatch(mail?.text, 'member of another board', 'that was read');
  await world.app.close();
  t.equal(world.notices().length, 1);
});

t.test('MAIL43 a link in the mail and its header stop the mails by one request, without a login', async (t) => {
  const world = await World.start(t);
  const { ben, put, invite, assign } = await withBoard(world);
  await put({ assigned: { mail: 'now' }, moved: { app: false, mail: 'daily' } });
  await invite();
  await assign();
  await until(() => world.pending().length === 2);
  await world.makeDue();
  const [mail] = await world.noticesTo(1);
  const link = /^<(.*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
  t.equal(mail?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  t.ok(mail?.text.includes(`\n${link}\n`) && mail.html.includes(`<a href="${link}">`), 'also to be seen');
  const { url } = world.app;
  const here = link.replace(PUBLIC_URL, url);
  const { log, text } = logLines();
  await world.restart(log);
  const address = here.replace(url, world.app.url);
  const page = await fetch(address);
  t.equal(page.status, 200);
  t.match(page.headers.get('content-type'), /^text\/html/);
  t.match(page.headers.get('content-security-policy'), /default-src 'none'; form-action 'self'/);
  t.equal(page.headers.get('cache-control'), 'no-store');
  const shown = await page.text();
  t.match(shown, /<form method="post"><button>/);
  const sheet = /<style>([^]*)<\/style>/.exec(shown)?.[1] ?? '';
  t.match(sheet, /prefers-color-scheme: dark/);
  const allowed = `; style-src 'sha256-${createHash('sha256').update(sheet).digest('base64')}'`;
  t.ok(page.headers.get('content-security-policy')?.endsWith(allowed), 'its own sheet, and no other');
  const settings = () => world.do<{ kinds: object }>(ben, 'GET /me/notification-settings');
  t.match(await settings(), { kinds: { assigned: { mail: 'now' } } }, 'looking at it changes nothing');
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  for (const sent of [{ method: 'POST', body }, { method: 'POST' }]) {
    const answer = await fetch(address, sent);
    t.equal(answer.status, 200);
    t.match(await answer.text(), 'You get no notices by mail any more');
  }
  t.match(await settings(), { kinds: { assigned: { app: true, mail: 'off' }, moved: { app: false, mail: 'off' }, due: { mail: 'off' } } });
  const token = new URL(address).searchParams.get('token') ?? '';
  t.equal((await world.app.api.request('GET', '/auth/me', { token })).status, 401, 'it is good for nothing else');
  const forged = new UnsubscribeTokens('another secret').issue(ben.id, new Date());
  for (const bad of ['', '?token=', `?token=${forged}`, `?token=${token}x`]) {
    for (const method of ['GET', 'POST']) {
      t.match(
        await world.app.api.request(method, `/unsubscribe${bad}`),
        { status: 403, body: { detail: /^The link is not valid/ } },
        `${method} ${bad}`,
      );
    }
  }
  for (let count = 0; count < 4; count += 1) await world.app.api.request('POST', `/unsubscribe?token=${count}`);
  t.equal((await world.app.api.request('POST', '/unsubscribe?token=guess')).status, 429, 'guesses are limited');
  await world.app.close();
  t.match(text(), '/unsubscribe', 'requests are logged');
  t.notMatch(text(), token, 'without the token');
});
