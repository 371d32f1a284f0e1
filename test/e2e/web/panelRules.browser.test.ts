import t from 'tap';
import type { Locator } from 'playwright-core';
import { eventually } from '../../support/web/boardPage.js';
import { columnIn, newBoard, type Person } from '../../support/web/people.js';
import { openPanel } from '../../support/web/panel.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEBPANEL8 a rule is a sentence that is written and edited in place', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann' });
  const board = await newBoard([ann], { 'To do': ['a'], Done: [] });
  const board_id = board.id;
  await ann.client.label.create({ board_id }, { name: 'Urgent' });
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const rules = await openPanel(page, 'Rules');
  const add = rules.getByRole('button', { name: 'Add the rule' });
  await rules.getByLabel('Which column').selectOption('Done');
  t.ok(await add.isDisabled(), 'a sentence without its end is no rule');
  await rules.getByLabel('Which person').selectOption('Ann');
  await add.click();
  const row = rules.getByRole('listitem');
  await row.waitFor();
  t.equal(await sentenceOf(row), 'When a card is moved to Done, assign Ann');
  t.match(await ann.client.rule.list({ board_id }), [
    { name: 'Rule 1', trigger_type: 'CARD_MOVED', action_type: 'ASSIGN_MEMBER', action_user_id: ann.id, is_enabled: true },
  ]);

  await row.getByLabel('What happens').selectOption('a card gets the label');
  await row.getByText('Complete the sentence to save it').waitFor();
  await row.getByLabel('Which label').selectOption('Urgent');
  await eventually(t, () => ruleIn(ann, board_id), 'LABEL_ADDED ASSIGN_MEMBER on', 'the trigger is another');
  await row.getByLabel('What follows').selectOption('move it to');
  await row.getByLabel('Which column').selectOption('Done');
  await eventually(t, () => ruleIn(ann, board_id), 'LABEL_ADDED MOVE_TO_COLUMN on', 'the action is another');
  await eventually(t, () => sentenceOf(row), 'When a card gets the label Urgent, move it to Done', 'so says the sentence');

  await row.getByRole('switch', { name: 'Rule 1 is on' }).click();
  await eventually(t, () => ruleIn(ann, board_id), 'LABEL_ADDED MOVE_TO_COLUMN off', 'it is switched off');
  await page.route(/\/automations\//, (route) => route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"Not now"}' }));
  await row.getByRole('button', { name: 'Rule 1', exact: true }).click();
  await row.getByLabel('Name of the rule').fill('A name with much thought');
  await page.keyboard.press('Enter');
  const name = row.getByRole('textbox', { name: 'Name of the rule' });
  await row.getByRole('alert').getByText('Not now').waitFor();
  t.equal(await name.inputValue(), 'A name with much thought', 'what was refused stays in its field');
  await name.fill('Hurr');
  await page.reload();
  await openPanel(page, 'Rules');
  await eventually(t, () => name.inputValue(), 'Hurr', 'also in the next page');
  await row.getByRole('button', { name: 'Cancel' }).click();
  await row.getByRole('button', { name: 'Rule 1', exact: true }).click();
  await name.fill('Hurry at once');
  await page.keyboard.press('Enter');
  await row.getByRole('alert').getByText('Not now').waitFor();
  await page.unroute(/\/automations\//);
  await name.fill('Hurry');
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/automations\//, async (route) => {
    await answered;
    await route.continue();
  });
  await row.getByRole('button', { name: 'Save' }).click();
  await eventually(t, () => name.isEditable(), false, 'nothing is typed while it is saved: it would be lost');
  answer();
  await row.getByRole('button', { name: 'Delete the rule Hurry' }).click();
  await page.getByRole('dialog', { name: 'Delete the rule?' }).getByRole('button', { name: 'Delete the rule' }).click();
  await rules.getByRole('heading', { name: '0 rules' }).waitFor();
  t.strictSame(await ann.client.rule.list({ board_id }), []);
});

t.test('WEBPANEL8 a rule that lost what it speaks of says so, and works again after a choice', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const board = await newBoard([ann, ben], { 'To do': ['a'], Doing: [], Done: [] });
  const board_id = board.id;
  const column = columnIn(board, 'Done').id;
  await ann.client.rule.create(
    { board_id },
    { name: 'Hand over', trigger_type: 'CARD_MOVED', trigger_column_id: column, action_type: 'ASSIGN_MEMBER', action_user_id: ben.id },
  );
  const [{ page }, bens] = await Promise.all([world.open(t, ann, `/app/boards/${board_id}`), world.open(t, ben, `/app/boards/${board_id}`)]);
  const row = (await openPanel(page, 'Rules')).getByRole('listitem');
  const benRow = (await openPanel(bens.page, 'Rules')).getByRole('listitem');
  await row.waitFor();
  await benRow.waitFor();
  t.equal(await sentenceOf(benRow), 'When a card is moved to Done, assign Ben');
  t.equal(await benRow.getByRole('combobox').count(), 0, 'members read it');

  await ben.client.column.delete({ column_id: column });
  const lost = 'This rule refers to something that was deleted';
  await row.getByText(lost).waitFor();
  await benRow.getByText(lost).waitFor();
  t.ok(await row.getByRole('switch').isDisabled());
  // The choice is on its way for long: it is not overtaken.
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let sent = 0;
  await page.route(/\/automations\//, async (route) => {
    sent += 1;
    if (sent === 1) await released;
    await route.continue();
  });
  await row.getByLabel('Which column').selectOption('Doing');
  await row.getByText(lost).waitFor({ state: 'detached' });
  await row.getByRole('switch').click();
  await eventually(t, async () => sent, 1, 'the choice is sent');
  release();
  await eventually(t, () => ruleIn(ann, board_id), 'CARD_MOVED ASSIGN_MEMBER on', 'it is on again');
});

/** As it is read. */
function sentenceOf(row: Locator): Promise<string> {
  return row.locator('.sentence').evaluate((sentence) => {
    const words = [...sentence.childNodes].map((node) => {
      const { selectedOptions } = node as unknown as { readonly selectedOptions?: ReadonlyArray<{ readonly text: string }> };
      return selectedOptions?.[0]?.text ?? node.textContent;
    });
    return words.join('').replace(/\s+/g, ' ').trim();
  });
}

async function ruleIn({ client }: Person, board_id: string): Promise<string> {
  const rules = await client.rule.list({ board_id });
  return rules.map(({ trigger_type, action_type, is_enabled }) => `${trigger_type} ${action_type} ${is_enabled ? 'on' : 'off'}`).join();
}
