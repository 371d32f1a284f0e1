/** What people see of a board that they may not change, and what becomes of their texts when they lose the right. */
import t, { type Test } from 'tap';
import type { Page } from 'playwright-core';
import { violationsIn } from '../../support/web/axe.js';
import { afterFrames, boxOf, cardOf, columnOf, eventually, shownPlan } from '../../support/web/boardPage.js';
import { cardDialog } from '../../support/web/cardDialog.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

const YOU_VIEW = 'You can view this board';

/** Names of everything on the page with which a board is changed. */
const CHANGING =
  /add a card|add a column|actions for|move the|click to change|delete|attach|rename|assign|choose labels|add a description|add a checklist|add an item/i;

async function changingControls(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>(`[...document.querySelectorAll('main button, dialog[open] button, main input, dialog[open] input')]
    .filter((control) => !control.disabled)
    .map((control) => [control.getAttribute('aria-label') ?? '', control.title, control.textContent].join(' '))`);
  return names.filter((name) => CHANGING.test(name));
}

async function expectNotSaved(t: Test, page: Page, texts: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: `Not saved: ${texts.length}` }).waitFor();
  await page.getByRole('button', { name: `Not saved: ${texts.length}` }).click();
  const list = page.getByRole('dialog', { name: 'Not saved' });
  const shown = (): Promise<string[]> =>
    list.getByLabel('Your text').evaluateAll((fields) => fields.map((field) => (field as unknown as { readonly value: string }).value).sort());
  await eventually(t, shown, [...texts].sort(), 'the texts are there');
  await page.keyboard.press('Escape');
}

t.test('WEBPANEL2 a viewer reads the board and its cards, and is offered nothing that changes them', options, async (t) => {
  const world = await start();
  const [ann, vera] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Vera' })];
  const board = await newBoard([ann], { 'To do': ['Plan', 'Other'], Done: [] });
  const { id: card_id } = cardIn(board, 'Plan');
  await ann.client.card.update({ card_id }, { description: '- [ ] a box' });
  const { id: checklist_id } = await ann.client.checklist.create({ card_id }, { title: 'Steps' });
  await ann.client.item.create({ checklist_id }, { content: 'first' });
  await ann.client.member.add({ board_id: board.id }, { user_id: vera.id, role: 'viewer' });
  const { page, screenshot } = await world.open(t, vera, `/app/boards/${board.id}`);
  await page.getByText(YOU_VIEW).waitFor();
  t.strictSame(await changingControls(page), []);
  t.strictSame(await violationsIn(page), []);
  await screenshot('web-viewer');
  await cardOf(page, 'Plan').hover();
  await page.mouse.down();
  const { x, y } = await boxOf(columnOf(page, 'Done'));
  await page.mouse.move(x + 20, y + 60, { steps: 8 });
  await afterFrames(page);
  t.equal(await page.locator('.ghost').count(), 0, 'nothing is lifted');
  await page.mouse.up();
  await cardOf(page, 'Plan').focus();
  for (const pressed of ['Space', 'Delete', 'e', 'n', 'm']) await page.keyboard.press(pressed);
  await afterFrames(page);
  t.strictSame(await shownPlan(page), { 'To do': ['Plan', 'Other'], Done: [] });
  t.equal(await page.locator('dialog[open], .card-rename, .add-form').count(), 0);

  await page.goto(`${world.url}/app/boards/${board.id}/cards/${card_id}`);
  const dialog = cardDialog(page);
  await dialog.getByText('a box').waitFor();
  await dialog.getByText('first').waitFor();
  t.strictSame(await changingControls(page), []);
  t.strictSame(await violationsIn(page), []);
  await screenshot('web-viewer-card');
  await page.keyboard.press('Escape');

  const labels = await openPanel(page, 'Labels');
  t.equal(await labels.getByRole('button', { name: 'Add' }).count(), 0);
  const members = await openPanel(page, 'Members');
  await members.getByText('Reads the board and follows it, and changes nothing.').waitFor();
  await members.getByRole('button', { name: 'Leave' }).waitFor();
  t.equal(await members.getByLabel('Role of Ann').count(), 0);
  const about = await openPanel(page, 'About');
  await about.getByRole('button', { name: 'Export the board' }).waitFor();
  t.strictSame(await violationsIn(page), []);
});

t.test('WEBPANEL2 a new role takes effect in an open window at once, and what was being typed stands in *Not saved*', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const board = await newBoard([ann, ben], { 'To do': ['Plan'], Done: [] });
  const [anns, bens] = await Promise.all([world.open(t, ann, `/app/boards/${board.id}`), world.open(t, ben, `/app/boards/${board.id}`)]);
  const { page } = bens;
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('half a thought');
  await cardOf(page, 'Plan').click();
  const dialog = cardDialog(page);
  await dialog.getByRole('button', { name: 'Add a description' }).click();
  await page.keyboard.type('half a description');

  const members = await openPanel(anns.page, 'Members');
  t.strictSame(await members.getByLabel('Role of Ben').getByRole('option').allInnerTexts(), ['Owner', 'Member', 'Commenter', 'Viewer']);
  t.strictSame(await violationsIn(anns.page), []);
  await members.getByLabel('Role of Ben').selectOption('Viewer');
  await page.getByText(YOU_VIEW).waitFor();
  await dialog.getByText('No description.').waitFor();
  await eventually(t, () => changingControls(page), [], 'nothing to change it with');
  await page.keyboard.press('Escape');
  await expectNotSaved(t, page, ['half a description', 'half a thought']);
  t.match(await ann.client.board.get({ board_id: board.id }), { columns: [{ cards: [{ title: 'Plan', description: null }] }, { cards: [] }] });

  await members.getByLabel('Role of Ben').selectOption('Commenter');
  await page.getByText('You can view this board and comment').waitFor();
  await members.getByLabel('Role of Ben').selectOption('Member');
  await page.getByText(YOU_VIEW).waitFor({ state: 'detached' });
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).waitFor();
});

t.test('WEB24 what was kept while the service was away is not lost with the right to change the board', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['Plan'] });
  const { page } = await world.open(t, ben, `/app/boards/${board.id}`);
  await cardOf(page, 'Plan').waitFor();
  const changes = /\/columns\//;
  await page.context().route(changes, (route) => route.abort('connectionfailed'));
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  for (const title of ['one', 'two']) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
    await cardOf(page, title).waitFor();
  }
  await page.getByRole('status').getByText('2 changes are kept').waitFor();
  await ann.client.member.setRole({ board_id: board.id, user_id: ben.id }, { role: 'viewer' });
  await page.getByText(YOU_VIEW).waitFor();
  await page.context().unroute(changes);
  await expectNotSaved(t, page, ['one', 'two']);
  await eventually(t, () => shownPlan(page), { 'To do': ['Plan'] }, 'the board is as the others see it');
});

t.test('WEBPANEL1 people are invited with a role, in the panel', options, async (t) => {
  const world = await start();
  const [ann, vera] = [await world.person(), await world.person({ username: 'vera-of-roles' })];
  const board = await newBoard([ann], { 'To do': [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const members = await openPanel(page, 'Members');
  await members.getByLabel('Role of who is invited').first().selectOption('Viewer');
  await members.getByLabel('Find people by username').fill('vera-of-roles');
  await members.getByRole('button', { name: /vera-of-roles.*Invite/ }).click();
  await page.getByRole('heading', { name: '2 members' }).waitFor();
  t.match(await ann.client.member.list({ board_id: board.id }), [{ role: 'owner' }, { user_id: vera.id, role: 'viewer' }]);
});
