import t from 'tap';
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/web/boardPage.js';
import { violationsIn } from '../../support/web/axe.js';
import { cardIn, columnIn, newBoard } from '../../support/web/people.js';
import { openPanel, type Section } from '../../support/web/panel.js';
import { overflowOf } from '../../support/web/boardPage.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);
const SECTIONS: readonly Section[] = ['Members', 'Labels', 'Rules', 'Webhooks', 'Archive', 'Trash', 'Activity', 'About'];
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>${7*7}{{7*7}}';

t.test('WEBPANEL10 an owner changes title and description, exports the board, and deletes it after a question that names it', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] }, 'Plans: a/b ‮gpj.');
  const board_id = board.id;
  const [{ page }, bens] = await Promise.all([world.open(t, ann, `/app/boards/${board_id}`), world.open(t, ben, `/app/boards/${board_id}`)]);
  await bens.page.getByRole('heading', { level: 1 }).waitFor();
  const about = await openPanel(page, 'About');

  await about.getByLabel('Description').fill('For all of us');
  await about.getByRole('button', { name: 'Save' }).click();
  await eventually(t, async () => (await ben.client.board.get({ board_id })).description, 'For all of us', 'the description is saved');
  const [download] = await Promise.all([page.waitForEvent('download'), about.getByRole('button', { name: 'Export the board' }).click()]);
  t.equal(download.suggestedFilename(), 'Plans a b gpj.json');
  const document = JSON.parse(await readFile(await download.path(), 'utf8')) as object;
  t.match(document, { format: 'switchboard-board', description: 'For all of us', columns: [{ title: 'To do', cards: [{ title: 'a' }] }] });
  t.match(await ben.client.board.import(document as Parameters<typeof ben.client.board.import>[0]), { imported: { cards: 1 }, left_out: [] });

  await about.getByRole('button', { name: 'Plans: a/b', exact: false }).first().click();
  await about.getByLabel('Title of the board').fill('Old plans');
  await page.keyboard.press('Enter');
  await bens.page.getByRole('heading', { level: 1, name: 'Old plans' }).waitFor();
  await about.getByRole('button', { name: 'Delete the board…' }).click();
  await page.getByRole('dialog', { name: 'Delete the board?' }).getByRole('button', { name: 'Delete Old plans' }).click();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
  await bens.page.getByRole('heading', { name: 'This board is gone' }).waitFor();
});

t.test('WEB11 a description of the board survives Escape and the panel, and is not saved over what another owner wrote', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { id: board_id } = await newBoard([ann], {});
  const description = async (): Promise<string | null> => (await ann.client.board.get({ board_id })).description;
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  let about = await openPanel(page, 'About');
  await about.getByLabel('Description').fill('mine');
  await page.keyboard.press('Escape');
  t.equal(await about.getByLabel('Description').inputValue(), 'mine');
  await page.keyboard.press('Escape');
  await about.waitFor({ state: 'detached' });
  about = await openPanel(page, 'About');
  t.equal(await about.getByLabel('Description').inputValue(), 'mine');
  await ann.client.board.update({ board_id }, { description: 'theirs' });
  await about.getByRole('region', { name: 'Their text' }).getByText('theirs').waitFor();
  t.ok(await about.getByRole('button', { name: 'Save' }).isDisabled());
  t.equal(await description(), 'theirs');
  await about.getByRole('button', { name: 'Both, one after the other' }).click();
  await about.getByRole('button', { name: 'Save' }).click();
  await eventually(t, description, 'theirs\n\nmine', 'after the choice');
  await about.getByRole('button', { name: 'Plans' }).click();
  const title = about.getByLabel('Title of the board');
  await title.fill('Half a title');
  await page.keyboard.press('Escape');
  await page.getByText('Press Escape once more to discard').waitFor();
  t.equal(await title.inputValue(), 'Half a title', 'one key loses nothing');
  await page.keyboard.press('Escape');
  await title.waitFor({ state: 'detached' });
  t.equal((await ann.client.board.get({ board_id })).title, 'Plans');
});

t.test('WEBPANEL10 an owner chooses colour and icon, and everybody sees them on the board', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const { id: board_id } = await newBoard([ann, ben], { 'To do': ['a'] }, 'Plans');
  const [{ page }, bens] = await Promise.all([world.open(t, ann, `/app/boards/${board_id}`), world.open(t, ben, `/app/boards/${board_id}`)]);
  const saved = (wanted: object, message: string): Promise<void> =>
    eventually(
      t,
      async () => {
        const { color, icon } = await ben.client.board.get({ board_id });
        return { color, icon };
      },
      wanted,
      message,
    );
  await page.getByRole('button', { name: 'Choose colour and icon' }).click();
  const about = page.getByRole('region', { name: 'Colour and icon' });
  await about.getByRole('group', { name: 'Icon of the board' }).getByRole('button', { name: '🚀' }).click();
  await about.getByRole('button', { name: 'Teal' }).click();
  await saved({ color: '#0f9f96', icon: '🚀' }, 'both are saved');
  await bens.page.locator('.board-header .board-mark', { hasText: '🚀' }).waitFor();
  t.equal(await bens.page.getByRole('button', { name: 'Choose colour and icon' }).count(), 0, 'a member has no choice');
  await about.getByLabel('Another emoji').fill('🦊');
  await page.keyboard.press('Enter');
  await saved({ color: '#0f9f96', icon: '🦊' }, 'another emoji');
  t.strictSame(await violationsIn(page), []);
  await about.getByRole('button', { name: 'Neither' }).click();
  await saved({ color: null, icon: null }, 'and neither');
});

t.test('WEBPANEL2 a member sees everything, and is offered nothing that only owners may do', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': [] });
  await ann.client.board.update({ board_id: board.id }, { description: 'Read me' });
  const { page } = await world.open(t, ben, `/app/boards/${board.id}`);
  const members = await openPanel(page, 'Members');
  t.equal(await members.getByRole('listitem').count(), 2);
  t.strictSame(await members.getByRole('button').allInnerTexts(), ['Leave']);
  t.equal((await members.getByRole('combobox').count()) + (await members.getByRole('searchbox').count()), 0);
  t.ok(await (await openPanel(page, 'Labels')).getByRole('button', { name: 'Add' }).isVisible());
  t.equal(await (await openPanel(page, 'Rules')).getByRole('button').count(), 0);
  const about = await openPanel(page, 'About');
  await about.getByText('Read me').waitFor();
  t.strictSame(await about.getByRole('button').allInnerTexts(), ['Export the board']);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Board menu' }).click();
  await page.getByRole('button', { name: 'Export' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Webhooks' }).count(), 0);
});

t.test('WEB12 hostile names are shown as text in every section', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person({ firstname: HOSTILE, lastname: null })];
  const board = await newBoard([ann, ben], { [HOSTILE]: [HOSTILE] }, HOSTILE);
  const board_id = board.id;
  await ann.client.board.update({ board_id }, { description: HOSTILE });
  const label = await ann.client.label.create({ board_id }, { name: HOSTILE });
  await ann.client.card.addLabel({ card_id: cardIn(board, HOSTILE).id, label_id: label.id });
  const column = columnIn(board, HOSTILE).id;
  const archived = await ann.client.card.create({ board_id, column_id: column }, { title: HOSTILE });
  await ann.client.card.archive({ card_id: archived.id });
  const deleted = await ann.client.card.create({ board_id, column_id: column }, { title: HOSTILE });
  await ann.client.card.delete({ card_id: deleted.id });
  await ann.client.rule.create(
    { board_id },
    { name: HOSTILE, trigger_type: 'CARD_MOVED', trigger_column_id: column, action_type: 'ASSIGN_MEMBER', action_user_id: ben.id },
  );
  for (const person of [ann, ben]) {
    const { page } = await world.open(t, person, `/app/boards/${board_id}`);
    page.on('dialog', () => t.fail('a script ran'));
    // Webhooks show no names.
    for (const section of SECTIONS.filter((each) => each !== 'Webhooks')) {
      const opened = await openPanel(page, section);
      await opened.getByText(HOSTILE).first().waitFor({ state: 'attached' });
    }
    t.equal(await page.locator('img[src=x], script:not([src])').count(), 0, 'none became an element');
  }
});

t.test('WEB13 the panel is used by keyboard alone, fits a phone, and has no axe violation', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person({ firstname: 'Bernadette-Josephine', lastname: 'von und zu Hohenstein-Waldeck' })];
  const board = await newBoard([ann, ben], { 'To do': ['a'], 'A column with a long name that somebody gave it': [] });
  const board_id = board.id;
  const label = await ann.client.label.create({ board_id }, { name: 'Urgent', color: '#e3b341' });
  await ann.client.rule.create(
    { board_id },
    { name: 'Rule', trigger_type: 'LABEL_ADDED', trigger_label_id: label.id, action_type: 'ASSIGN_MEMBER', action_user_id: ben.id },
  );
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`, { width: 390 });
  await page.getByRole('button', { name: 'Share' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Members' }).waitFor();
  await page.keyboard.press('Shift+Tab');
  const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
  await eventually(t, focused, 'Members', 'the tabs are one stop');
  for (const section of SECTIONS) {
    await eventually(t, focused, section, 'the arrow keys walk between the sections');
    await page.getByRole('tabpanel', { name: section }).waitFor();
    await page.getByText('Loading…').waitFor({ state: 'detached' });
    t.equal(await overflowOf(page), 0, `${section} fits`);
    t.strictSame(await violationsIn(page), [], section);
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Escape');
  await page.getByRole('tab').first().waitFor({ state: 'detached' });
  await eventually(t, focused, 'Share', 'the focus goes back');
});

t.test('WEBIN2 what is refused is said in the topmost dialog, where it can be read and heard', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const labels = await openPanel(page, 'Labels');
  await page.route('**/labels', (route) => route.fulfill({ status: 409, json: { detail: 'A board has at most 3 labels' } }));
  await labels.getByLabel('Name of a new label').fill('Urgent');
  await page.keyboard.press('Enter');
  await page.locator('dialog .notice', { hasText: 'Not saved: A board has at most 3 labels' }).waitFor();
  t.equal(await page.locator('.notices').count(), 1);
  await eventually(t, () => page.locator('dialog [aria-live=assertive]').innerText(), 'Made the label Urgent', 'announcements too');
});
