import t from 'tap';
import { boxOf, cardOf, columnOf, eventually, shows, untilTrue } from '../../support/web/boardPage.js';
import { openCard } from '../../support/web/cardDialog.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { logIn } from '../../support/web/window.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Notes where the board, once it has moved, stands still for some frames, in pixels. While it scrolls it moves in every frame. */
const WATCH_RESTS = `(() => {
  const board = document.querySelector('.columns');
  let [last, frames] = [-1, 0];
  globalThis.rests = [];
  const look = () => {
    frames = board.scrollLeft === last ? frames + 1 : 0;
    last = board.scrollLeft;
    if (frames === 2 && last > 0) rests.push(Math.round(last));
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;
/** Longer than good news is shown. */
const LONG_MS = 6_500;

t.test('WEB11 pasted lines are offered as cards, or as one', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await page.getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.insertText('one\r\n\n  two\nthree\n');
  await page.getByRole('button', { name: 'Add 3 cards' }).click();
  await shows(t, page, { 'To do': ['one', 'two', 'three'] });
  await page.keyboard.insertText('four\nfive');
  await page.getByRole('button', { name: 'As one card' }).click();
  await shows(t, page, { 'To do': ['one', 'two', 'three', 'four five'] });
});

t.test('WEB11 what is too long for a title goes on in the description, and lines beyond 50 stay in the field', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const stored = async () => (await ann.client.board.get({ board_id: board.id })).columns[0]?.cards ?? [];
  const field = page.getByLabel('Title of the new card in To do');
  await page.getByRole('button', { name: '+ Add a card' }).click();
  const words = Array.from({ length: 100 }, (_, at) => `word${at}`);
  await page.keyboard.insertText(words.map((word, at) => (at % 20 === 19 ? `${word}\n` : `${word} `)).join(''));
  await page.getByRole('button', { name: 'As one card' }).click();
  t.equal(await field.inputValue(), '');
  await eventually(t, async () => (await stored()).length, 1, 'one card');
  const [{ title, description } = { title: '', description: '' }] = await stored();
  t.ok(title.length <= 255 && title.length > 240);
  t.strictSame(`${title} ${description ?? ''}`.split(/\s+/), words, 'nothing is lost, and no word is divided');

  await page.keyboard.insertText(`${'long '.repeat(60)}\n${Array.from({ length: 79 }, (_, at) => `line ${at}`).join('\n')}`);
  await page.getByRole('button', { name: 'Add 50 cards' }).click();
  await page.getByText('What was too much at once is still in the field.').waitFor();
  t.strictSame((await field.inputValue()).split('\n').length, 30);
  await page.keyboard.press('Enter');
  await eventually(t, async () => (await stored()).length, 81, 'all');
  const added = (await stored()).slice(1);
  t.equal(`${added[0]?.title} ${added[0]?.description}`, 'long '.repeat(60).trim());
  t.strictSame(
    added.slice(1).map((card) => card.title),
    Array.from({ length: 79 }, (_, at) => `line ${at}`),
  );
});

t.test('WEB17 a filter stands in the address, and says when it hides everything or a new card', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['Write', 'Print'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await page.getByLabel('Filter cards by text').fill('writ');
  await shows(t, page, { 'To do': ['Write'] });
  await eventually(t, async () => new URL(page.url()).search, '?q=writ', 'it stands in the address');
  await page.reload();
  await shows(t, page, { 'To do': ['Write'] }, 'a reload keeps it');
  const { page: other } = await world.open(t, null, `/app/boards/${board.id}?q=writ`);
  await logIn(other, ann);
  await shows(t, other, { 'To do': ['Write'] }, 'and so does a login');
  await page.getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('Send');
  await page.keyboard.press('Enter');
  const notice = page.locator('.notice', { hasText: 'The filter hides the new card.' });
  await notice.getByRole('button', { name: 'Clear the filter' }).click();
  await shows(t, page, { 'To do': ['Write', 'Print', 'Send'] });
  await eventually(t, async () => new URL(page.url()).search, '', 'nor does it in the address');
  await page.getByLabel('Filter cards by text').fill('nothing like this');
  await page.locator('.nothing-fits').getByRole('button', { name: 'Clear the filter' }).click();
  await shows(t, page, { 'To do': ['Write', 'Print', 'Send'] });
});

t.test('WEBCARD12 a file that is dropped on a card of the board is attached to it', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'b').waitFor();
  // What sends files is loaded with the first one: not while the service is away. The browser may keep it from another test.
  const context = page.context();
  await context.setOffline(true);
  await context.route(/\/app\/assets\//, (route) => route.abort('internetdisconnected'));
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['hello'], 'hello.txt', { type: 'text/plain' }));
    const card = document.querySelectorAll('.card')[1];
    for (const type of ['dragover', 'drop']) card.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  const refusal = page.locator('.notice', { hasText: 'Not attached to “b” yet' });
  await refusal.waitFor();
  await context.unrouteAll();
  await context.setOffline(false);
  await refusal.getByRole('button', { name: 'Try again' }).click();
  await page
    .locator('.card', { has: cardOf(page, 'b') })
    .getByTitle('1 file')
    .waitFor();
  const { columns } = await ann.client.board.get({ board_id: board.id });
  t.strictSame(
    columns[0]?.cards.map(({ attachments }) => attachments.map(({ name }) => name)),
    [[], ['hello.txt']],
  );
});

t.test('WEBCARD3 a box in a description is ticked in its text, also below code that looks like one', options, async (t) => {
  const text = '```\n- [ ] no box\n```\n\n- [ ] first\n- [x] second';
  const { page, card } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: text });
  });
  await page.locator('.markdown').getByRole('checkbox', { name: 'first' }).click();
  await eventually(t, async () => (await card()).description, text.replace('[ ] first', '[x] first'), 'the text says so');
  t.equal(await page.evaluate('document.activeElement.ariaLabel'), 'first', 'the focus stays');
  await page.keyboard.press('Space');
  await eventually(t, async () => (await card()).description, text, 'and back');
});

t.test('WEBCARD3 a box that is ticked leaves what others write at the same time', options, async (t) => {
  const { page, ben, cardId, card } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: '- [ ] first\n- [ ] second\n\nthe end' });
  });
  const tickWhileBenWrites = async (name: string, description: string): Promise<void> => {
    await page.route(`**/cards/${cardId}`, async (route) => {
      await ben.client.card.update({ card_id: cardId }, { description });
      await route.continue();
    });
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.locator('.markdown').getByRole('checkbox', { name }).click();
    await answered;
  };
  await tickWhileBenWrites('first', '- [ ] first\n- [ ] second\n\nthe happy end');
  await eventually(t, async () => (await card()).description, '- [x] first\n- [ ] second\n\nthe happy end', 'both are there');
  await page.locator('.markdown').getByText('the happy end').waitFor();
  await page.unrouteAll();
  await tickWhileBenWrites('second', '- [x] first\n\nthe happy end');
  await page.getByRole('button', { name: /^Not saved/ }).waitFor();
  t.equal((await card()).description, '- [x] first\n\nthe happy end', 'a line that is gone has no box to tick, and the user is told');
});

t.test('WEB18 a focused card is assigned, labelled, renamed and deleted by keys, which can be switched off', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const board = await newBoard([ann], { 'To do': ['a', 'b', 'c'] });
  await ann.client.label.create({ board_id: board.id }, { name: 'urgent', color: 'red' });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const card = page.locator('.card', { has: cardOf(page, 'a') });
  await cardOf(page, 'a').focus();
  await page.keyboard.press('a');
  await card.getByRole('img', { name: 'Ann Other' }).waitFor();
  await page.keyboard.press('t');
  await page.getByRole('dialog').getByRole('checkbox', { name: 'urgent' }).check();
  await page.keyboard.press('Escape');
  await card.locator('.chip').waitFor();
  await eventually(t, () => page.evaluate('document.activeElement.textContent'), 'a', 'the focus is back on the card');
  await page.keyboard.press('e');
  await page.getByLabel('Title of the card').fill('A');
  await page.keyboard.press('Enter');
  await shows(t, page, { 'To do': ['A', 'b', 'c'] });
  await eventually(t, () => page.evaluate('document.activeElement.textContent'), 'A', 'the focus is on it again');

  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'Delete the card' }).click();
  await shows(t, page, { 'To do': ['b', 'c'] });
  await eventually(t, () => page.evaluate('document.activeElement.textContent'), 'b', 'the focus is on what stands there now');

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Preferences' }).click();
  await page.getByRole('switch', { name: 'Single-letter shortcuts' }).uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await cardOf(page, 'b').focus();
  for (const key of ['m', 'n', 's', 'e']) await page.keyboard.press(key);
  t.equal(await page.locator('dialog, textarea').count(), 0, 'no letter starts anything');
});

t.test('WEB15 after a deletion the focus goes to what stands there then', options, async (t) => {
  const { page, dialog } = await openCard(t, await start(), async (card_id, { client }) => {
    const { id: checklist_id } = await client.checklist.create({ card_id }, { title: 'Steps' });
    for (const content of ['first', 'second']) await client.item.create({ checklist_id }, { content });
  });
  const label = (): Promise<string> => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
  await dialog.getByRole('button', { name: 'Actions for first' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Delete the item' }).click();
  await eventually(t, label, 'Move second', 'the next item');
  await dialog.getByRole('button', { name: 'Delete the card' }).click();
  await page.getByRole('dialog', { name: 'Delete the card?' }).getByRole('button', { name: 'Delete the card' }).click();
  await dialog.waitFor({ state: 'detached' });
  await eventually(t, label, 'Other', 'the next card');
});

t.test('WEB19 what others change is announced in one polite sentence, unless that is switched off', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b', 'c', 'd'], Done: [] });
  const done = board.columns[1]?.id ?? '';
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  const said = (): Promise<string> => page.locator('[aria-live=polite]').innerText();
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('mine');
  await page.keyboard.press('Enter');
  await cardOf(page, 'mine').waitFor();
  await ann.client.card.update({ card_id: cardIn(board, 'd').id }, { title: 'of my phone' });
  await cardOf(page, 'of my phone').waitFor();
  await ben.client.card.move({ card_id: cardIn(board, 'a').id }, { column_id: done });
  await ben.client.card.update({ card_id: cardIn(board, 'b').id }, { title: 'B' });
  await eventually(t, said, 'a moved to Done. Changed: B.', 'both in one, without those of the user');
  for (const title of ['a', 'b', 'c', 'd']) await ben.client.card.update({ card_id: cardIn(board, title).id }, { title: `new ${title}` });
  await eventually(t, said, '4 changes by others on the board.', 'many are a number');

  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Preferences' }).click();
  await page.getByRole('switch', { name: 'Announce what others change' }).uncheck();
  await page.keyboard.press('Escape');
  await ben.client.card.delete({ card_id: cardIn(board, 'c').id });
  await shows(t, page, { 'To do': ['new b', 'new d', 'mine'], Done: ['new a'] });
  // A change that was collected while it was off would come with this one.
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Preferences' }).click();
  await page.getByRole('switch', { name: 'Announce what others change' }).check();
  await page.keyboard.press('Escape');
  await ben.client.card.update({ card_id: cardIn(board, 'd').id }, { title: 'D' });
  await eventually(t, said, 'Changed: D.', 'only what came after it was on again');
});

t.test('WEB6 a card that is held at the side moves the board by one column at a time, with a rest at each', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { One: ['a'], Two: [], Three: [], Four: [], Five: [], Six: [] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 800 });
  await cardOf(page, 'a').hover();
  const [one, two] = [await boxOf(columnOf(page, 'One')), await boxOf(columnOf(page, 'Two'))];
  await page.mouse.down();
  await page.mouse.move(500, 300, { steps: 4 });
  await page.evaluate(WATCH_RESTS);
  await page.mouse.move(797, 300);
  await untilTrue(page, 'rests.length >= 2');
  await page.mouse.move(400, 300);
  t.strictSame(
    await page.evaluate('rests.slice(0, 2)'),
    [1, 2].map((columns) => Math.round(columns * (two.x - one.x))),
    'it rests where a column begins',
  );
  await page.keyboard.press('Escape');
  await page.mouse.up();
});

t.test('WEBIN2 what the service refuses is said until it is dismissed', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await page.route(/\/cards$/, (route) => route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"Enough cards"}' }));
  await page.getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('b');
  await page.keyboard.press('Enter');
  const notice = page.locator('.notice', { hasText: 'Not saved: Enough cards' });
  await notice.waitFor();
  await new Promise((resolve) => setTimeout(resolve, LONG_MS));
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });
});

t.test('WEBCARD12 a picture that is pasted into the text is attached, and shown in it from memory', options, async (t) => {
  const { page, dialog, card } = await openCard(t, await start());
  await dialog.getByRole('button', { name: 'Add a description…' }).click();
  await page.keyboard.type('Look: ');
  await page.evaluate(`(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 3, height: 2 });
    canvas.getContext('2d').fillRect(0, 0, 3, 2);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const data = new DataTransfer();
    data.items.add(new File([blob], 'shot [1].png', { type: 'image/png' }));
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await untilTrue(page, `document.querySelector('.markdown img')?.naturalWidth === 3`);
  const { attachments, description } = await card();
  t.equal(attachments.length, 1, 'once');
  t.equal(description, `Look: ![shot 1.png](attachment:${attachments[0]?.id})`);
  await dialog.getByRole('button', { name: 'Delete shot [1].png' }).click();
  await page.getByRole('button', { name: 'Delete the file' }).click();
  await dialog.locator('.markdown img').waitFor({ state: 'detached' });
  t.equal(await dialog.locator('.markdown').innerText(), 'Look: shot 1.png', 'without it, its name stays');
});
