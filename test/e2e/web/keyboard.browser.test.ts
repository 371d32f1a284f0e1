import t from 'tap';
import type { Page } from 'playwright-core';
import { announced, cardOf, columnOf, eventually, shownColumns, shows } from '../../support/web/boardPage.js';
import { newBoard, planOf } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB7 by keyboard alone a user walks between cards, lifts, moves, drops and puts back, and hears each step', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b', 'c'], Empty: [], Doing: ['x'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const hears = (text: string): Promise<void> => eventually(t, () => announced(page), text, `it says: ${text}`);
  await cardOf(page, 'a').waitFor();

  await t.test('walking', async (t) => {
    await tabTo(page, 'a');
    for (const [key, title] of [
      ['ArrowDown', 'b'],
      ['ArrowDown', 'c'],
      ['ArrowDown', 'c'],
      ['ArrowUp', 'b'],
      ['ArrowRight', 'x'],
      ['ArrowRight', 'x'],
      ['ArrowLeft', 'a'],
    ] as const) {
      await press(key);
      await eventually(t, () => focused(page), title, `${key} leads to ${title}`);
    }
  });

  await t.test('lifting and dropping a card', async (t) => {
    await press('Space');
    await hears('Lifted a. Position 1 of 3 in To do. Arrow keys move it, space drops it, escape puts it back.');
    await press('ArrowDown');
    await hears('Position 2 of 3 in To do');
    await press('ArrowDown');
    await hears('Position 3 of 3 in To do');
    await press('Space');
    await hears('Dropped a in To do.');
    await shows(t, page, { 'To do': ['b', 'c', 'a'], Empty: [], Doing: ['x'] });
    await eventually(t, () => focused(page), 'a', 'the focus stays on it');
  });

  await t.test('to other columns, also an empty one', async (t) => {
    await press('Space');
    await press('ArrowRight');
    await hears('Position 1 of 1 in Empty');
    await press('ArrowRight');
    await hears('Position 1 of 2 in Doing');
    await press('ArrowLeft');
    await press('Enter');
    await hears('Dropped a in Empty.');
    await shows(t, page, { 'To do': ['b', 'c'], Empty: ['a'], Doing: ['x'] });
    await eventually(t, () => focused(page), 'a', 'the focus stays on it');
  });

  await t.test('putting back', async (t) => {
    await press('Space');
    await press('ArrowLeft');
    await press('Escape');
    await hears('Put back a.');
    await shows(t, page, { 'To do': ['b', 'c'], Empty: ['a'], Doing: ['x'] });
    t.equal(await page.locator('.is-marked, .is-lifted').count(), 0, 'no mark stays');
  });

  await t.test('a column', async (t) => {
    await columnOf(page, 'Doing').getByRole('button', { name: 'Move the column Doing' }).focus();
    await press('Space');
    await hears('Lifted the column Doing, 3 of 3. Left and right move it, space drops it, escape puts it back.');
    await press('ArrowLeft');
    await hears('Position 2 of 3');
    await press('ArrowLeft');
    await hears('Position 1 of 3');
    await press('Space');
    await hears('Dropped the column Doing.');
    await eventually(t, () => shownColumns(page), ['Doing', 'To do', 'Empty'], 'it is moved');
  });
  await eventually(
    t,
    async () => planOf(await ann.client.board.get({ board_id: board.id })),
    { Doing: ['x'], 'To do': ['b', 'c'], Empty: ['a'] },
    'as the service has it',
  );
});

t.test('WEB18 keys start everything on a board, and ? lists them', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'], Doing: ['x'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  await cardOf(page, 'x').waitFor();

  await press('?');
  const sheet = page.getByRole('dialog', { name: 'Shortcuts' });
  t.match(await sheet.innerText(), /Filter the cards[\s\S]*New card[\s\S]*Lift the card/);
  await press('n');
  t.equal(await page.locator('form.add-form textarea').count(), 0, 'keys do nothing behind a dialog');
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });

  await cardOf(page, 'x').focus();
  await press('n');
  await page.getByLabel('Title of the new card in Doing').waitFor();
  await page.keyboard.type('new? /b');
  await press('Enter');
  await press('Escape');
  await shows(t, page, { 'To do': ['a'], Doing: ['x', 'new? /b'] }, 'keys that are typed are text');
  await eventually(t, () => page.evaluate<string>('document.activeElement.textContent'), '+ Add a card', 'the focus is on the button of the form');

  await press('/');
  await page.keyboard.type('new');
  await shows(t, page, { 'To do': [], Doing: ['new? /b'] });
  await press('Escape');
  await shows(t, page, { 'To do': ['a'], Doing: ['x', 'new? /b'] });

  await press('c');
  await page.getByLabel('Title of the new column').fill('Done');
  await press('Enter');
  await eventually(t, () => shownColumns(page), ['To do', 'Doing', 'Done'], 'a column was added');
  await press('Escape');

  await cardOf(page, 'a').focus();
  await press('m');
  await page.getByRole('dialog', { name: 'Move “a”' }).waitFor();
  await press('Escape');
  await eventually(t, () => focused(page), 'a', 'the focus is back on the card');
  await press('Enter');
  await page.waitForURL(/\/cards\//);
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await page.waitForURL(/\/boards\/[^/]+$/);
  await press('b');
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
});

/** The title of the card with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`document.activeElement.matches('.card-title') ? document.activeElement.textContent : ''`);
}

async function tabTo(page: Page, title: string): Promise<void> {
  for (let tabs = 0; tabs < 40; tabs += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === title) return;
  }
  throw new Error(`${title} is not reached with the tab key`);
}
