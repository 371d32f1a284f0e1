/** The archive in the page: the way into it, the list, and the way back, in two windows. */
import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { cardOf, columnOf, eventually, shows } from '../../support/web/boardPage.js';
import { cardDialog } from '../../support/web/cardDialog.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, columnIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

function archiveIn(page: Page): Locator {
  return page.getByRole('list', { name: 'Archived cards and columns' });
}

function titlesIn(page: Page): Promise<string[]> {
  return archiveIn(page).locator('.row-name').allTextContents();
}

t.test(
  'WEBPANEL6 cards and columns are archived, listed, restored and deleted, by mouse and keyboard, and every window shows it',
  options,
  async (t) => {
    const world = await start();
    const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
    const board = await newBoard([ann, ben], { 'To do': ['Plan', 'Write', 'Print'], Done: ['Old'] });
    const path = `/app/boards/${board.id}`;
    const { page } = await world.open(t, ann, path);
    const second = await world.open(t, ben, path);
    await shows(t, page, { 'To do': ['Plan', 'Write', 'Print'], Done: ['Old'] });
    await openPanel(second.page, 'Archive');
    await second.page.getByText('Nothing is archived').waitFor();

    await page.getByRole('button', { name: 'Actions for Plan' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await shows(t, page, { 'To do': ['Write', 'Print'], Done: ['Old'] });
    await eventually(t, () => titlesIn(second.page), ['Plan'], 'the list of the other window has it');

    await cardOf(page, 'Write').focus();
    await page.keyboard.press('Enter');
    await cardDialog(page).getByRole('button', { name: 'Archive', exact: true }).focus();
    await page.keyboard.press('Enter');
    await shows(t, page, { 'To do': ['Print'], Done: ['Old'] });
    await eventually(t, () => page.evaluate<string>('document.activeElement?.textContent ?? ""'), 'Print', 'the focus is on the next card');
    await eventually(t, () => titlesIn(second.page), ['Write', 'Plan'], 'the latest first');

    await columnOf(page, 'Done').getByRole('button', { name: 'Actions for the column Done' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await shows(t, page, { 'To do': ['Print'] });
    await eventually(t, () => titlesIn(second.page), ['Done', 'Write', 'Plan'], 'a column is listed with them');
    await page.locator('.notice', { hasText: 'Archived: Done.' }).getByRole('button', { name: 'Undo' }).click();
    await shows(t, page, { 'To do': ['Print'], Done: ['Old'] }, 'taken back');
    await page.locator('.notice', { hasText: 'Archived: Write.' }).getByRole('button', { name: 'Undo' }).click();
    await shows(t, page, { 'To do': ['Write', 'Print'], Done: ['Old'] }, 'an earlier one as well');
    await eventually(t, () => titlesIn(second.page), ['Plan'], 'and the other window knows');
    await ann.client.card.archive({ card_id: cardIn(board, 'Write').id });
    const trigger_column_id = columnIn(board, 'Done').id;
    await ann.client.rule.create(
      { board_id: board.id },
      { name: 'Mine', trigger_type: 'CARD_MOVED', trigger_column_id, action_type: 'ASSIGN_MEMBER', action_user_id: ann.id },
    );
    await ann.client.column.archive({ column_id: trigger_column_id });
    await eventually(t, () => titlesIn(second.page), ['Done', 'Write', 'Plan'], 'archived again');
    t.strictSame(await violationsIn(second.page), [], 'axe');

    const field = second.page.getByRole('searchbox', { name: 'Search the archive' });
    await field.fill(' pLa');
    await eventually(t, () => titlesIn(second.page), ['Plan'], 'what contains the text');
    await field.fill('nowhere');
    await second.page.getByText('Nothing in the archive contains this text').waitFor();
    await ann.client.card.archive({ card_id: cardIn(board, 'Print').id });
    await shows(t, page, { 'To do': [] });
    t.strictSame(await titlesIn(second.page), [], 'what is archived meanwhile and does not fit is not listed');
    await ann.client.card.restore({ card_id: cardIn(board, 'Print').id }, {});
    await field.fill('');
    await eventually(t, () => titlesIn(second.page), ['Done', 'Write', 'Plan'], 'all again');

    await archiveIn(second.page).getByRole('button', { name: 'Restore Plan' }).focus();
    await second.page.keyboard.press('Enter');
    await shows(t, page, { 'To do': ['Plan', 'Print'] }, 'at its old place');
    await archiveIn(second.page).getByRole('button', { name: 'Restore Done' }).click();
    await shows(t, page, { 'To do': ['Plan', 'Print'], Done: ['Old'] }, 'with its card');
    const notice = second.page.locator('.notice', { hasText: 'Restored: Done. One rule has lost something that it names, and is off.' });
    await notice.getByRole('button', { name: 'Show the rules' }).click();
    await second.page.getByText('This rule refers to something').waitFor();
    await second.page.locator('[data-tab=archive]').click();
    await archiveIn(second.page).getByRole('button', { name: 'Delete Write' }).click();
    await second.page.getByRole('button', { name: 'Delete the card', exact: true }).click();
    await eventually(t, () => titlesIn(second.page), [], 'nothing is left');
    await second.page.getByText('Nothing is archived').waitFor();
    const { cards, columns } = await ann.client.archive.list({ board_id: board.id });
    t.strictSame([cards, columns], [[], []]);
  },
);
