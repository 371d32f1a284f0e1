import t from 'tap';
import { cardOf, columnOf, eventually, overflowOf } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { wideTable } from '../../support/web/markdownBombs.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB15 a card has an address: it opens there, back and forward close and open it, and the focus returns to the card', options, async (t) => {
  const world = await start();
  const { page, dialog, boardId, cardId } = await openCard(t, world);
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement?.textContent ?? ""');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  t.equal(new URL(page.url()).pathname, `/app/boards/${boardId}`);
  await eventually(t, focused, 'Plan', 'after a deep link the focus is on the card');

  await cardOf(page, 'Other').click();
  await cardDialog(page).getByRole('heading', { name: 'Other' }).waitFor();
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await eventually(t, focused, 'Other', 'and on the one that was opened');
  await page.goForward();
  await cardDialog(page).getByRole('heading', { name: 'Other' }).waitFor();
  await cardDialog(page).getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await cardOf(page, 'Plan').waitFor();
  t.equal(await cardDialog(page).count(), 0, 'the address of the board shows no card');
  await page.goto(`${world.url}/app/boards/${boardId}/cards/${cardId}`);
  await cardDialog(page).getByRole('heading', { name: 'Plan' }).waitFor();
});

t.test('WEBCARD2 a card gets its dates in its dialog, with or without a time; others see them, and whether they are past', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, cardId, boardId } = await openCard(t, world);
  const dates = async (): Promise<unknown> => {
    const { start_at, due_at, completed_at } = await ann.client.card.get({ card_id: cardId });
    return { start_at, due_at, isDone: completed_at !== null };
  };
  await dialog.getByRole('button', { name: 'Change the dates' }).click();
  await dialog.getByLabel('Due: day').fill('2020-03-04');
  await dialog.getByLabel('Start: day').fill('2020-03-01');
  await page.keyboard.press('Escape');
  await eventually(t, dates, { start_at: '2020-03-01', due_at: '2020-03-04', isDone: false }, 'days without a time');
  await dialog.getByTitle('Overdue since').waitFor();
  await dialog.getByRole('button', { name: 'Change the dates' }).click();
  await dialog.getByLabel('Due: time').fill('09:30');
  await dialog.getByLabel('Start: day').focus();
  const moment = await page.evaluate<string>(`new Date('2020-03-04T09:30').toISOString()`);
  await eventually(t, dates, { start_at: '2020-03-01', due_at: moment, isDone: false }, 'a time makes it a moment of the reader');
  await dialog.getByRole('group', { name: 'Start' }).getByRole('button', { name: 'Clear' }).click();
  await eventually(t, dates, { start_at: null, due_at: moment, isDone: false }, 'cleared');
  await dialog.getByLabel('Start: day').fill('2020-03-02');
  await dialog.getByRole('group', { name: 'Due' }).getByRole('button', { name: 'Clear' }).click();
  await eventually(t, dates, { start_at: '2020-03-02', due_at: null, isDone: false }, 'one click clears, also from a field that it saves');
  await dialog.getByLabel('Due: day').fill('2020-03-04');
  await dialog.getByLabel('Due: time').fill('09:30');
  await dialog.getByRole('group', { name: 'Start' }).getByRole('button', { name: 'Clear' }).click();
  await eventually(t, dates, { start_at: null, due_at: moment, isDone: false }, 'and the other way');
  await dialog.getByLabel('Start: day').fill('2020-03-03');
  await dialog.getByRole('heading', { name: 'Comments' }).click();
  await eventually(t, dates, { start_at: '2020-03-03', due_at: moment, isDone: false }, 'a click beside the fields saves');
  await dialog.getByRole('button', { name: 'Change the dates' }).click();
  await dialog.getByRole('group', { name: 'Start' }).getByRole('button', { name: 'Clear' }).click();
  await page.keyboard.press('Escape');
  await dialog.getByRole('checkbox', { name: 'Done' }).check();
  await eventually(t, dates, { start_at: null, due_at: moment, isDone: true }, 'and it is done');
  const others = await world.open(t, ann, `/app/boards/${boardId}`);
  await cardOf(others.page, 'Plan').waitFor();
  await others.page.locator('.card .due.is-done').waitFor();
});

t.test(
  'WEBCARD2 the title, the place, the people and the labels of a card are changed in its dialog, and a new label is put on it',
  options,
  async (t) => {
    const world = await start();
    const { page, dialog, ann, ben, boardId, card } = await openCard(t, world, async (card_id, { client }) => {
      const { board_id } = await client.card.update({ card_id }, {});
      await client.label.create({ board_id }, { name: 'urgent', color: '#c93c37' });
    });

    await dialog.getByRole('heading', { name: 'Plan' }).getByRole('button').click();
    await page.getByLabel('Title of the card').fill('Better plan');
    await page.keyboard.press('Enter');
    await cardOf(page, 'Better plan').waitFor({ state: 'attached' });

    await dialog.getByRole('button', { name: 'Assign people' }).click();
    await page.getByRole('checkbox', { name: 'Ben' }).check();
    await page.getByRole('checkbox', { name: 'Ann' }).check();
    await page.getByRole('checkbox', { name: 'Ann' }).uncheck();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Choose labels' }).click();
    await page.getByRole('checkbox', { name: 'urgent' }).check();
    await page.getByLabel('Name of the new label').fill('soon');
    await page.getByRole('button', { name: 'Green' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('checkbox', { name: 'soon' }).waitFor();
    await page.getByRole('checkbox', { name: 'urgent' }).uncheck();
    await page.keyboard.press('Escape');
    t.ok(await dialog.isVisible(), 'Escape closes the list, not the dialog');

    await dialog.getByRole('button', { name: 'Move to…' }).click();
    await page.getByRole('combobox', { name: 'Column' }).selectOption('Doing');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.getByRole('region', { name: 'Column' }).getByText('Doing').waitFor();
    await columnOf(page, 'Doing').getByText('Better plan').waitFor();

    await eventually(t, async () => (await card()).labels.map(({ name, color }) => [name, color]), [['soon', '#2da44e']], 'the label is on the card');
    const { title, assignees, column_id } = await card();
    const { columns } = await ann.client.board.get({ board_id: boardId });
    t.strictSame([title, assignees.map(({ id }) => id), column_id], ['Better plan', [ben.id], columns[1]?.id]);

    await dialog.getByRole('button', { name: 'Delete the card' }).click();
    await page.getByRole('dialog', { name: 'Delete the card?' }).getByRole('button', { name: 'Delete the card' }).click();
    await dialog.waitFor({ state: 'detached' });
    await eventually(t, async () => (await ann.client.board.get({ board_id: boardId })).columns[1]?.cards.length, 0, 'the card is deleted');
    t.equal(new URL(page.url()).pathname, `/app/boards/${boardId}`);
  },
);

t.test(
  'WEBCARD8 a card that is deleted while it is open says so, and still shows the text that was not saved; an unknown card too',
  options,
  async (t) => {
    const world = await start();
    const { page, dialog, ben, boardId, cardId } = await openCard(t, world);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await dialog.getByRole('button', { name: 'Copy link' }).click();
    await eventually(t, () => page.evaluate('navigator.clipboard.readText()'), `${world.url}/app/boards/${boardId}/cards/${cardId}`, 'its address');
    await dialog.getByRole('button', { name: 'Add a description…' }).click();
    await page.getByLabel('Description', { exact: true }).and(page.locator('textarea')).fill('much work');
    await dialog.getByRole('button', { name: 'Add a checklist' }).click();
    await page.getByLabel('Title of the new checklist').fill('steps');
    await ben.client.card.delete({ card_id: cardId });
    const gone = page.getByRole('dialog', { name: 'This card is gone' });
    await gone.waitFor();
    const texts = gone.getByLabel('Your text that was not saved');
    t.strictSame([await texts.nth(0).inputValue(), await texts.nth(1).inputValue()], ['much work', 'steps']);
    await page.keyboard.press('Escape');
    await gone.getByRole('alert').getByText('it is nowhere else').waitFor();
    await gone.getByRole('button', { name: 'Discard', exact: true }).last().click();
    await eventually(t, () => texts.count(), 1, 'one by one');
    await gone.getByRole('button', { name: 'Discard and go back to the board' }).click();
    await gone.waitFor({ state: 'detached' });
    t.equal(new URL(page.url()).pathname, `/app/boards/${boardId}`);

    await page.goto(`${world.url}/app/boards/${boardId}/cards/${cardId}`);
    await page.getByRole('dialog', { name: 'There is no such card' }).waitFor();
    await page.keyboard.press('Escape');
    await cardOf(page, 'Other').click();
    await cardDialog(page).getByRole('heading', { name: 'Other' }).waitFor();
  },
);

t.test(
  'WEBCARD17 a card opens at once with a table of millions of cells: its text is shown as written, and the page goes on working',
  options,
  async (t) => {
    const table = wideTable(6_004);
    const {
      page,
      dialog,
      ben,
      cardId: card_id,
    } = await openCard(t, await start(), async (card_id, { client }) => {
      await client.card.update({ card_id }, { description: table });
    });
    const shown = page.locator('.markdown');
    await shown.getByText('|a|a|a').waitFor();
    t.equal(await shown.evaluate((element) => element.textContent), table);
    t.equal(await shown.locator('*').count(), 1, 'in one element');
    t.equal(
      await shown.locator('*').evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).whiteSpace),
      'pre-wrap',
      'line by line',
    );
    t.equal(await overflowOf(page), 0, 'within the page');

    await ben.client.card.update({ card_id }, { description: '*better*' });
    await shown.locator('em').waitFor();
    t.equal(await shown.innerText(), 'better', 'a better text is rendered');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  },
);
