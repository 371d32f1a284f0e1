import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { announced, boxOf, cardOf, eventually } from '../../support/web/boardPage.js';
import { addItems, itemsOf, openCard, shownItems } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);
/** The whole card is visible, so nothing scrolls under the pointer. */
const TALL = { height: 1200 };

t.test('WEBCARD2 checklists and items are added, renamed, ticked, assigned and deleted, with the progress shown', options, async (t) => {
  const { page, dialog, ben, card } = await openCard(t, await start());
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await dialog.getByRole('button', { name: 'Add a checklist' }).click();
  await type('Steps');
  await page.getByLabel('New item in Steps').waitFor();
  for (const item of ['one', 'two', 'three']) await type(item);
  await page.keyboard.press('Escape');
  await eventually(t, () => shownItems(page), { Steps: ['one', 'two', 'three'] }, 'all are shown');
  await eventually(t, async () => itemsOf(await card()), { Steps: ['one', 'two', 'three'] }, 'and saved');

  await dialog.getByRole('checkbox', { name: 'two' }).check();
  await dialog.getByRole('progressbar', { name: '1 of 3 items done' }).waitFor();
  await dialog.getByRole('button', { name: 'three', exact: true }).click();
  await page.getByLabel('Text of the item').fill('  third  ');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Actions for one' }).click();
  await page.getByRole('checkbox', { name: 'Ben' }).check();
  await page.getByLabel('Due: day').fill('2031-05-06');
  await page.keyboard.press('Escape');
  await eventually(t, async () => (await card()).checklists[0]?.items[0]?.due_at, '2031-05-06', 'the item is due');
  await dialog.locator('.item', { hasText: 'one' }).locator('.due.is-later').waitFor();
  await dialog.getByRole('button', { name: 'Actions for two' }).click();
  await page.getByRole('button', { name: 'Delete the item' }).click();
  await dialog.getByRole('button', { name: 'Steps', exact: true }).click();
  await page.getByLabel('Title of the checklist').fill('Stages');
  await page.keyboard.press('Enter');
  await dialog.getByRole('progressbar', { name: '0 of 2 items done' }).waitFor();
  await eventually(t, async () => itemsOf(await card()), { Stages: ['one', 'third'] }, 'all of it is saved');
  t.strictSame(
    (await card()).checklists[0]?.items[0]?.assignees.map(({ id }) => id),
    [ben.id],
  );

  const [list] = (await card()).checklists;
  await ben.client.item.create({ checklist_id: list?.id ?? '' }, { content: 'from Ben' });
  await eventually(t, () => shownItems(page), { Stages: ['one', 'third', 'from Ben'] }, 'an item of somebody else appears');
  await dialog.getByRole('button', { name: 'Delete the checklist Stages' }).click();
  await page.getByRole('dialog', { name: 'Delete the checklist?' }).getByRole('button', { name: 'Delete the checklist' }).click();
  await eventually(t, async () => itemsOf(await card()), {}, 'the checklist is deleted');
});

t.test(
  'WEB11 an item that two people write at once: nothing is saved over the other text before the choice, and nothing typed is lost',
  options,
  async (t) => {
    const world = await start();
    const { page, dialog, ben, boardId, cardId, card } = await openCard(t, world, addItems);
    const { page: other } = await world.open(t, ben, `/app/boards/${boardId}/cards/${cardId}`);
    const write = async (window: Page, item: string, text: string): Promise<void> => {
      await window.getByRole('dialog').getByRole('button', { name: item, exact: true }).click();
      await window.getByLabel('Text of the item').fill(text);
    };
    const field = page.getByLabel('Text of the item');
    const hint = dialog.getByText('Changed by somebody else meanwhile.');
    const items = async (): Promise<unknown> => itemsOf(await card());

    await write(page, 'a', 'mine');
    await write(other, 'a', 'theirs');
    await other.keyboard.press('Enter');
    await hint.waitFor();
    t.equal(await field.inputValue(), 'mine', 'what is typed stays');
    await dialog.getByRole('region', { name: 'Their text' }).getByText('theirs').waitFor();
    await field.press('Enter');
    t.ok(
      await dialog.getByRole('button', { name: 'Keep mine' }).evaluate((element) => element === element.ownerDocument.activeElement),
      'the choice comes first',
    );
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    await cardOf(page, 'Plan').click();
    await hint.waitFor();
    t.equal(await field.inputValue(), 'mine', 'the text outlives the dialog');
    t.strictSame(await items(), { First: ['theirs', 'b', 'c'], Second: ['x'] }, 'and is not saved by it');
    await dialog.getByRole('button', { name: 'Both, one after the other' }).click();
    await hint.waitFor({ state: 'detached' });
    await field.press('Enter');
    await eventually(t, items, { First: ['theirs mine', 'b', 'c'], Second: ['x'] }, 'after the choice it is');

    await write(page, 'b', 'mine again');
    await write(other, 'b', 'theirs again');
    await other.keyboard.press('Enter');
    await hint.waitFor();
    await dialog.getByRole('button', { name: 'Use theirs' }).click();
    await field.waitFor({ state: 'detached' });
    await eventually(t, items, { First: ['theirs mine', 'theirs again', 'c'], Second: ['x'] }, 'theirs stays');

    await write(page, 'c', 'typed in vain');
    await write(other, 'c', 'theirs at last');
    await other.keyboard.press('Enter');
    await hint.waitFor();
    await other.getByRole('button', { name: 'Actions for theirs at last' }).click();
    await other.getByRole('button', { name: 'Delete the item' }).click();
    await field.waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Not saved/ }).click();
    t.equal(await page.getByRole('dialog', { name: 'Not saved' }).getByLabel('Your text').inputValue(), 'typed in vain');
  },
);

t.test(
  'WEB11 a checklist that is deleted while somebody adds to it leaves what was typed in the dialog, until it is discarded',
  options,
  async (t) => {
    const { page, dialog, ben, card } = await openCard(t, await start(), addItems);
    const first = dialog.getByRole('region', { name: 'Checklist First' });
    await first.getByRole('button', { name: 'Add an item' }).click();
    await page.getByLabel('New item in First').fill('half an item');
    await ben.client.checklist.delete({ checklist_id: (await card()).checklists[0]?.id ?? '' });
    await first.waitFor({ state: 'detached' });
    const lost = dialog.getByRole('textbox', { name: 'Your text that was not saved' });
    t.equal(await lost.inputValue(), 'half an item');
    await dialog.getByText('The checklist was deleted.').waitFor();
    await page.reload();
    await eventually(t, () => lost.inputValue(), 'half an item', 'also when the dialog is opened again');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await lost.waitFor({ state: 'detached' });
  },
);

t.test('WEBCARD10 items are dragged by mouse and by touch, within a checklist and to another', options, async (t) => {
  const world = await start();
  await t.test('by mouse', async (t) => {
    const { page, card } = await openCard(t, world, addItems, TALL);
    await page.mouse.move(...(await centreOf(grip(page, 'c'))));
    await page.mouse.down();
    const [x, y] = await placeBefore(page, 'a');
    await page.mouse.move(x, y, { steps: 8 });
    await row(page, 'a').and(page.locator('.is-marked')).waitFor();
    await page.mouse.up();
    const sorted = { First: ['c', 'a', 'b'], Second: ['x'] };
    await eventually(t, () => shownItems(page), sorted, 'within the checklist');
    await eventually(t, async () => itemsOf(await card()), sorted, 'as saved');

    await page.mouse.move(...(await centreOf(grip(page, 'a'))));
    await page.mouse.down();
    await page.mouse.move(...(await placeBefore(page, 'x')), { steps: 8 });
    await row(page, 'x').and(page.locator('.is-marked')).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await eventually(t, () => shownItems(page), sorted, 'Escape puts it back, and the dialog stays');

    await page.mouse.move(...(await centreOf(grip(page, 'a'))));
    await page.mouse.down();
    await page.mouse.move(...(await placeBefore(page, 'x')), { steps: 8 });
    await row(page, 'x').and(page.locator('.is-marked')).waitFor();
    await page.mouse.up();
    const moved = { First: ['c', 'b'], Second: ['a', 'x'] };
    await eventually(t, () => shownItems(page), moved, 'to another checklist');
    await eventually(t, async () => itemsOf(await card()), moved, 'as saved');
  });

  await t.test('by touch', async (t) => {
    const { page, card } = await openCard(t, world, addItems, { ...TALL, width: 390, isTouch: true });
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: Point): Promise<unknown> =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: point === undefined ? [] : [{ x: point[0], y: point[1] }] });
    const from = await centreOf(grip(page, 'b'));
    await touch('touchStart', from);
    const to = await placeBefore(page, 'x');
    for (let step = 1; step <= 6; step += 1) await touch('touchMove', [from[0], from[1] + ((to[1] - from[1]) * step) / 6]);
    await row(page, 'x').and(page.locator('.is-marked')).waitFor();
    await touch('touchEnd');
    await eventually(t, async () => itemsOf(await card()), { First: ['a', 'c'], Second: ['b', 'x'] }, 'as saved');
  });
});

t.test('WEBCARD10 items are moved by keyboard through all checklists; each step is announced, and Escape puts back', options, async (t) => {
  const { page, dialog, card } = await openCard(t, await start(), addItems);
  const says = (text: string): Promise<void> => eventually(t, () => announced(page), text, `it says ${text}`);
  await grip(page, 'c').focus();
  await page.keyboard.press('Space');
  await says('Lifted c, 3 of 3 in First. Arrow keys move it, space drops it, escape puts it back.');
  await page.keyboard.press('ArrowUp');
  await says('Position 2 of 3 in First');
  await page.keyboard.press('Escape');
  await says('Put back c.');
  t.ok(await dialog.isVisible(), 'the dialog stays');
  t.strictSame(await shownItems(page), { First: ['a', 'b', 'c'], Second: ['x'] });

  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await says('Position 1 of 2 in Second');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await says('Position 2 of 2 in Second');
  await page.keyboard.press('Space');
  await says('Dropped c in Second.');
  await eventually(t, async () => itemsOf(await card()), { First: ['a', 'b'], Second: ['x', 'c'] }, 'as saved');
  const focused = (): Promise<string | null> => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
  await eventually(t, focused, 'Move c', 'the focus goes with it');

  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  await says('Put back c.');
  t.strictSame(await shownItems(page), { First: ['a', 'b'], Second: ['x', 'c'] });
});

type Point = [x: number, y: number];

function row(page: Page, content: string): Locator {
  return page.locator('[data-item-id]', { has: page.getByRole('button', { name: content, exact: true }) });
}

function grip(page: Page, content: string): Locator {
  return page.getByRole('button', { name: `Move ${content}`, exact: true });
}

async function centreOf(locator: Locator): Promise<Point> {
  await locator.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await boxOf(locator);
  return [x + width / 2, y + height / 2];
}

async function placeBefore(page: Page, content: string): Promise<Point> {
  const { x, y, height } = await boxOf(row(page, content));
  return [x + 30, y + height / 4];
}
