import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);
/** One pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

t.test('WEBCARD14 a picture or a colour becomes the cover of a card, which the board shows in every window', options, async (t) => {
  const world = await start();
  const { page, dialog, ben, boardId, card } = await openCard(t, world, async (card_id, ann) => {
    const content = new Uint8Array(Buffer.from(PICTURE, 'base64'));
    await ann.client.attachment.create({ card_id }, { name: 'tent.png', content, type: 'image/png' });
  });
  const second = await world.open(t, ben, `/app/boards/${boardId}`);
  await dialog.getByRole('button', { name: 'Use tent.png as the cover of the card' }).click();
  const picture = second.page.locator('.card-cover.is-picture img');
  await picture.waitFor();
  t.equal(await picture.evaluate((element) => getComputedStyle(element).objectFit), 'cover', 'in its proportions');
  const { cover } = await card();
  t.ok(cover !== null && 'attachment_id' in cover);

  await dialog.getByRole('button', { name: 'Choose the colour of the cover' }).click();
  await page.getByRole('group', { name: 'Colour' }).getByRole('button', { name: 'Teal' }).click();
  await second.page.locator('.card-cover:not(.is-picture)').waitFor();
  t.strictSame((await card()).cover, { color: '#0f9f96' });
  t.strictSame(await violationsIn(page), [], 'axe');
  t.strictSame(await violationsIn(second.page), [], 'axe on the board');
  await page.keyboard.press('Escape');
  await cardDialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await second.page.locator('.card-cover').waitFor({ state: 'detached' });
});
