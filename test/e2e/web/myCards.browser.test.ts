import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEBCARD2 a screen lists the open cards that are assigned to the user over all boards, and leads to each', options, async (t) => {
  const world = await start();
  const { page, cardId } = await openCard(t, world, async (card_id, ann) => {
    const { board_id, column_id } = await ann.client.card.get({ card_id });
    const later = await ann.client.card.create({ board_id, column_id }, { title: 'Later', due_at: '2040-01-01' });
    for (const id of [card_id, later.id]) await ann.client.card.assign({ card_id: id }, { user_ids: [ann.id] });
    await ann.client.card.update({ card_id }, { due_at: '2030-01-01' });
  });
  await page.goto(new URL('/', page.url()).href);
  await page.getByRole('link', { name: 'My cards' }).click();
  const list = page.getByRole('list', { name: 'My cards' });
  await list.waitFor();
  t.strictSame(await list.getByRole('link').allTextContents(), ['Plan', 'Later'], 'by date');
  t.strictSame(await violationsIn(page), [], 'axe');
  await page.setViewportSize({ width: 360, height: 640 });
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'on a phone too');
  await list.getByRole('link', { name: 'Plan' }).click();
  await cardDialog(page).waitFor();
  t.match(page.url(), cardId);
});
