/** The trash in the page: the list in another window, the way back, and undo in the notice after a deletion. */
import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { columnOf, eventually, shows } from '../../support/web/boardPage.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

function trashIn(page: Page): Locator {
  return page.getByRole('list', { name: 'Deleted things' });
}

function titlesIn(page: Page): Promise<string[]> {
  return trashIn(page).locator('.row-name').allTextContents();
}

t.test('WEBPANEL6 what is deleted is listed in the trash, restored by keyboard and mouse, or undone from the notice', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const board = await newBoard([ann, ben], { 'To do': ['Plan', 'Write'], Done: ['Old'] });
  await ann.client.checklist.create({ card_id: cardIn(board, 'Plan').id }, { title: 'Steps' });
  const path = `/app/boards/${board.id}`;
  const { page } = await world.open(t, ann, path);
  const second = await world.open(t, ben, path);
  await shows(t, page, { 'To do': ['Plan', 'Write'], Done: ['Old'] });
  await openPanel(second.page, 'Trash');
  await second.page.getByText('The trash is empty').waitFor();

  await columnOf(page, 'Done').getByRole('button', { name: 'Actions for the column Done' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete the column', exact: true }).click();
  await shows(t, page, { 'To do': ['Plan', 'Write'] });
  await eventually(t, () => titlesIn(second.page), ['Done'], 'the other window lists it');
  await page.locator('.notice', { hasText: 'Deleted: Done.' }).getByRole('button', { name: 'Undo' }).click();
  await shows(t, page, { 'To do': ['Plan', 'Write'], Done: ['Old'] }, 'taken back with its card');
  await eventually(t, () => titlesIn(second.page), [], 'and it is in the trash no longer');

  await ann.client.card.delete({ card_id: cardIn(board, 'Plan').id });
  await ann.client.card.delete({ card_id: cardIn(board, 'Write').id });
  await eventually(t, () => titlesIn(second.page), ['Write', 'Plan'], 'the latest first');
  t.strictSame(await violationsIn(second.page), [], 'axe');
  t.equal(await trashIn(second.page).getByRole('button', { name: 'Delete Plan for ever' }).count(), 0, 'only owners throw away');
  await trashIn(second.page).getByRole('button', { name: 'Restore Plan' }).focus();
  await second.page.keyboard.press('Enter');
  await shows(t, page, { 'To do': ['Plan'], Done: ['Old'] });
  t.match(await ben.client.card.get({ card_id: cardIn(board, 'Plan').id }), { checklists: [{ title: 'Steps' }] });

  await openPanel(page, 'Trash');
  await trashIn(page).getByRole('button', { name: 'Delete Write for ever' }).click();
  await page.getByRole('button', { name: 'Delete for ever', exact: true }).click();
  await eventually(t, () => titlesIn(page), [], 'thrown away');
  t.strictSame((await ann.client.trash.list({ board_id: board.id })).entries, []);
});
