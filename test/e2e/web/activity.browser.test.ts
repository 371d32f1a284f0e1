import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { cardOf, eventually } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

function activityIn(place: Page | Locator): Locator {
  return place.getByRole('list', { name: 'Activity' });
}

async function sentencesIn(place: Page | Locator): Promise<string[]> {
  return (await activityIn(place).locator('li > span').allTextContents()).map((text) => text.trim());
}

t.test('WEBCARD2 the activity of a card is shown on request, as sentences, and grows while it is shown', options, async (t) => {
  const world = await start();
  const { page, dialog, ben, cardId } = await openCard(t, world, async (card_id, ann) => {
    await ann.client.card.update({ card_id }, { title: 'Schedule' });
    await ann.client.card.update({ card_id }, { title: 'Plan' });
  });
  t.equal(await activityIn(dialog).count(), 0, 'not before');
  const show = dialog.getByRole('region', { name: 'Activity' }).getByRole('button', { name: 'Show' });
  await show.focus();
  await page.keyboard.press('Enter');
  await eventually(
    t,
    async () => (await sentencesIn(dialog)).slice(0, 2),
    ['Ann renamed Schedule to Plan', 'Ann renamed Plan to Schedule'],
    'newest first',
  );
  await ben.client.card.update({ card_id: cardId }, { description: 'Soon', due_at: '2031-01-01' });
  await eventually(t, async () => (await sentencesIn(dialog))[0], 'Ben changed Plan: description and due date', 'live');
  t.strictSame(await violationsIn(page), [], 'axe');
});

t.test('WEBPANEL10 the panel shows the activity of the board, page by page', options, async (t) => {
  const world = await start();
  const count = 35;
  const { page, dialog, boardId, ben } = await openCard(t, world, async (card_id, ann) => {
    for (let n = 1; n <= count; n += 1) await ann.client.card.update({ card_id }, { title: `Plan ${n}` });
  });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Board menu' }).click();
  await page.getByRole('button', { name: 'Activity' }).click();
  const panel = page.getByRole('dialog');
  await eventually(t, async () => (await sentencesIn(panel))[0], `Ann renamed Plan ${count - 1} to Plan ${count}`, 'the newest');
  await panel.getByRole('button', { name: 'Show older entries' }).click();
  await activityIn(panel).getByText('renamed Plan to Plan 1').waitFor();
  await ben.client.column.create({ board_id: boardId }, { title: 'Later' });
  await eventually(t, async () => (await sentencesIn(panel))[0], 'Ben added the column Later', 'live');
  await activityIn(panel).getByText('renamed Plan to Plan 1').waitFor();
  t.strictSame(await violationsIn(page), [], 'axe');
});

t.test('WEB9 cards that others changed since the last visit are marked until they are opened', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, ben, cardId } = await openCard(t, world);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const mark = page.locator('.card').getByTitle('Changed since your last visit');
  await ann.client.card.update({ card_id: cardId }, { title: 'Plan' });
  await page.goto(new URL('/app', page.url()).href);
  await page.getByRole('heading', { name: 'Boards' }).first().waitFor();
  await ben.client.card.update({ card_id: cardId }, { description: 'Meanwhile' });
  await page.goBack();
  await cardOf(page, 'Plan').waitFor();
  await eventually(t, () => mark.count(), 1, 'marked');
  t.strictSame(await violationsIn(page), [], 'axe');
  await cardOf(page, 'Plan').click();
  await cardDialog(page).waitFor();
  await eventually(t, () => mark.count(), 0, 'seen');
});

t.test(
  'WEB18 Ctrl+Z takes back the last change and Ctrl+Shift+Z gives it back, not while typing; a deleted card is offered back',
  options,
  async (t) => {
    const world = await start();
    const { page, dialog, ann, ben, cardId } = await openCard(t, world, async (card_id, user) => {
      await user.client.card.update({ card_id }, { title: 'Schedule' });
    });
    const titleOf = async (): Promise<string> => (await ann.client.card.get({ card_id: cardId })).title;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await cardOf(page, 'Plan').waitFor();
    t.equal(await titleOf(), 'Plan');
    await page.keyboard.press('Control+Shift+z');
    await cardOf(page, 'Schedule').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
    t.equal(await titleOf(), 'Schedule', 'not in a field');
    await ben.client.card.update({ card_id: cardId }, { title: 'By Ben' });
    await page.getByRole('link', { name: 'By Ben' }).focus();
    await page.keyboard.press('Control+z');
    await page.getByText(/Not undone.*changed "By Ben" since: title/).waitFor();
    t.equal(await titleOf(), 'By Ben');

    await page.getByRole('link', { name: 'By Ben' }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Delete the card' }).click();
    await cardOf(page, 'By Ben').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await cardOf(page, 'By Ben').waitFor();
    t.equal(await titleOf(), 'By Ben', 'with its id');

    const columnOfCard = async (): Promise<string> => (await ann.client.card.get({ card_id: cardId })).column_id;
    const home = await columnOfCard();
    await page.getByRole('link', { name: 'By Ben' }).focus();
    for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key);
    const moved = page.locator('.notice', { hasText: 'Moved: By Ben.' });
    await moved.waitFor();
    t.not(await columnOfCard(), home);
    await moved.getByRole('button', { name: 'Undo' }).click();
    await eventually(t, columnOfCard, home, 'it is back');
  },
);
