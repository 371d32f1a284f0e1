/** Boards of the last days, while the service is away. */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import { newPerson, newBoard, type Person } from '../../support/web/people.js';
import { cardOf, eventually } from '../../support/web/boardPage.js';
import { violationsIn } from '../../support/web/axe.js';
import { openWindow } from '../../support/web/window.js';
import { sharedBrowser } from '../../support/service/browser.js';
import { sharedWorld } from '../../support/web/world.js';
import { startTestApp, WITH_THREADS, type TestApp } from '../../support/service/app.js';

const { options } = sharedWorld(t);

interface Kept {
  readonly app: TestApp;
  readonly page: Page;
  readonly ann: Person;
  readonly ben: Person;
  readonly boardId: string;
}

/** Ben's window with Ann's board, of which a copy is kept. */
async function openKept(t: Test): Promise<Kept> {
  const app = await startTestApp(t, WITH_THREADS);
  const [ann, ben] = [await newPerson(app.api), await newPerson(app.api)];
  const { id: boardId, columns } = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: [] });
  await ann.client.card.update({ card_id: columns[0]?.cards[0]?.id ?? '' }, { description: 'the whole text' });
  const { page } = await openWindow(t, await sharedBrowser(), `${app.url}/app/boards/${boardId}`, ben);
  await cardOf(page, 'a').waitFor();
  await eventually(t, () => keptBoards(page), [boardId], 'a copy is kept');
  return { app, page, ann, ben, boardId };
}

function keptBoards(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(KEPT);
}

t.test('WEB5 after a reload without the service the board can be read, marked with its age, and goes on by itself', options, async (t) => {
  const { app, page, ann, boardId } = await openKept(t);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  // Loaded once through the worker, so that it has the page.
  await page.reload();
  await cardOf(page, 'a').waitFor();
  await app.close();
  await page.reload();
  await page.getByText('You see the board as it was').waitFor();
  await page.getByRole('region', { name: 'To do', exact: true }).getByText('b', { exact: true }).waitFor();
  t.equal(await page.getByRole('button', { name: '+ Add a card' }).count(), 0, 'nothing can be changed');
  await page.getByText('More', { exact: true }).click();
  await page.getByText('the whole text').waitFor();
  t.strictSame(await violationsIn(page), []);
  await page.getByRole('link', { name: 'Other boards' }).click();
  await page.getByRole('heading', { name: 'Boards that you can read meanwhile' }).waitFor();
  await page.goBack();
  await page.getByText('You see the board as it was').waitFor();

  const { port } = new URL(app.url);
  const again = await startTestApp(t, { ...WITH_THREADS, DATA_DIR: app.config.dataDir, PORT: port });
  t.equal(again.url, app.url);
  await page.getByRole('button', { name: '+ Add a card' }).first().waitFor();
  await cardOf(page, 'a').waitFor();
  t.equal((await ann.client.board.get({ board_id: boardId })).columns.length, 2);
});

t.test('WEB20 a copy goes when the board is lost, also if the page was closed then', options, async (t) => {
  const { app, page, ann, ben, boardId } = await openKept(t);
  await page.goto('about:blank');
  await ann.client.member.remove({ board_id: boardId, user_id: ben.id });
  await page.goto(`${app.url}/app/account`);
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  await eventually(t, () => keptBoards(page), [], 'gone at the next contact');
});

t.test('WEB20 copies go with the session: by a logout, or if it was ended elsewhere', options, async (t) => {
  const first = await openKept(t);
  await first.page.getByRole('button', { name: 'Account' }).click();
  await first.page.getByRole('button', { name: 'Log out' }).click();
  await first.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await eventually(t, () => keptBoards(first.page), [], 'after a logout');

  const second = await openKept(t);
  await second.page.goto('about:blank');
  await second.ben.client.auth.endOtherSessions();
  await second.page.goto(second.app.url);
  await second.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await eventually(t, () => keptBoards(second.page), [], 'after the end of the session');
});

t.test('WEBCARD12 a file that is attached while the service is away outlives its window, and is attached once', options, async (t) => {
  const { app, page, ann, boardId } = await openKept(t);
  await cardOf(page, 'a').click();
  await page.getByRole('dialog').waitFor();
  await app.close();
  await page.getByLabel('Files to attach').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('kept') });
  await page.getByRole('dialog').getByText('note.txt').waitFor();
  await eventually(t, () => page.evaluate<string[]>(FILES), ['note.txt'], 'it is kept');
  await page.goto('about:blank');
  const again = await startTestApp(t, { ...WITH_THREADS, DATA_DIR: app.config.dataDir, PORT: new URL(app.url).port });
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
