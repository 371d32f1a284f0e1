/** What was typed and not saved, when the window, the connection or the right to change something is gone. */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import type { FullBoard } from '../../../src/client/index.js';
import { cardOf, columnOf, eventually } from '../../support/web/boardPage.js';
import { columnIn, newBoard, planOf, type Person } from '../../support/web/people.js';
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
  const context = page.context();
  await page.close();
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
