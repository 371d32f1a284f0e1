import t from 'tap';
import type { Locator, Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { eventually } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

function bellIn(page: Page): Locator {
  return page.getByRole('banner').getByRole('button', { name: /^Notices/ });
}

function named(page: Page): Promise<string | null> {
  return bellIn(page).getAttribute('aria-label');
}

t.test('WEB27 the bell counts notices as they come, lists them, and leads to each card, which marks it as read', options, async (t) => {
  const { page, ann, ben, cardId } = await openCard(t, await start());
  await page.keyboard.press('Escape');
  t.equal(await named(page), 'Notices');
  await ben.client.card.assign({ card_id: cardId }, { user_ids: [ann.id] });
  await eventually(t, () => named(page), 'Notices: 1 unread', 'without a reload');
  await ben.client.comment.create({ card_id: cardId }, { body: `@${ann.username}, when?` });
  await eventually(t, () => named(page), 'Notices: 2 unread', 'the mention too');
  await page.reload();
  await eventually(t, () => named(page), 'Notices: 2 unread', 'also after a reload');

  await bellIn(page).click();
  const list = page.getByRole('list', { name: 'Notices' });
  await list.waitFor();
  t.strictSame(await list.getByRole('link').allTextContents(), ['Ben mentioned you on Plan', 'Ben assigned you to Plan']);
  t.strictSame(await violationsIn(page), [], 'axe');
  await list.getByRole('link', { name: 'assigned' }).click();
  await cardDialog(page).waitFor();
  await eventually(t, async () => (await ann.client.notification.list()).unread, 1, 'the other one is left');
  await page.keyboard.press('Escape');
  await eventually(t, () => named(page), 'Notices: 1 unread', 'and the bell says so');

  await page.setViewportSize({ width: 360, height: 640 });
  await bellIn(page).click();
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'on a phone too');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await eventually(t, () => named(page), 'Notices', 'none is left');
  t.equal((await ann.client.notification.list()).unread, 0);
});

t.test('WEB27 boards, columns and cards are watched from their menus', options, async (t) => {
  const { page, dialog, ann, ben, boardId, cardId } = await openCard(t, await start());
  const watched = async (): Promise<boolean> => (await ann.client.watch.getCard({ card_id: cardId })).watching;
  t.equal(await watched(), true, 'she made it');
  await dialog.getByRole('button', { name: 'Stop watching' }).click();
  await eventually(t, watched, false, 'no longer');
  await dialog.getByRole('button', { name: 'Watch', exact: true }).click();
  await eventually(t, watched, true, 'again');
  await page.keyboard.press('Escape');
  await ben.client.comment.create({ card_id: cardId }, { body: 'Look' });
  await eventually(t, () => named(page), 'Notices: 1 unread', 'a comment');
  await page.getByRole('button', { name: /^Board/ }).click();
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await eventually(t, async () => (await ann.client.watch.getBoard({ board_id: boardId })).watching, true, 'the board');
});

t.test('WEB27 when a card reminds its people is chosen with its date', options, async (t) => {
  const { dialog, card } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { due_at: '2040-01-01' });
  });
  await dialog.getByRole('button', { name: 'Change the dates' }).click();
  await dialog.getByRole('combobox', { name: 'Reminder' }).selectOption('1 hour before');
  await eventually(t, async () => (await card()).reminder_minutes, 60, 'an hour');
  await dialog.getByRole('combobox', { name: 'Reminder' }).selectOption('None');
  await eventually(t, async () => (await card()).reminder_minutes, -1, 'none');
});

t.test('WEB27 what the user hears of is chosen by kind and board, on a screen that the bell leads to', options, async (t) => {
  const { page, ann, boardId } = await openCard(t, await start());
  const settings = () => ann.client.notification.settings();
  await page.keyboard.press('Escape');
  await bellIn(page).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notice settings' }).waitFor();
  await page.getByText('This service does not send mail.').waitFor();
  await page.getByRole('switch', { name: 'In the list: Something you watch is moved' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('combobox', { name: 'By mail: Somebody mentions you' }).selectOption('Right away');
  await page.getByRole('combobox', { name: 'Remind me, unless the card says otherwise' }).selectOption('1 hour before');
  await page.getByRole('combobox', { name: 'Add a board' }).selectOption({ index: 1 });
  await page
    .getByRole('combobox', { name: /^By mail: / })
    .last()
    .selectOption('Once a day');
  for (const width of [1_280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    t.strictSame(await violationsIn(page), [], `axe at ${width}`);
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `nothing is cut off at ${width}`);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your settings are saved').waitFor();
  const { kinds, boards, reminder_minutes } = await settings();
  t.equal(reminder_minutes, 60);
  t.match(kinds, { moved: { app: false, mail: 'off' }, mentioned: { app: true, mail: 'now' } });
  t.strictSame(boards, { [boardId]: { app: false, mail: 'daily' } });
  await page.reload();
  t.equal(await page.getByRole('switch', { name: 'In the list: Something you watch is moved' }).isChecked(), false);
  await page.getByRole('button', { name: /^Follow the settings above again: / }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await eventually(t, async () => (await settings()).boards, {}, 'the board is as others again');
});
