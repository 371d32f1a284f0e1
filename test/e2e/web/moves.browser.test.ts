/** Cards that move to other boards, in two windows. */
import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { cardOf, eventually, shows } from '../../support/web/boardPage.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB28 a card moves to another board from its menu, and those who have it open find it there', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const [from, to] = [await newBoard([ann, ben], { 'To do': ['Plan', 'Write'] }), await newBoard([ann, ben], { Inbox: ['Old'], Later: [] })];
  await ann.client.board.update({ board_id: to.id }, { title: 'Elsewhere' });
  const helper = await world.person({ firstname: 'Hal' });
  await ann.client.member.add({ board_id: from.id }, { user_id: helper.id });
  const { id } = cardIn(from, 'Plan');
  await ann.client.card.assign({ card_id: id }, { user_ids: [helper.id] });
  const { page, screenshot } = await world.open(t, ann, `/app/boards/${from.id}`);
  const { page: other } = await world.open(t, ben, `/app/boards/${from.id}/cards/${id}`);
  await other.getByRole('dialog', { name: 'Plan' }).waitFor();

  await page.getByRole('button', { name: 'Actions for Plan' }).click();
  await page.getByRole('button', { name: 'Move to another board…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move “Plan”' });
  await dialog.getByLabel('Other board').selectOption('Elsewhere');
  await dialog.getByLabel('Column').selectOption('Later');
  await screenshot('other-board');
  t.strictSame(await violationsIn(page), [], 'axe');
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await page.waitForURL((url) => url.pathname.startsWith(`/app/boards/${to.id}/cards/`));
  await page.getByRole('dialog', { name: 'Plan' }).waitFor();
  await page.locator('.notice', { hasText: 'Moved Plan to Elsewhere.' }).waitFor();
  await page.locator('.notice', { hasText: `no longer assigned: ${helper.username}.` }).waitFor();
  t.equal(await page.locator('.notice', { hasText: 'The card is gone' }).count(), 0);

  await page.getByRole('dialog', { name: 'Plan' }).getByRole('region', { name: 'Activity' }).getByRole('button', { name: 'Show' }).click();
  await page.getByText(/moved Plan from another board to Later/).waitFor();
  const gone = other.getByRole('dialog', { name: 'This card has moved' });
  await gone.getByText('It is on another board now').waitFor();
  t.strictSame(await violationsIn(other), [], 'axe');
  await gone.getByRole('link', { name: 'Plan' }).click();
  await other.waitForURL((url) => url.pathname.startsWith(`/app/boards/${to.id}/cards/`));
  await other.getByRole('dialog', { name: 'Plan' }).getByRole('button', { name: 'Close' }).first().click();
  await shows(t, other, { Inbox: ['Old'], Later: ['Plan'] });
});

t.test('WEB28 others hear that a card went to another board, or was deleted, and no more than is known', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const [from, to] = [await newBoard([ann, ben], { 'To do': ['Plan', 'Write', 'Print', 'Read'] }), await newBoard([ben], { Inbox: [] })];
  const { page } = await world.open(t, ann, `/app/boards/${from.id}`);
  await cardOf(page, 'Plan').waitFor();
  const said = (): Promise<string> => page.locator('[aria-live=polite]').innerText();
  await ben.client.card.move({ card_id: cardIn(from, 'Plan').id }, { board_id: to.id, column_id: to.columns[0]?.id ?? '' });
  await ben.client.card.delete({ card_id: cardIn(from, 'Write').id });
  await eventually(t, said, 'Moved to another board: Plan. Deleted: Write.', 'each for what it was');
  await page.route('**/activity?*', (route) => route.abort());
  await ben.client.card.delete({ card_id: cardIn(from, 'Print').id });
  await eventually(t, said, 'No longer on this board: Print.', 'without the activity');
});

t.test('WEB28 the old address of a card leads on, and a small window moves a card by keys in German', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann' });
  await ann.client.auth.updateMe({ language: 'de' });
  const [from, to] = [await newBoard([ann], { 'To do': ['Plan'] }), await newBoard([ann], { Inbox: [] })];
  await ann.client.board.update({ board_id: to.id }, { title: 'Anderswo' });
  const { id } = cardIn(from, 'Plan');
  const { page, screenshot } = await world.open(t, ann, `/app/boards/${from.id}/cards/${id}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Auf ein anderes Board …' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: '„Plan“ verschieben' });
  await dialog.getByLabel('Anderes Board').selectOption('Anderswo');
  await dialog.getByLabel('Spalte').selectOption('Inbox');
  await screenshot('other-board-phone');
  t.strictSame(await violationsIn(page), [], 'axe');
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
  await dialog.getByRole('button', { name: 'Verschieben', exact: true }).press('Enter');
  await page.waitForURL((url) => url.pathname.startsWith(`/app/boards/${to.id}/cards/`));
  const { page: later, screenshot: shown } = await world.open(t, ann, `/app/boards/${from.id}/cards/${id}`);
  await later.getByText('Sie ist jetzt auf einem anderen Board').waitFor();
  await shown('moved-card');
  await later.getByRole('link', { name: 'Plan' }).click();
  await later.waitForURL((url) => url.pathname.startsWith(`/app/boards/${to.id}/cards/`));
});
