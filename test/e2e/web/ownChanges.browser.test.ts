import t from 'tap';
import { cardOf, columnOf, eventually, shows } from '../../support/web/boardPage.js';
import { dragCard } from '../../support/web/dragging.js';
import { holdRequests } from '../../support/web/heldRequest.js';
import { cardIn, columnIn, newBoard, planOf } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB3 a change of the user is shown before the service has answered', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: [] });
  const path = `/app/boards/${board.id}`;
  const [first, second] = await Promise.all([world.open(t, ann, path), world.open(t, ben, path)]);
  await Promise.all([cardOf(first.page, 'b').waitFor(), cardOf(second.page, 'b').waitFor()]);
  const held = await holdRequests(first.page, 'POST', `/cards/${cardIn(board, 'b').id}/move`);

  await dragCard(first.page, 'b', { column: 'Doing', before: null });
  await held.arrived;
  const moved = { 'To do': ['a'], Doing: ['b'] };
  await shows(t, first.page, moved, 'the own window shows it');
  await columnOf(first.page, 'Doing').getByRole('button', { name: '+ Add a card' }).click();
  await first.page.keyboard.type('c');
  await first.page.keyboard.press('Enter');
  await shows(t, first.page, { ...moved, Doing: ['b', 'c'] }, 'and one that waits behind it');
  await shows(t, second.page, { 'To do': ['a', 'b'], Doing: [] }, 'the others do not know it yet');

  held.release();
  await shows(t, second.page, { ...moved, Doing: ['b', 'c'] }, 'until the service has answered');
  await shows(t, first.page, { ...moved, Doing: ['b', 'c'] }, 'which changes nothing in the own window');
});

t.test('WEB3 a refused change goes back, and the reason is shown', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: [] });
  const board_id = board.id;
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  await cardOf(page, 'b').waitFor();
  const notice = page.locator('.notice');

  await t.test('a card that was moved to a column that is gone', async (t) => {
    const held = await holdRequests(page, 'POST', `/cards/${cardIn(board, 'b').id}/move`);
    await dragCard(page, 'b', { column: 'Doing', before: null });
    await held.arrived;
    await ben.client.column.delete({ column_id: columnIn(board, 'Doing').id });
    await shows(t, page, { 'To do': ['a', 'b'] }, 'the card is where it was');
    held.release();
    await notice.filter({ hasText: 'Not saved: Column not found' }).waitFor();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
  });

  await t.test('a title that the user may no longer change', async (t) => {
    const held = await holdRequests(page, 'PATCH', `/boards/${board_id}`);
    await page.getByRole('heading', { name: 'Plans' }).getByRole('button').click();
    await page.getByLabel('Title of the board').fill('Mine');
    await page.keyboard.press('Enter');
    await held.arrived;
    const title = (): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
    t.equal(await title(), 'Mine');
    await ann.client.member.setRole({ board_id, user_id: ben.id }, { role: 'owner' });
    await ben.client.member.setRole({ board_id, user_id: ann.id }, { role: 'member' });
    held.release();
    await notice.filter({ hasText: 'Not saved' }).waitFor();
    await eventually(t, title, 'Plans', 'the title is as before');
    await notice.getByRole('button', { name: 'Dismiss' }).click();
  });

  await t.test('a card that is gone', async (t) => {
    const held = await holdRequests(page, 'POST', `/cards/${cardIn(board, 'a').id}/move`);
    await dragCard(page, 'a', { column: 'To do', before: null });
    await held.arrived;
    await shows(t, page, { 'To do': ['b', 'a'] });
    await ben.client.card.delete({ card_id: cardIn(board, 'a').id });
    held.release();
    await notice.filter({ hasText: 'Not saved: Card not found' }).waitFor();
    await shows(t, page, planOf(await ben.client.board.get({ board_id })), 'as the service has it');
  });
});

t.test('WEB7 a card is moved with the menu, to a column and a position', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'], Doing: ['x', 'y'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').hover();
  await page.getByRole('button', { name: 'Actions for a', exact: true }).click();
  await page.getByRole('button', { name: 'Move to…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move “a”' });
  await dialog.getByLabel('Column').selectOption('Doing');
  await dialog.getByLabel('Position').selectOption('2: before y');
  await dialog.getByRole('button', { name: 'Move' }).click();
  await shows(t, page, { 'To do': ['b'], Doing: ['x', 'a', 'y'] });
  await eventually(t, () => cardOf(page, 'a').evaluate((link) => link === link.ownerDocument.activeElement), true, 'the card has the focus');

  await page.keyboard.press('m');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await shows(t, page, { 'To do': ['b'], Doing: ['x', 'a', 'y'] }, 'nothing happens if the user closes it');
});
