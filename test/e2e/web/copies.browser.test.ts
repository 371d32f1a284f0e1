/** Copies of cards, columns and boards in the page. */
import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { columnOf, shows } from '../../support/web/boardPage.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB28 cards and columns are copied from their menus, and a board with what is chosen', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const board = await newBoard([ann, ben], { 'To do': ['Plan', 'Write'], Done: ['Old'] });
  await ann.client.comment.create({ card_id: cardIn(board, 'Plan').id }, { body: 'Soon' });
  const { page } = await world.open(t, ben, `/app/boards/${board.id}`);
  await shows(t, page, { 'To do': ['Plan', 'Write'], Done: ['Old'] });

  await page.getByRole('button', { name: 'Actions for Plan' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await shows(t, page, { 'To do': ['Plan', 'Plan', 'Write'], Done: ['Old'] }, 'after the original');
  await page.locator('.notice', { hasText: 'Copied: Plan.' }).waitFor();

  await columnOf(page, 'Done').getByRole('button', { name: 'Actions for the column Done' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.locator('.notice', { hasText: 'Copied: Done.' }).waitFor();
  const { columns } = await ben.client.board.get({ board_id: board.id });
  t.strictSame(
    columns.map(({ title, cards }) => [title, cards.length]),
    [
      ['To do', 3],
      ['Done', 1],
      ['Done', 1],
    ],
  );

  await page.getByRole('button', { name: 'Board menu' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /Copy of/ });
  await dialog.getByLabel('Title of the board').fill('Mine');
  await dialog.getByLabel('With comments').check();
  t.strictSame(await violationsIn(page), [], 'axe');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.waitForURL((url) => !url.pathname.includes(board.id));
  await page.locator('.column').first().waitFor();
  const made = (await ben.client.board.list()).find(({ title }) => title === 'Mine');
  t.match(made, { role: 'owner', members: [{ user_id: ben.id }] });
  const copy = await ben.client.board.get({ board_id: made?.id ?? '' });
  t.equal(copy.columns[0]?.cards[0]?.comment_count, 1);
});
