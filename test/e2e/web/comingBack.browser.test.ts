import t from 'tap';
import type { Request } from 'playwright-core';
import { newContext } from '../../support/service/browser.js';
import { SAVES_DATA } from '../../support/service/chromium.js';
import { cardOf, eventually, shows } from '../../support/web/boardPage.js';
import { addItems, openCard } from '../../support/web/cardDialog.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, newBoard, type Person } from '../../support/web/people.js';
import { logIn } from '../../support/web/window.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB15 every screen has an address that leads to it, and back and forward work', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const [boardPath, cardPath] = [`/app/boards/${board.id}`, `/app/boards/${board.id}/cards/${cardIn(board, 'a').id}`];
  const { page } = await world.open(t, ann, cardPath, { hasWorker: true });
  const path = (): string => new URL(page.url()).pathname;
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  t.equal(path(), cardPath, 'a deep link leads to the card, after the login');

  await page.reload();
  await dialog.waitFor();
  t.equal(path(), cardPath, 'so does a reload, without a login');
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await dialog.waitFor({ state: 'detached' });
  t.equal(path(), boardPath);
  await cardOf(page, 'b').click();
  await dialog.waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  t.equal(path(), boardPath, 'back closes the card');
  await page.goForward();
  await dialog.waitFor();
  t.match(path(), cardIn(board, 'b').id, 'forward opens it');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Switchboard' }).click();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
  await page.goBack();
  await shows(t, page, { 'To do': ['a', 'b'] }, 'back from the list leads to the board');
});

t.test('WEB15 a session that is ended elsewhere leads to the login, which says why, and from there back to the card', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const cardPath = `/app/boards/${board.id}/cards/${cardIn(board, 'a').id}`;
  const { page } = await world.open(t, ann, cardPath, { hasWorker: true });
  await page.getByRole('dialog').waitFor();
  await ann.client.auth.endOtherSessions();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  t.match(await page.getByRole('status').filter({ hasText: 'logged out' }).innerText(), /this session was ended from another device/);
  await logIn(page, ann);
  await page.getByRole('dialog').waitFor();
  t.equal(new URL(page.url()).pathname, cardPath);
  await eventually(t, () => page.locator('.presence .avatar').count(), 1, 'the board is live again');
});

t.test('WEB15 a window in which another user logs in shows what is theirs, and acts for no other', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const shared = await newBoard([ann, ben], {});
  await ben.client.board.create({ title: 'Of Ben alone' });
  const { page } = await world.open(t, null, '/app/login');
  const other = await page.context().newPage();
  await other.goto(`${world.url}/app/login`);
  await logIn(page, ann);
  await page.getByRole('button', { name: 'Star Plans' }).waitFor();
  await logIn(other, ben);
  await page.getByRole('link', { name: 'Of Ben alone' }).waitFor();
  await other.close();

  // A login that the page does not hear of.
  const form = { username: ann.email, password: ann.password };
  t.ok((await page.context().request.post(`${world.url}/auth/login`, { form })).ok());
  await page.getByRole('button', { name: 'Star Plans' }).click();
  await page.getByRole('link', { name: 'Of Ben alone' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Star Plans' }).waitFor();
  const isStarred = async ({ client }: Person): Promise<unknown> => (await client.board.list()).find(({ id }) => id === shared.id)?.is_starred;
  t.strictSame([await isStarred(ann), await isStarred(ben)], [false, false], 'it was refused');
});

t.test('WEB15 a session that ends while its user is writing leads to the login too, and the text is there afterwards', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, boardId } = await openCard(t, world, addItems);
  const end = async (): Promise<void> => {
    await ann.client.auth.endOtherSessions();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    t.equal(await page.locator('.columns, dialog').count(), 0, 'nothing of the board is left');
    await logIn(page, ann);
  };
  await dialog.getByRole('button', { name: 'a', exact: true }).click();
  await page.getByLabel('Text of the item').fill('half an item');
  await end();
  await dialog.waitFor();
  t.equal(await page.getByLabel('Text of the item').inputValue(), 'half an item');

  const board_id = boardId;
  const { id: label_id } = await ann.client.label.create({ board_id }, { name: 'Urgent' });
  const trigger = { trigger_type: 'LABEL_ADDED', trigger_label_id: label_id } as const;
  await ann.client.rule.create({ board_id }, { name: 'Rule 1', ...trigger, action_type: 'ASSIGN_MEMBER', action_user_id: ann.id });
  await page.goto(`${world.url}/app/boards/${board_id}`);
  const rules = await openPanel(page, 'Rules');
  await rules.getByRole('button', { name: 'Rule 1', exact: true }).click();
  await rules.getByLabel('Name of the rule').fill('half a name');
  await end();
  await openPanel(page, 'Rules');
  await eventually(t, () => rules.getByRole('textbox', { name: 'Name of the rule' }).inputValue(), 'half a name', 'a name that no draft had yet');
});

t.test(
  'WEB20 no script can read a token, and the page keeps only preferences, who was logged in, unsaved changes and the boards',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person();
    const board = await newBoard([ann], { 'To do': ['a'] });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { hasWorker: true });
    await cardOf(page, 'a').waitFor();
    t.strictSame(await page.evaluate('({ local: Object.entries(localStorage).sort(), session: sessionStorage.length, cookie: document.cookie })'), {
      local: [
        [`switchboard opened boards ${ann.id}`, JSON.stringify([board.id])],
        ['switchboard user', ann.id],
      ],
      session: 0,
      cookie: '',
    });
    const rows = (): Promise<ReadonlyArray<{ readonly userId: string; readonly boardId: string }>> => page.evaluate(KEPT_ROWS);
    await eventually(t, async () => (await rows()).map(({ userId, boardId }) => [userId, boardId]), [[ann.id, board.id]], 'the board alone is kept');
    const cached = await page.evaluate<readonly string[]>(CACHED);
    t.strictSame(
      cached.filter((path) => path !== '/app' && !path.startsWith('/app/assets/')),
      [],
      'and the page, which has nothing of users',
    );
    const cookies = await page.context().cookies();
    t.ok(cookies.length > 0, 'the session is in cookies');
    t.strictSame(
      cookies.filter(({ httpOnly }) => !httpOnly),
      [],
      'that no script can read',
    );
  },
);

for (const locale of ['en-US', 'de-DE']) {
  t.test(
    `WEBSERVE5 the first visit to a board needs at most 80 kB of compressed script and style, in eight requests with everything else (${locale})`,
    options,
    async (t) => {
      const world = await start();
      const ann = await world.person();
      const board = await newBoard([ann], { 'To do': ['a'] });
      const context = await newContext(world.browser, { locale });
      t.teardown(() => context.close());
      await context.request.post(`${world.url}/auth/login`, { form: { username: ann.email, password: ann.password } });
      // Where the browser saves data, what is loaded is what the first visit needs: the parts that others load at rest do not come.
      await context.addInitScript(SAVES_DATA);
      const page = await context.newPage();
      const requests: Request[] = [];
      page.on('request', (request) => requests.push(request));
      await page.goto(`${world.url}/app/boards/${board.id}`);
      await cardOf(page, 'a').waitFor();
      await page.waitForTimeout(REST_MS);
      const paths = requests.map((request) => new URL(request.url()).pathname);
      t.ok(paths.length <= MAX_REQUESTS, paths.join(' '));
      const sizes = await Promise.all(requests.map(async (request) => (await request.sizes()).responseBodySize));
      const code = sizes.filter((_size, index) => /\.(?:js|css)$/.test(paths[index] ?? '')).reduce((sum, size) => sum + size, 0);
      t.comment(`${code} bytes of script and style`);
      t.ok(code > 1_000 && code <= 80_000, `${code} bytes`);
    },
  );
}

/** Runs in the page: the addresses of everything in its caches. */
const CACHED = `(async () => {
  const paths = [];
  for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  return paths;
})()`;

/** Longer than the page waits with a board that rests. */
const REST_MS = 2_500;

/** The page, its scripts, words and style, the session, and the board; the socket is not one of them. */
const MAX_REQUESTS = 8;

/** Runs in the page: every row of every table of its databases. */
const KEPT_ROWS = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  const rows = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await asked(indexedDB.open(name));
    for (const table of database.objectStoreNames) rows.push(...(await asked(database.transaction(table).objectStore(table).getAll())));
    database.close();
  }
  return rows;
})()`;
