/** What was typed and not saved, when the window, the connection or the right to change something is gone. */
import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import type { FullBoard } from '../../../src/client/index.js';
import { cardOf, columnOf, eventually } from '../../support/web/boardPage.js';
import { columnIn, newBoard, planOf, type Person } from '../../support/web/people.js';
import { openPanel } from '../../support/web/panel.js';
import { logIn } from '../../support/web/window.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Every request that changes something. */
const CHANGES = /\/(?:boards|cards|columns)\//;

interface Cut {
  /** Requests get through again. */
  heal(): Promise<void>;
}

/** `answer`: of the service instead; otherwise there is none. */
async function cut(page: Page, answer?: { readonly status: number; readonly detail: string }): Promise<Cut> {
  const context = page.context();
  await context.route(CHANGES, (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    if (answer === undefined) return route.abort('connectionfailed');
    return route.fulfill({ status: answer.status, contentType: 'application/json', body: JSON.stringify({ detail: answer.detail }) });
  });
  return { heal: () => context.unroute(CHANGES) };
}

async function typeCards(page: Page, titles: readonly string[]): Promise<void> {
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  for (const title of titles) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
    await cardOf(page, title).waitFor();
  }
}

function stored(t: Test, { client }: Person, { id }: FullBoard, titles: readonly string[], message: string): Promise<void> {
  const read = async (): Promise<unknown> => planOf(await client.board.get({ board_id: id }))['To do'];
  return eventually<unknown>(t, read, titles, message);
}

t.test('WEB24 what a closed window has not sent is sent by the next one, once and in order', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  await cardOf(page, 'a').waitFor();
  const tunnel = await cut(page);
  await typeCards(page, ['one', 'two', 'three']);
  await page.getByRole('status').getByText('3 changes are kept').waitFor();
  t.equal(await page.getByText('Cut off.').count(), 0, 'the board itself is live');
  await page.getByRole('link', { name: 'Switchboard' }).click();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
  await page.getByRole('status').getByText('3 changes are kept').waitFor();
  const context = page.context();
  // The browser lets a request through that it holds back when the window closes: so there is none.
  await context.setOffline(true);
  await page.close();
  await context.setOffline(false);
  await stored(t, ann, board, ['a'], 'nothing has arrived');

  await tunnel.heal();
  const next = await context.newPage();
  await next.goto(world.url + path);
  await cardOf(next, 'three').waitFor();
  await stored(t, ann, board, ['a', 'one', 'two', 'three'], 'all of it, and once');
});

t.test('WEB24 what another window has not sent is taken over when it is closed, and shown there', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  await cardOf(page, 'a').waitFor();
  const other = await page.context().newPage();
  await other.goto(world.url + path);
  await cardOf(other, 'a').waitFor();
  const tunnel = await cut(page);
  await typeCards(page, ['one']);
  t.notOk(await cardOf(other, 'one').isVisible());
  await page.close();
  await cardOf(other, 'one').waitFor();
  await tunnel.heal();
  await stored(t, ann, board, ['a', 'one'], 'once');
});

t.test('WEB24 on a phone no notice lies over what can be done with a refused change', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 390, height: 844 });
  await cardOf(page, 'a').waitFor();
  await cut(page, { status: 409, detail: 'The column has as many cards as a column can have' });
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('a long thought');
  await page.keyboard.press('Enter');
  await page.locator('.notice.is-failure').waitFor();
  await page.getByRole('button', { name: 'Not saved: 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Not saved' });
  await dialog.locator('.notice.is-failure').waitFor();
  for (const name of ['Close', 'Try again', 'Copy', 'Discard']) {
    const button = dialog.getByRole('button', { name, exact: true });
    const isOnTop = await button.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
    });
    t.ok(isOnTop, `${name} can be pressed`);
  }
});

t.test('WEB24 what is refused stands in a list with its text, also after a reload, until it is tried again or discarded', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page, screenshot } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  const refusing = await cut(page, { status: 409, detail: 'The column has as many cards as a column can have' });
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  for (const title of ['a long thought', 'another']) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
  }
  const button = page.getByRole('button', { name: 'Not saved: 2' });
  await button.waitFor();
  await page.reload();
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Not saved' });
  await dialog.getByText('The column has as many cards').first().waitFor();
  const texts = dialog.getByLabel('Your text');
  t.strictSame([await texts.nth(0).inputValue(), await texts.nth(1).inputValue()], ['a long thought', 'another']);
  await screenshot('web-not-saved');
  await refusing.heal();
  await dialog.getByRole('button', { name: 'Try again' }).first().click();
  await stored(t, ann, board, ['a', 'a long thought'], 'it is saved');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('button', { name: /Not saved/ }).count(), 0);
  await page.reload();
  await cardOf(page, 'a long thought').waitFor();
  t.equal(await page.getByRole('button', { name: /Not saved/ }).count(), 0);
});

t.test('WEB24 a refused change without a text names its card and board, and a text can be copied', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  await cut(page, { status: 409, detail: 'Not now' });
  await cardOf(page, 'a').focus();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the card' }).click();
  await page.getByRole('button', { name: 'Not saved: 1' }).waitFor();
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('a long thought');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Not saved: 2' }).click();
  const [deleted, added] = [page.locator('.not-saved > li').nth(0), page.locator('.not-saved > li').nth(1)];
  t.match(await deleted.innerText(), /Card deleted · a · Plans/);
  t.equal(await deleted.getByRole('link', { name: 'Plans' }).getAttribute('href'), `/app/boards/${board.id}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await added.getByRole('button', { name: 'Copy' }).click();
  await eventually(t, () => page.evaluate('navigator.clipboard.readText()'), 'a long thought', 'it is copied');
});

t.test('WEB24 a refused change says which date, cover or place was set', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'], Done: [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').focus();
  await cut(page, { status: 409, detail: 'Not now' });
  for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Not saved: 1' }).waitFor();
  await cardOf(page, 'a').click();
  const card = page.getByRole('dialog');
  await card.getByRole('button', { name: 'Add a date' }).click();
  await card.getByLabel('Due: day').fill('2031-05-06');
  await card.getByLabel('Due: day').blur();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Not saved: 2' }).click();
  const texts = await page.locator('.not-saved > li').allInnerTexts();
  t.match(texts[0], /Column: Done\s+Position: 1/);
  t.match(texts[1], /Due: May 6, 2031/);
});

t.test('WEB24 the address of a link is shown at once, outlives its window, and is in the list if it is refused', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const card_id = columnIn(board, 'To do').cards[0]?.id ?? '';
  const path = `/app/boards/${board.id}/cards/${card_id}`;
  const { page } = await world.open(t, ann, path);
  const attached = async (): Promise<Array<string | null>> => (await ann.client.card.get({ card_id })).attachments.map(({ url }) => url);
  const link = async (address: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a link' }).click();
    await page.getByLabel('Address of a web page').fill(address);
    await page.keyboard.press('Enter');
  };
  await page.getByRole('button', { name: 'Add a link' }).waitFor();
  const tunnel = await cut(page);
  await link('https://example.org/plan');
  const row = page.getByRole('dialog').getByRole('link', { name: 'https://example.org/plan' });
  await row.waitFor();
  await page.reload();
  await row.waitFor();
  t.strictSame(await attached(), [], 'it is not sent yet');
  await tunnel.heal();
  await eventually(t, attached, ['https://example.org/plan'], 'sent once');
  await link('no address at all');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Not saved: 1' }).click();
  t.equal(await page.getByRole('dialog', { name: 'Not saved' }).getByLabel('Your text').inputValue(), 'no address at all');
  t.equal((await attached()).length, 1);
});

t.test('WEB24 a board that is renamed in the list is renamed although the service is away, also by the next window', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], {});
  const { page } = await world.open(t, ann, '/');
  const tunnel = await cut(page);
  await page.getByRole('button', { name: 'Actions for Plans' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Title of the board').fill('Better plans');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Better plans' }).waitFor();
  const context = page.context();
  await page.close();
  await tunnel.heal();
  const next = await context.newPage();
  await next.goto(world.url);
  await eventually(t, async () => (await ann.client.board.get({ board_id: board.id })).title, 'Better plans', 'it was not given up');
});

t.test('WEB24 before a logout unsent changes are sent, saved as a file or discarded', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  const tunnel = await cut(page);
  const dialog = page.getByRole('dialog', { name: 'Log out?' });
  const logOutWith = async (title: string): Promise<void> => {
    await typeCards(page, [title]);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await dialog.waitFor();
  };
  await logOutWith('one');
  const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save as a file' }).click()]);
  t.match(await readFile(await download.path(), 'utf8'), /Card added, .*, board Plans\nTo do\n\none/);
  await dialog.getByRole('button', { name: 'Send, then log out' }).click();
  await dialog.getByText('Waiting for the service…').waitFor();
  await tunnel.heal();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await stored(t, ann, board, ['a', 'one'], 'sent before the logout');
  await logIn(page, ann);
  await page.goto(`${world.url}/app/boards/${board.id}`);
  await cut(page);
  await logOutWith('two');
  await dialog.getByRole('button', { name: 'Discard and log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.context().unrouteAll();
  await logIn(page, ann);
  await page.goto(`${world.url}/app/boards/${board.id}`);
  await cardOf(page, 'one').waitFor();
  t.equal(await cardOf(page, 'two').count(), 0);
  await stored(t, ann, board, ['a', 'one'], 'nothing of it is left');
});

t.test('WEB24 a logout also asks about what another window has not sent, and discards or waits for it', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  const other = await page.context().newPage();
  await other.goto(world.url);
  const dialog = other.getByRole('dialog', { name: 'Log out?' });
  const logOutElsewhere = async (title: string): Promise<Cut> => {
    await page.goto(`${world.url}/app/boards/${board.id}`);
    await cardOf(page, 'a').waitFor();
    const tunnel = await cut(page);
    await typeCards(page, [title]);
    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('button', { name: 'Log out' }).click();
    await dialog.getByText('One change in another window is not saved yet.').waitFor();
    return tunnel;
  };
  let tunnel = await logOutElsewhere('one');
  const [download] = await Promise.all([other.waitForEvent('download'), dialog.getByRole('button', { name: 'Save as a file' }).click()]);
  t.match(await readFile(await download.path(), 'utf8'), /one/);
  await dialog.getByRole('button', { name: 'Discard and log out' }).click();
  await other.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await tunnel.heal();
  await logIn(other, ann);
  await other.getByRole('link', { name: 'Plans' }).waitFor();
  tunnel = await logOutElsewhere('two');
  await dialog.getByRole('button', { name: 'Send, then log out' }).click();
  await dialog.getByText('Waiting for the service…').waitFor();
  await tunnel.heal();
  await other.getByRole('heading', { name: 'Log in' }).waitFor();
  await stored(t, ann, board, ['a', 'two'], 'the first was discarded, the second sent');
});

t.test('WEB24 a file that is refused after days, because the service has it already, is not in the list', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const card_id = columnIn(board, 'To do').cards[0]?.id ?? '';
  const { page } = await world.open(t, ann, `/app/boards/${board.id}/cards/${card_id}`);
  await page.getByLabel('Files to attach').waitFor({ state: 'attached' });
  await page.context().route(/\/attachments$/, async (route) => {
    await route.fetch();
    await route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"The id is taken"}' });
  });
  await page.getByLabel('Files to attach').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('plan') });
  await eventually(t, async () => (await ann.client.card.get({ card_id })).attachments.map(({ name }) => name), ['plan.txt'], 'it is attached');
  await page.getByRole('dialog').getByText('plan.txt').waitFor();
  await eventually(t, () => page.getByRole('progressbar').count(), 0, 'nothing is under way');
  t.equal(await page.getByRole('button', { name: /Not saved/ }).count(), 0);
});

t.test('WEB24 a refused file stands in the list, also after a reload; a logout counts files that are on their way', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const card_id = columnIn(board, 'To do').cards[0]?.id ?? '';
  const { page } = await world.open(t, ann, `/app/boards/${board.id}/cards/${card_id}`);
  const attach = (name: string): Promise<void> =>
    page.getByLabel('Files to attach').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  const attached = async (): Promise<string[]> => (await ann.client.card.get({ card_id })).attachments.map(({ name }) => name);
  const refusing = await cut(page, { status: 409, detail: 'The card has as many files as a card can have' });
  await attach('plan.txt');
  await attach('other.txt');
  await page.getByRole('button', { name: 'Not saved: 2' }).waitFor();
  await page.goto(`${world.url}/app/boards/${board.id}`);
  await page.getByRole('button', { name: 'Not saved: 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Not saved' });
  await dialog.getByText('File plan.txt').waitFor();
  await dialog.getByText('The card has as many files').first().waitFor();
  await refusing.heal();
  const entry = (name: string) => dialog.getByRole('listitem').filter({ hasText: name });
  await entry('plan.txt').getByRole('button', { name: 'Try again' }).click();
  await eventually(t, attached, ['plan.txt'], 'it is attached');
  await entry('other.txt').getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.goto(`${world.url}/app/boards/${board.id}/cards/${card_id}`);
  await page.getByLabel('Files to attach').waitFor({ state: 'attached' });
  t.equal(await page.getByRole('button', { name: /Not saved/ }).count(), 0);

  const tunnel = await cut(page);
  await attach('late.txt');
  await page.getByRole('dialog').getByText('late.txt').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  const question = page.getByRole('dialog', { name: 'Log out?' });
  await question.getByText('One file is not on its card yet.').waitFor();
  await tunnel.heal();
  await question.getByRole('button', { name: 'Send, then log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  t.strictSame(await attached(), ['plan.txt', 'late.txt']);
});

t.test('WEB24 a browser that can keep nothing says so, and asks before the page is left', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  const tunnel = await cut(page);
  await page.evaluate(`{
    const refuse = () => { throw new DOMException('there is no room', 'QuotaExceededError'); };
    IDBDatabase.prototype.transaction = refuse;
    Storage.prototype.setItem = refuse;
  }`);
  const asks = (): Promise<boolean> =>
    page.evaluate(
      `(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented; })()`,
    );
  await typeCards(page, ['one']);
  await page.getByText('This browser cannot keep your changes.').waitFor();
  await page.getByRole('status').getByText('leave this page open').waitFor();
  t.ok(await asks());
  await tunnel.heal();
  await stored(t, ann, board, ['a', 'one'], 'it is sent all the same');
  await eventually(t, asks, false, 'nothing would be lost any more');

  // A database that never answers keeps nobody out or in.
  const other = await page.context().newPage();
  await other.addInitScript('IDBFactory.prototype.open = () => new EventTarget()');
  await other.goto(`${world.url}/app/boards/${board.id}`);
  await cardOf(other, 'one').waitFor();
  await typeCards(other, ['two']);
  await stored(t, ann, board, ['a', 'one', 'two'], 'changes are sent');
  await cardOf(other, 'a').click();
  const names = ['1.txt', '2.txt', '3.txt', '4.txt'];
  await other.getByLabel('Files to attach').setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
  const card_id = columnIn(board, 'To do').cards[0]?.id ?? '';
  const attached = async (): Promise<string[]> => (await ann.client.card.get({ card_id })).attachments.map(({ name }) => name).sort();
  await eventually(t, attached, names, 'more files than are sent at once');
  await eventually(t, () => other.getByRole('progressbar').count(), 0, 'all are done');
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Account' }).click();
  await other.getByRole('button', { name: 'Log out' }).click();
  const dialog = other.getByRole('dialog', { name: 'Log out?' });
  await dialog.getByText('This browser does not say whether other windows have unsaved changes').waitFor();
  await dialog.getByRole('button', { name: 'Log out', exact: true }).click();
  await other.getByRole('heading', { name: 'Log in' }).waitFor();
  await other.reload();
  await other.getByRole('heading', { name: 'Log in' }).waitFor();
  await other.close();
});

/** Runs in the page: its database can be read, and takes nothing new. */
const TAKES_NOTHING = `
  globalThis.ordinaryAdd = IDBObjectStore.prototype.add;
  IDBObjectStore.prototype.add = () => { throw new DOMException('there is no room', 'QuotaExceededError'); };
`;
const NOTES = `Object.keys(localStorage).filter((name) => name.startsWith('unsent ')).length`;

t.test('WEB24 a change that the database did not take is sent once and in its place, by its window and by the next', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  await cardOf(page, 'a').waitFor();
  await page.evaluate(TAKES_NOTHING);
  const refusing = await cut(page, { status: 401, detail: 'The session is that of another user' });
  const asked = page.waitForRequest(/\/auth\/me$/);
  await typeCards(page, ['one']);
  await asked;
  await refusing.heal();
  await stored(t, ann, board, ['a', 'one'], 'the window still has it, and asks again');

  const tunnel = await cut(page);
  await page.keyboard.type('two');
  await page.keyboard.press('Enter');
  await eventually(t, () => page.evaluate(NOTES), 1, 'it is noted');
  await page.evaluate('IDBObjectStore.prototype.add = ordinaryAdd');
  await page.keyboard.type('three');
  await page.keyboard.press('Enter');
  await cardOf(page, 'three').waitFor();
  // The first one may have followed it.
  await eventually(t, async () => (await page.evaluate<number>(NOTES)) < 2, true, 'the database has the other');
  const context = page.context();
  await page.close();
  await tunnel.heal();
  const next = await context.newPage();
  await next.goto(world.url + path);
  await stored(t, ann, board, ['a', 'one', 'two', 'three'], 'in order');
});

t.test('WEB24 what the browser kept and cannot be read holds up no change', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  await page.evaluate(`localStorage.setItem('unsent broken', '{')`);
  await page.reload();
  await cardOf(page, 'a').waitFor();
  await typeCards(page, ['one']);
  await stored(t, ann, board, ['a', 'one'], 'beside a note that cannot be read');
  const other = await page.context().newPage();
  await other.addInitScript(`LockManager.prototype.request = () => Promise.reject(new Error('no locks'))`);
  await other.goto(page.url());
  await cardOf(other, 'one').waitFor();
  await typeCards(other, ['two']);
  await stored(t, ann, board, ['a', 'one', 'two'], 'without locks');
});

t.test('WEB24 a logout with unsent changes asks; the next user of the browser sees and sends nothing of them', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  await cardOf(page, 'a').waitFor();
  const tunnel = await cut(page);
  await typeCards(page, ['one']);
  const chooseLogOut = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page
      .getByRole('menuitem', { name: 'Log out' })
      .or(page.getByRole('button', { name: 'Log out' }))
      .first()
      .click();
  };
  await chooseLogOut();
  const dialog = page.getByRole('dialog', { name: 'Log out?' });
  await dialog.getByText('One change is not saved yet.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await ann.client.auth.endOtherSessions();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await tunnel.heal();
  await logIn(page, ben);
  await cardOf(page, 'a').waitFor();
  t.notOk(await cardOf(page, 'one').isVisible());
  await chooseLogOut();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await stored(t, ann, board, ['a'], 'nothing was sent by another user');
  await logIn(page, ann);
  await stored(t, ann, board, ['a', 'one'], 'it is sent in a session of its author');
});

t.test('WEB24 a change is not sent in the session of another user, who has logged in in another window', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  await cardOf(page, 'a').waitFor();
  const tunnel = await cut(page);
  await typeCards(page, ['one']);
  const other = await page.context().newPage();
  await other.goto(`${world.url}/app/login`);
  await other.context().clearCookies();
  await other.goto(`${world.url}/app/login`);
  await logIn(other, ben);
  await tunnel.heal();
  await cardOf(page, 'one').waitFor({ state: 'detached' });
  await stored(t, ann, board, ['a'], 'nothing is made in the name of another');
  await other.context().clearCookies();
  await other.goto(world.url + path);
  await logIn(other, ann);
  await stored(t, ann, board, ['a', 'one'], 'it is sent where its author is');
});

t.test('WEB11 the title of a board that is refused stays in its form, with the reason beside it', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/');
  const field = page.getByLabel('Name of a new board');
  await page
    .context()
    .route(/\/boards$/, (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"You have as many boards as a user can have"}' })
        : route.fallback(),
    );
  await field.fill('Great plans');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('You have as many boards').waitFor();
  await page.reload();
  t.equal(await field.inputValue(), 'Great plans');
  await page.context().unrouteAll();
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Great plans' }).waitFor();
  await page.getByRole('link', { name: 'Switchboard' }).click();
  await page.getByRole('link', { name: 'Great plans' }).waitFor();
  t.equal(await field.inputValue(), '');
});

t.test('WEB11 a form that keeps no draft asks before Escape discards it, and the next Escape closes its dialog', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await openPanel(page, 'Webhooks');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://example.org/');
  await page.keyboard.press('Escape');
  await page.getByText('Press Escape once more to discard').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

t.test('WEB11 what a member is typing can still be copied when the board is lost', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const { page } = await world.open(t, ben, `/app/boards/${board.id}`);
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('a thought');
  await page.keyboard.press('Escape');
  await cardOf(page, 'a').click();
  await page.getByRole('button', { name: 'Add a description…' }).click();
  await page.keyboard.type('much work');
  await ann.client.member.remove({ board_id: board.id, user_id: ben.id });
  await page.getByText('you are not a member').waitFor();
  const texts = page.getByLabel('Your text that was not saved');
  t.strictSame([await texts.nth(0).inputValue(), await texts.nth(1).inputValue()], ['a thought', 'much work']);
  await page.getByRole('button', { name: 'Discard' }).first().click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await texts.waitFor({ state: 'detached' });
});

t.test('WEB11 a card that is being typed survives Escape, and the deletion of its column', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'], Doing: [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const add = columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' });
  await add.click();
  await page.keyboard.type('a thought');
  await page.keyboard.press('Escape');
  await add.click();
  const field = page.getByLabel('Title of the new card in To do');
  t.equal(await field.inputValue(), 'a thought');
  await ann.client.column.delete({ column_id: columnIn(board, 'To do').id });
  await page.getByRole('button', { name: 'Not saved: 1' }).click();
  t.equal(await page.getByRole('dialog', { name: 'Not saved' }).getByLabel('Your text').inputValue(), 'a thought');
});
