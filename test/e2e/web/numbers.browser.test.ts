import t from 'tap';
import { eventually } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEBCARD2 a card shows its number; # and a number in a text is a link to that card, and so is an address with it', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, boardId, cardId } = await openCard(t, world, async (card_id, ann) => {
    const { board_id, column_id, number } = await ann.client.card.get({ card_id });
    const other = await ann.client.card.create({ board_id, column_id }, { title: 'Paint' });
    const mark = `#${other.number}`;
    const description = `See ${mark}, (${mark}) and #999, not x${mark} or \`${mark}\`, <b>${mark}</b> [${mark}](https://example.org/)`;
    await ann.client.card.update({ card_id: other.id }, { description: `Back to #${number}` });
    await ann.client.card.update({ card_id }, { description });
  });
  const { number } = await ann.client.card.get({ card_id: cardId });
  await dialog.getByText(`#${number}`, { exact: true }).waitFor();
  const own = dialog.locator('.markdown a:not([target])');
  await eventually(t, () => own.count(), 3, 'three of them name a card');
  await own.first().click();
  await cardDialog(page).getByRole('button', { name: 'Paint' }).waitFor();
  await cardDialog(page).locator('.markdown').getByText(`#${number}`).waitFor();
  t.match(page.url(), /\/cards\/[0-9a-f-]{36}$/, 'at its own address');

  await page.goto(new URL(`/app/boards/${boardId}/c/${number}`, page.url()).href);
  await page.waitForURL(`**/cards/${cardId}`);
  await cardDialog(page).locator('.markdown').waitFor();
  await page.goto(new URL(`/app/boards/${boardId}/c/998`, page.url()).href);
  await page.getByText('There is no such card').first().waitFor();
});
