import t from 'tap';
import { eventually } from '../../support/web/boardPage.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { openPanel } from '../../support/web/panel.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEBPANEL6 labels are made, renamed, recoloured and deleted after a question', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const board_id = board.id;
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const labels = await openPanel(page, 'Labels');
  const known = async (): Promise<string[]> => (await ann.client.label.list({ board_id })).map(({ name, color }) => `${name} ${color}`);

  await labels.getByLabel('Name of a new label').fill('Urgent');
  await labels.getByRole('group', { name: 'Colour of the new label' }).getByRole('button', { name: 'Red' }).click();
  await labels.getByRole('button', { name: 'Add' }).click();
  await eventually(t, known, ['Urgent #c93c37'], 'it is made with its colour');

  await labels.getByRole('button', { name: 'Urgent', exact: true }).click();
  await labels.getByLabel('Name of the label').fill('Very urgent');
  await page.keyboard.press('Enter');
  await eventually(t, known, ['Very urgent #c93c37'], 'it is renamed in place');

  await labels.getByRole('button', { name: 'Colour of Very urgent' }).click();
  await labels.getByRole('group', { name: 'Colours for Very urgent' }).getByRole('button', { name: 'Green' }).click();
  await eventually(t, known, ['Very urgent #2da44e'], 'it is recoloured');

  await labels.getByRole('button', { name: 'Delete the label Very urgent' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the label?' });
  await question.getByRole('button', { name: 'Delete the label' }).click();
  await eventually(t, known, [], 'it is deleted');
  await labels.getByText('The first one is yours to make').waitFor();
});

t.test('WEBPANEL6 the number of cards of each label equals the statistics of the service, while others change them', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b', 'c'], Done: ['d'] });
  const board_id = board.id;
  const [urgent, later] = [
    await ann.client.label.create({ board_id }, { name: 'Urgent' }),
    await ann.client.label.create({ board_id }, { name: 'Later' }),
  ];
  for (const title of ['a', 'b', 'd']) await ann.client.card.addLabel({ card_id: cardIn(board, title).id, label_id: urgent.id });
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const labels = await openPanel(page, 'Labels');
  const shown = async (): Promise<string[]> => {
    const rows = await labels.getByRole('listitem').all();
    return Promise.all(
      rows.map(
        async (row) =>
          `${await row.locator('.row-name').innerText()} ${await row.locator('.count > [aria-hidden]').innerText()} ${await row.locator('.bar span').evaluate((bar) => bar.style.width)}`,
      ),
    );
  };
  const counted = async (): Promise<string[]> =>
    (await ann.client.label.stats({ board_id })).map(({ name, card_count }) => `${name} ${card_count}`).sort();

  await eventually(t, shown, ['Urgent 3 100%', 'Later 0 0%'], 'a bar for each label');
  t.strictSame(await counted(), ['Later 0', 'Urgent 3']);
  await ben.client.card.removeLabel({ card_id: cardIn(board, 'a').id, label_id: urgent.id });
  await ben.client.card.addLabel({ card_id: cardIn(board, 'a').id, label_id: later.id });
  await eventually(t, shown, ['Urgent 2 100%', 'Later 1 50%'], 'it follows');
  t.strictSame(await counted(), ['Later 1', 'Urgent 2']);
});
