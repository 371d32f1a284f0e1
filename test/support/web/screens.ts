/** Every screen of the browser application, its menus and its dialogs. */
import type { Test } from 'tap';
import type { Page } from 'playwright-core';
import { cardOf } from './boardPage.js';
import { newBoard, type Person } from './people.js';
import type { BrowserWindow } from './window.js';
import type { WebWorld } from './world.js';

/** The widths at which all of them are looked at. */
export const WIDTHS: readonly number[] = [1280, 390];

/** A screen, and the steps that lead to it. */
type Visit = (title: string, open: () => Promise<void>) => Promise<unknown>;

/** Shows every screen to `look`. */
export async function eachScreen(t: Test, world: WebWorld, width: number, look: (t: Test, window: BrowserWindow) => Promise<void>): Promise<void> {
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const ben = await world.person();
  const board = await populatedBoard(ann, ben);
  const visit =
    (window: BrowserWindow): Visit =>
    (title, open) =>
      t.test(title, async (t) => {
        await open();
        await window.screenshot(`web-${title.replaceAll(' ', '-')}-${width}`);
        await look(t, window);
      });

  const outside = await world.open(t, null, '/', { width });
  const { page: door } = outside;
  const before = visit(outside);
  await before('login', () => door.getByRole('heading', { name: 'Log in' }).waitFor());
  await before('refused login', async () => {
    await door.getByLabel('E-mail or username').fill('nobody');
    await door.getByLabel('Password').fill('nothing');
    await door.getByRole('button', { name: 'Log in' }).click();
    await door.locator('.refusal').waitFor();
  });
  await before('register', async () => {
    await door.getByRole('link', { name: 'Register' }).click();
    await door.getByRole('heading', { name: 'Register' }).waitFor();
  });

  const inside = await world.open(t, ann, '/', { width });
  const { page } = inside;
  const within = visit(inside);
  await within('boards', () => page.getByRole('link', { name: board.title }).waitFor());
  await within('menu of a board', () => page.getByRole('button', { name: `Actions for ${board.title}` }).click());
  await within('deleting a board', async () => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await close(page);
  await within('account menu', () => page.getByRole('button', { name: 'Account' }).click());
  await page.keyboard.press('Escape');
  await within('address that leads nowhere', async () => {
    await page.goto(`${world.url}/app/nowhere`);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  });
  await within('board', async () => {
    await page.goto(`${world.url}/app/boards/${board.id}`);
    await cardOf(page, 'Write the text').waitFor();
  });
  await within('menu of a card', async () => {
    await cardOf(page, 'Write the text').hover();
    await page.getByRole('button', { name: 'Actions for Write the text' }).click();
  });
  await within('moving a card', async () => {
    await page.getByRole('button', { name: 'Move to…' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await close(page);
  await within('menu of a column', () => page.getByRole('button', { name: 'Actions for the column To do' }).click());
  await within('deleting a column', async () => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await close(page);
  await within('filter', () => page.getByRole('button', { name: 'Filter by label and person' }).click());
  await page.keyboard.press('Escape');
  await within('shortcuts', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  });
  await close(page);
  await within('new card', () => page.getByRole('button', { name: '+ Add a card' }).first().click());
  await page.keyboard.press('Escape');
  await within('lifted card', async () => {
    await cardOf(page, 'Write the text').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.locator('.is-marked').first().waitFor({ state: 'attached' });
  });
  await page.keyboard.press('Escape');
  const empty = await newBoard([ann], {}, 'Empty');
  await within('empty board', async () => {
    await page.goto(`${world.url}/app/boards/${empty.id}`);
    await page.getByRole('region', { name: 'Templates' }).waitFor();
  });
  await page.route(/\/columns$/, (route) =>
    route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"There are enough columns"}' }),
  );
  await within('not saved', async () => {
    await page.getByLabel('Title of the new column').fill('One too many');
    await page.keyboard.press('Enter');
    // It says the same, for some seconds and above everything.
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Not saved: 1' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await close(page);
  await within('log out with unsent changes', async () => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('dialog', { name: 'Log out?' }).waitFor();
  });
  await close(page);
  await within('board that is not there', async () => {
    await page.goto(`${world.url}/app/boards/${ann.id}`);
    await page.getByRole('heading', { name: 'No access to this board' }).waitFor();
  });
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function populatedBoard(ann: Person, ben: Person): Promise<{ readonly id: string; readonly title: string }> {
  const { client } = ann;
  const board = await newBoard([ann, ben], { 'To do': ['Write the text', 'שלום עולם'], Doing: ['Take the pictures'], Done: [] }, 'Spring');
  const [todo, , done] = board.columns;
  const card_id = todo?.cards[0]?.id ?? '';
  for (const color of ['#e3b341', '#2f6feb', 'red', '#111111']) {
    const label = await client.label.create({ board_id: board.id }, { name: `label ${color}`, color });
    await client.card.addLabel({ card_id, label_id: label.id });
  }
  await client.card.assign({ card_id }, { user_ids: [ann.id, ben.id] });
  await client.card.update({ card_id }, { description: 'With a description' });
  const { id: checklist_id } = await client.checklist.create({ card_id }, { title: 'Steps' });
  await client.item.create({ checklist_id }, { content: 'First' });
  await client.column.update({ column_id: done?.id ?? '' }, { is_done_column: true });
  return board;
}
