import t from 'tap';
import { cardOf, columnOf, eventually, shows } from '../../support/web/boardPage.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB17 cards are filtered by text, label, person and date', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const ben = await world.person({ firstname: 'Ben', lastname: 'Bee' });
  const board = await newBoard([ann, ben], { 'To do': ['Write', 'Print', 'Send'], Done: ['Rewrite'] });
  const label = await ann.client.label.create({ board_id: board.id }, { name: 'urgent', color: 'red' });
  await ann.client.card.addLabel({ card_id: cardIn(board, 'Print').id, label_id: label.id });
  await ann.client.card.assign({ card_id: cardIn(board, 'Send').id }, { user_ids: [ben.id] });
  await ann.client.card.update({ card_id: cardIn(board, 'Send').id }, { description: 'by WRITTEN letter' });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'Send').waitFor();
  const everything = { 'To do': ['Write', 'Print', 'Send'], Done: ['Rewrite'] };

  await page.getByLabel('Filter cards by text').fill('writ');
  await shows(t, page, { 'To do': ['Write', 'Send'], Done: ['Rewrite'] }, 'titles and descriptions, in any case');
  t.equal(await columnOf(page, 'To do').locator('.count').innerText(), '2/3');
  await ben.client.card.update({ card_id: cardIn(board, 'Print').id }, { title: 'Typewrite' });
  await shows(t, page, { 'To do': ['Write', 'Typewrite', 'Send'], Done: ['Rewrite'] }, 'a change of somebody else is filtered too');
  await ben.client.card.update({ card_id: cardIn(board, 'Print').id }, { title: 'Print' });
  await page.getByRole('button', { name: 'Show all' }).click();
  await shows(t, page, everything);

  await page.getByRole('button', { name: 'Filter by label, person and date' }).click();
  await page.getByRole('checkbox', { name: 'urgent' }).check();
  await shows(t, page, { 'To do': ['Print'], Done: [] }, 'by label');
  await page.getByRole('checkbox', { name: 'urgent' }).uncheck();
  await page.getByRole('checkbox', { name: 'Ben Bee' }).check();
  await shows(t, page, { 'To do': ['Send'], Done: [] }, 'by person');
  await page.getByRole('checkbox', { name: 'urgent' }).check();
  await shows(t, page, { 'To do': [], Done: [] }, 'by both');
  await page.getByRole('checkbox', { name: 'urgent' }).uncheck();
  await page.getByRole('checkbox', { name: 'Ben Bee' }).uncheck();
  await ben.client.card.update({ card_id: cardIn(board, 'Write').id }, { due_at: '2020-01-02' });
  await page.getByRole('checkbox', { name: 'Overdue' }).check();
  await shows(t, page, { 'To do': ['Write'], Done: [] }, 'by what is overdue');
  // The address follows what is drawn.
  await eventually(t, async () => new URL(page.url()).searchParams.get('due'), 'overdue', 'and the address says so');
  await ben.client.card.update({ card_id: cardIn(board, 'Write').id }, { completed_at: '2020-01-01' });
  await shows(t, page, { 'To do': [], Done: [] }, 'what is done is not overdue');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show all' }).click();
  await shows(t, page, everything);
});

t.test('WEB19 a board shows who is there, and which card they have open', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const ben = await world.person({ firstname: 'Ben', lastname: 'Bee' });
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const path = `/app/boards/${board.id}`;
  const first = await world.open(t, ann, path);
  const here = (): Promise<string[]> =>
    first.page
      .locator('.presence')
      .getByRole('img')
      .evaluateAll((faces) => faces.map((face) => face.getAttribute('aria-label') ?? ''));
  await eventually(t, here, ['Ann Other'], 'alone');
  const second = await world.open(t, ben, path);
  await eventually(t, here, ['Ann Other', 'Ben Bee'], 'together');
  await cardOf(second.page, 'a').click();
  await first.page.getByTitle(`Ben Bee has this card open`).waitFor();
  await second.page.goto(`${world.url}/`);
  await eventually(t, here, ['Ann Other'], 'alone again');
  t.equal(await first.page.locator('.viewer').count(), 0);
});
