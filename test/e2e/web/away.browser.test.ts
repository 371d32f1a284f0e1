/** Boards of the last days, while the service is away. */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import { newPerson, newBoard, type Person } from '../../support/web/people.js';
import { ARE_PARTS_LOADED, cardOf, eventually, untilTrue } from '../../support/web/boardPage.js';
import { violationsIn } from '../../support/web/axe.js';
import { openWindow, type WindowOptions } from '../../support/web/window.js';
import { sharedBrowser } from '../../support/service/browser.js';
import { sharedWorld } from '../../support/web/world.js';
import { changeUser } from '../../support/service/operator.js';
import { sharedApp, startTestApp, type TestApp } from '../../support/service/app.js';

const { options } = sharedWorld(t);

interface Kept {
  readonly app: TestApp;
  readonly page: Page;
  readonly ann: Person;
  readonly ben: Person;
  readonly boardId: string;
}

/** Ben's window with Ann's board, of which a copy is kept. Only a service of its own can be closed. */
async function openKept(t: Test, service?: TestApp, options: WindowOptions = {}): Promise<Kept> {
  const app = service ?? (await startTestApp(t));
  const [ann, ben] = [await newPerson(app.api), await newPerson(app.api)];
  const { id: boardId, columns } = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: [] });
  await ann.client.card.update({ card_id: columns[0]?.cards[0]?.id ?? '' }, { description: 'the whole text' });
  const { page } = await openWindow(t, await sharedBrowser(), `${app.url}/app/boards/${boardId}`, ben, { hasWorker: true, ...options });
  await cardOf(page, 'a').waitFor();
  await eventually(t, () => keptBoards(page), [boardId], 'a copy is kept');
  return { app, page, ann, ben, boardId };
}

function keptBoards(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(KEPT);
}

t.test('WEB5 a board that is opened in an open page while the service is away can be read, and goes on by itself', options, async (t) => {
  const { app, page, ann, boardId } = await openKept(t);
  const other = await newBoard([ann], { Ideas: ['c'] });
  await page.locator('header a[href="/"]').first().click();
  const link = page.locator(`a[href="/app/boards/${boardId}"]`).first();
  await link.waitFor();
  await app.close();
  await link.click();
  await page.getByText('You see the board as it was').waitFor();
  await page.getByRole('region', { name: 'To do', exact: true }).getByText('b', { exact: true }).waitFor();
  t.strictSame(await violationsIn(page), []);
  await page.evaluate(`history.pushState(null, '', '/app/boards/${other.id}'); dispatchEvent(new PopStateEvent('popstate'))`);
  await page.getByText('This board is not kept in this browser').waitFor();
  await page.goBack();
  await page.getByText('You see the board as it was').waitFor();
  await startTestApp(t, { DATA_DIR: app.config.dataDir, PORT: new URL(app.url).port });
  await page.getByRole('button', { name: '+ Add a card' }).first().waitFor();
});

t.test('WEB5 after a reload without the service the board can be read, marked with its age, and goes on by itself', options, async (t) => {
  const { app, page, ann, boardId } = await openKept(t);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await untilTrue(page, ARE_PARTS_LOADED);
  await app.close();
  await page.getByText('Cut off.').waitFor();
  await page.getByRole('button', { name: '+ Add a card' }).first().click();
  await page.keyboard.type('typed in the tunnel');
  await page.keyboard.press('Enter');
  await page.getByText('Cut off.').filter({ hasText: 'One change is kept' }).waitFor();
  await cardOf(page, 'a').focus();
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByText('Cut off.').filter({ hasText: 'One change is kept' }).waitFor();
  await page.reload();
  await page.getByText('You see the board as it was').waitFor();
  await page.getByText('One change of yours is kept').click();
  t.equal(await page.getByLabel('Your text').inputValue(), 'typed in the tunnel');
  await page.locator('.columns').focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  t.equal(await page.locator('.columns').evaluate((columns) => columns.ownerDocument.defaultView?.getComputedStyle(columns).outlineStyle), 'solid');
  await page.getByRole('region', { name: 'To do', exact: true }).getByText('b', { exact: true }).waitFor();
  t.equal(await page.getByRole('button', { name: '+ Add a card' }).count(), 0, 'nothing can be changed');
  await page.getByText('More', { exact: true }).click();
  await page.getByText('the whole text').waitFor();
  t.strictSame(await violationsIn(page), []);
  await page.getByRole('link', { name: 'Other boards' }).click();
  await page.getByRole('heading', { name: 'Boards that you can read meanwhile' }).waitFor();
  await page.goBack();
  await page.getByText('You see the board as it was').waitFor();
  await page.evaluate(FORGET_COPIES);
  await page.reload();
  await page.getByText('One change of yours is kept').click();
  t.equal(await page.getByLabel('Your text').inputValue(), 'typed in the tunnel', 'also without a copy of a board');

  const { port } = new URL(app.url);
  const again = await startTestApp(t, { DATA_DIR: app.config.dataDir, PORT: port });
  t.equal(again.url, app.url);
  await page.getByRole('button', { name: '+ Add a card' }).first().waitFor();
  await cardOf(page, 'a').waitFor();
  await cardOf(page, 'typed in the tunnel').waitFor();
  t.equal((await ann.client.board.get({ board_id: boardId })).columns.length, 2);
});

t.test('WEB5 a part of the page that is not there yet while the service is away is in nobody’s way, and comes afterwards', options, async (t) => {
  const { page, boardId } = await openKept(t, await sharedApp(), { savesData: true });
  await page.context().setOffline(true);
  const alert = page.getByRole('alert').filter({ hasText: 'This part could not be loaded.' });
  await cardOf(page, 'a').focus();
  await page.keyboard.press('Enter');
  await alert.waitFor();
  await page.keyboard.press('Escape');
  await alert.waitFor({ state: 'detached' });
  await page.waitForURL(`**/app/boards/${boardId}`);
  await cardOf(page, 'a').focus();
  await page.keyboard.press('Enter');
  const box = await alert.boundingBox();
  t.equal(
    await page.evaluate(`document.elementFromPoint(10, ${(box?.y ?? 0) + (box?.height ?? 0) / 2})?.closest('[role=alert]')`),
    null,
    'the board beside the words can be used',
  );
  await alert.getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(`**/app/boards/${boardId}`);
  await cardOf(page, 'a').focus();
  await page.keyboard.press('Enter');
  await alert.waitFor();
  await page.context().setOffline(false);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('dialog').getByText('the whole text').waitFor();
});

t.test('WEB5 a browser without room for a copy of the page shows the page of the service', options, async (t) => {
  const { app, page } = await openKept(t, await sharedApp());
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  await cardOf(page, 'a').waitFor();
  const worker = page
    .context()
    .serviceWorkers()
    .findLast((each) => each.url().startsWith(app.url));
  await page.evaluate(OLD_PAGE);
  await worker?.evaluate('Cache.prototype.put = () => Promise.reject(new Error("there is no room"))');
  await page.reload();
  await cardOf(page, 'a').waitFor();
  await worker?.evaluate('caches.open = () => Promise.reject(new Error("there is no cache"))');
  await page.reload();
  await cardOf(page, 'a').waitFor();
  const refusals = await worker?.evaluate<unknown>('[Cache.prototype.put, caches.open].map((each) => /there is no/.test(each))');
  t.strictSame(refusals, [true, true], 'the worker was the same all the time');
});

t.test('WEB20 a copy goes when the board is lost, also if the page was closed then', options, async (t) => {
  const { app, page, ann, ben, boardId } = await openKept(t, await sharedApp());
  await page.goto('about:blank');
  await ann.client.member.remove({ board_id: boardId, user_id: ben.id });
  await page.goto(`${app.url}/app/account`);
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  await eventually(t, () => keptBoards(page), [], 'gone at the next contact');
});

t.test('WEB20 copies go with the session: by a logout, or if it was ended elsewhere', options, async (t) => {
  const first = await openKept(t, await sharedApp());
  await first.page.getByRole('button', { name: 'Account' }).click();
  await first.page.getByRole('button', { name: 'Log out' }).click();
  await first.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await eventually(t, () => keptBoards(first.page), [], 'after a logout');

  const second = await openKept(t, await sharedApp());
  await second.page.goto('about:blank');
  await second.ben.client.auth.endOtherSessions();
  await second.page.goto(second.app.url);
  await second.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await eventually(t, () => keptBoards(second.page), [], 'after the end of the session');
  await second.page.getByText('You were logged out').waitFor();
  await second.page.reload();
  await second.page.getByRole('heading', { name: 'Log in' }).waitFor();
  t.equal(await second.page.getByText('You were logged out').count(), 0, 'said once');

  const third = await openKept(t, await sharedApp());
  await third.page.context().route(/\/boards\/.*\/cards/, (route) => route.abort('connectionfailed'));
  await third.page.getByRole('button', { name: '+ Add a card' }).first().click();
  await third.page.keyboard.type('my own words');
  await third.page.keyboard.press('Enter');
  await eventually(t, () => third.page.evaluate<string[]>(UNSENT), ['my own words'], 'it is kept');
  await third.page.goto('about:blank');
  const root = await newPerson(third.app.api);
  await changeUser(third.app.config.dataDir, root.id, { is_superuser: true });
  await root.client.admin.deactivateUser({ user_id: third.ben.id });
  await third.page.goto(third.app.url);
  await third.page.getByText('You were logged out: the operator of the service deactivated your account').waitFor();
  await eventually(t, () => keptBoards(third.page), [], 'after a deactivation');
  t.strictSame(await third.page.evaluate<string[]>(UNSENT), ['my own words'], 'what the user typed stays');
});

t.test('WEBCARD12 a file that is attached while the service is away outlives its window, and is attached once', options, async (t) => {
  const { app, page, ann, boardId } = await openKept(t);
  await cardOf(page, 'a').click();
  await page.getByRole('dialog').waitFor();
  await app.close();
  await page.getByLabel('Files to attach').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('kept') });
  await page.getByRole('dialog').getByText('note.txt').waitFor();
  await eventually(t, () => page.evaluate<string[]>(FILES), ['note.txt'], 'it is kept');
  const large = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(26 * 2 ** 20) };
  await page.getByLabel('Files to attach').setInputFiles(large);
  await page.getByText('Leave this page open: only files of up to 26.2 MB').waitFor();
  await page.getByRole('button', { name: 'Cancel large.bin' }).click();
  await page.goto('about:blank');
  const again = await startTestApp(t, { DATA_DIR: app.config.dataDir, PORT: new URL(app.url).port });
  await page.goto(`${again.url}/app/boards/${boardId}`);
  const attached = async (): Promise<string[]> => {
    const { columns } = await ann.client.board.get({ board_id: boardId });
    return columns.flatMap(({ cards }) => cards.flatMap(({ attachments }) => attachments.map(({ name, size }) => `${name} ${size}`)));
  };
  await eventually(t, attached, ['note.txt 4'], 'the next window sends it');
  await eventually(t, () => page.evaluate<string[]>(FILES), [], 'and forgets it');
  await page.reload();
  await cardOf(page, 'a').waitFor();
  t.strictSame(await attached(), ['note.txt 4']);
});

/** Runs in the page: what is kept is of an older version, whose scripts are gone. */
const OLD_PAGE = `(async () => {
  const cache = await caches.open('switchboard page');
  for (const key of await cache.keys()) await cache.delete(key);
  await cache.put('/app', new Response('<p>an old page</p>', { headers: { 'content-type': 'text/html' } }));
})()`;

/** Runs in the page: the titles that wait to be sent. */
const UNSENT = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  const database = await asked(indexedDB.open('switchboard'));
  const rows = await asked(database.transaction('changes').objectStore('changes').getAll());
  database.close();
  return rows.map(({ change }) => change.args[1].title);
})()`;

/** Runs in the page: the names of the files that wait. */
const FILES = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  if (!(await indexedDB.databases()).some(({ name }) => name === 'switchboard files')) return [];
  const database = await asked(indexedDB.open('switchboard files'));
  const rows = await asked(database.transaction('files').objectStore('files').getAll());
  database.close();
  return rows.map(({ name }) => name);
})()`;

/** Runs in the page: the ids of the boards of which copies are kept. */
const KEPT = `(async () => {
  const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  if (!(await indexedDB.databases()).some(({ name }) => name === 'switchboard boards')) return [];
  const database = await asked(indexedDB.open('switchboard boards'));
  const rows = await asked(database.transaction('copies').objectStore('copies').getAll());
  database.close();
  return rows.map(({ boardId }) => boardId);
})()`;

const FORGET_COPIES = `new Promise((resolve, reject) => {
  const request = indexedDB.open('switchboard boards');
  request.onerror = reject;
  request.onsuccess = () => {
    const transaction = request.result.transaction('copies', 'readwrite');
    transaction.objectStore('copies').clear();
    transaction.oncomplete = () => {
      request.result.close();
      resolve();
    };
  };
})`;
