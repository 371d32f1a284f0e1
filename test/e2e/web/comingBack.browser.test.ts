import t from 'tap';
import { cardOf, eventually, shows } from '../../support/web/boardPage.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { logIn } from '../../support/web/window.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB15 every screen has an address that leads to it, and back and forward work', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const [boardPath, cardPath] = [`/app/boards/${board.id}`, `/app/boards/${board.id}/cards/${cardIn(board, 'a').id}`];
  const { page } = await world.open(t, ann, cardPath);
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
  const { page } = await world.open(t, ann, cardPath);
  await page.getByRole('dialog').waitFor();
  await ann.client.auth.endOtherSessions();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  t.match(
    await page.getByRole('status').filter({ hasText: 'logged out' }).innerText(),
    /ended on another device or by a new password, or it expired/,
  );
  await logIn(page, ann);
  await page.getByRole('dialog').waitFor();
  t.equal(new URL(page.url()).pathname, cardPath);
  await eventually(t, () => page.locator('.presence .avatar').count(), 1, 'the board is live again');
});

t.test('WEB20 no script can read a token, and the page keeps only preferences, unsaved changes and the boards', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  t.strictSame(await page.evaluate('({ local: localStorage.length, session: sessionStorage.length, cookie: document.cookie })'), {
    local: 0,
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
});

t.test(
  'WEBSERVE5 a visit to a board, from the login on, loads at most 80 kB of compressed script and style in few files before a card is opened',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person();
    const board = await newBoard([ann], { 'To do': ['a'] });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
    await cardOf(page, 'a').waitFor();
    const bytes = await page.evaluate<number>(LOADED_BYTES);
    t.comment(`${bytes} bytes`);
    t.ok(bytes > 1_000 && bytes <= 80_000, `${bytes} bytes`);
    const files = await page.evaluate<string[]>(LOADED_FILES);
    t.ok(files.length <= MAX_FILES, files.join(' '));
  },
);

/** Runs in the page: the addresses of everything in its caches. */
const CACHED = `(async () => {
  const paths = [];
  for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  return paths;
})()`;

/** Three requests of the session and the page itself make eight. */
const MAX_FILES = 4;
/** Runs in the page. */
const LOADED_FILES = `[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname))].filter((path) => path.startsWith('/app/assets/'))`;

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

/** Runs in the page: the size of everything that it loaded to run, as it was sent. */
const LOADED_BYTES = `performance.getEntriesByType('resource').filter(({ name }) => /\\/app\\/assets\\/.*\\.(?:js|css)$/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
