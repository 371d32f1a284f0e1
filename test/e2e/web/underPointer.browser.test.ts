import t, { type Test } from 'tap';
import type { Locator, Page } from 'playwright-core';
import { afterFrames, boxOf, cardOf, columnOf, eventually, shownColumns, shows } from '../../support/web/boardPage.js';
import { cardIn, columnIn, newBoard, type Person } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

const SHORT = ['a', 'b', 'c', 'd', 'e'];
/** More than fits on the screen. */
const LONG = Array.from({ length: 40 }, (_, n) => `card ${n}`);

interface Size {
  readonly size: string;
  readonly titles: readonly string[];
  readonly held: string;
  readonly scrollTop: number;
}

const SIZES: readonly Size[] = [
  { size: 'short', titles: SHORT, held: 'c', scrollTop: 0 },
  { size: 'long', titles: LONG, held: 'card 4', scrollTop: 0 },
  { size: 'scrolled', titles: LONG, held: 'card 20', scrollTop: 700 },
];

const HANDS: ReadonlyArray<readonly [name: string, (card: Locator) => Promise<void>]> = [
  ['pointer', (card) => card.hover()],
  [
    'focus',
    async (card) => {
      await card.focus();
      // There and back, because only the focus of the keyboard counts.
      await card.press('Tab');
      await card.page().keyboard.press('Shift+Tab');
    },
  ],
];

for (const [hand, hold] of HANDS) {
  t.test(`WEB9 the card with the ${hand} stays where it is while others change the column`, options, async (t) => {
    const world = await start();
    const [ann, ben] = [await world.person(), await world.person()];
    for (const { size, titles, held, scrollTop } of SIZES) {
      await t.test(`a ${size} column`, async (t) => {
        const board = await newBoard([ann, ben], { 'To do': titles, Doing: [] });
        const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
        const [top = '', second = '', ...others] = titles;
        await cardOf(page, top).waitFor();
        await columnOf(page, 'To do')
          .locator('.cards')
          .evaluate((list, to) => (list.scrollTop = to), scrollTop);
        await hold(cardOf(page, held));
        await atRest(page);
        await stays(t, page, held, async () => {
          const { id: column_id } = columnIn(board, 'To do');
          const made = await ben.client.card.create({ board_id: board.id, column_id }, { title: 'new' });
          await ben.client.card.move({ card_id: made.id }, { column_id, position: 0 });
          await eventually(t, () => countOf(page), `${titles.length + 1}`, 'a card was inserted above');
        });
        await stays(t, page, held, async () => {
          for (const title of [top, second]) await ben.client.card.delete({ card_id: cardIn(board, title).id });
          await eventually(t, () => countOf(page), `${titles.length - 1}`, 'two cards were deleted above');
        });
        await stays(t, page, held, async () => {
          await ben.client.card.delete({ card_id: cardIn(board, others.at(-1) ?? '').id });
          await ben.client.card.update({ card_id: cardIn(board, others.find((title) => title !== held) ?? '').id }, { title: 'longer '.repeat(20) });
          await eventually(t, () => countOf(page), `${titles.length - 2}`, 'one was deleted below, and one grew');
        });
      });
    }
  });
}

t.test('WEB9 the column under the pointer stays where it is while others change the columns beside it', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { First: [], Second: ['a'], Third: [] });
  const { client } = ben;
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').hover();
  const { x } = await boxOf(cardOf(page, 'a'));
  const stays = async (message: string): Promise<void> => {
    await afterFrames(page);
    t.ok(Math.abs((await boxOf(cardOf(page, 'a'))).x - x) < 1, message);
  };
  const { id: column_id } = await client.column.create({ board_id: board.id }, { title: 'New', position: 0 });
  await columnOf(page, 'New').waitFor({ state: 'attached' });
  await stays('one is added before it');
  await client.column.move({ column_id }, { position: 3 });
  await eventually(t, () => shownColumns(page), ['First', 'Second', 'Third', 'New'], 'it moved behind');
  await stays('it moves behind');
  await client.column.delete({ column_id: columnIn(board, 'First').id });
  await columnOf(page, 'First').waitFor({ state: 'detached' });
  await stays('one before it is deleted');
  await page.mouse.move(10, 10);
  await afterFrames(page);
  t.ok((await boxOf(cardOf(page, 'a'))).x < x - 100, 'when the pointer leaves, the columns close up');
});

t.test('WEB11 what is typed is not lost while others change the board', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: ['x'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'b').waitFor();

  await t.test('in the form for a card', async (t) => {
    await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
    await page.keyboard.type('half');
    await disturb(ben, board.id, '1');
    await shows(t, page, { 'new 1': ['card 1'], 'To do 1': ['b'], Doing: ['x', 'a'] }, 'others changed everything around it');
    await page.keyboard.type(' and half');
    await page.keyboard.press('Enter');
    await shows(t, page, { 'new 1': ['card 1'], 'To do 1': ['b', 'half and half'], Doing: ['x', 'a'] });
    await page.keyboard.press('Escape');
  });

  await t.test('while a column is renamed', async (t) => {
    await columnOf(page, 'Doing').getByRole('button', { name: 'Doing', exact: true }).click();
    await page.getByLabel('Title of the column').fill('Half');
    await disturb(ben, board.id, '2');
    await columnOf(page, 'new 2').waitFor();
    await page.keyboard.type(' done');
    await page.keyboard.press('Enter');
    await columnOf(page, 'Half done').waitFor();
    const { columns } = await ben.client.board.get({ board_id: board.id });
    t.ok(columns.some(({ title }) => title === 'Half done'));
  });
});

t.test('WEB11 a title that somebody else has changed meanwhile is overwritten only by who was told of it', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const [board_id, card_id] = [board.id, cardIn(board, 'a').id];
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const field = page.getByLabel('Title of the card');
  const saved = async (): Promise<string> => (await ben.client.card.get({ card_id })).title;
  const write = async (shown: string, mine: string, theirs: string): Promise<void> => {
    await cardOf(page, shown).focus();
    await page.keyboard.press('e');
    await field.fill(mine);
    await ben.client.card.update({ card_id }, { title: theirs });
    await ben.client.column.create({ board_id }, { title: `after ${theirs}` });
    await columnOf(page, `after ${theirs}`).waitFor();
    t.equal(await field.inputValue(), mine, 'what is typed stays');
  };

  await write('a', 'mine', 'theirs');
  await field.press('Enter');
  await page.getByText('Somebody else has changed this to “theirs” meanwhile.').waitFor();
  t.strictSame([await field.inputValue(), await saved()], ['mine', 'theirs'], 'it waits for a second thought');
  await field.press('Enter');
  await eventually(t, saved, 'mine', 'then it is saved');

  await write('mine', 'mine again', 'theirs again');
  await page.locator('.board-header').click({ position: { x: 2, y: 2 } });
  await cardOf(page, 'theirs again').waitFor();
  await page.getByRole('button', { name: /^Not saved/ }).click();
  const list = page.getByRole('dialog', { name: 'Not saved' });
  t.equal(await list.getByLabel('Your text').inputValue(), 'mine again', 'who leaves the field finds the text in the list');
  t.equal(await list.locator('.refusal').innerText(), 'Somebody else changed the same text while you were writing.');
  t.equal(await saved(), 'theirs again');
  await list.getByRole('button', { name: 'Try again' }).click();
  await eventually(t, saved, 'mine again', 'and saves it from there');

  await write('mine again', 'typed in vain', 'theirs at last');
  await field.fill('mine again');
  await field.press('Enter');
  await cardOf(page, 'theirs at last').waitFor();
  t.equal(await saved(), 'theirs at last', 'who typed nothing new overwrites nothing');
});

t.test('WEB9 a change of somebody else glides into place; with reduced motion nothing moves', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const board = await newBoard([ann, ben], { 'To do': ['a', 'b'], Doing: [] });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { reducedMotion });
    await cardOf(page, 'a').waitFor();
    await page.evaluate(`{
      window.animations = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function (...args) { window.animations += 1; return animate.apply(this, args); };
      for (const name of ['animationstart', 'transitionrun']) addEventListener(name, () => (window.animations += 1), true);
    }`);
    await ben.client.card.move({ card_id: cardIn(board, 'a').id }, { column_id: columnIn(board, 'Doing').id, position: 0 });
    await shows(t, page, { 'To do': ['b'], Doing: ['a'] });
    await afterFrames(page);
    const animations = await page.evaluate<number>('window.animations');
    if (reducedMotion === 'reduce') t.equal(animations, 0, 'nothing is animated');
    else t.ok(animations >= 2, 'the card and the one that follows it glide');
  }
});

/** Everything around what the user types changes. */
async function disturb({ client }: Person, board_id: string, mark: string): Promise<void> {
  const made = await client.column.create({ board_id }, { title: `new ${mark}` });
  await client.column.move({ column_id: made.id }, { position: 0 });
  await client.card.create({ board_id, column_id: made.id }, { title: `card ${mark}` });
  const { columns } = await client.board.get({ board_id });
  const todo = columns.find(({ title }) => title.startsWith('To do'));
  const last = columns.at(-1);
  const card = todo?.cards[0];
  if (todo === undefined || last === undefined || card === undefined) throw new Error('the board is not as expected');
  await client.column.update({ column_id: todo.id }, { title: `To do ${mark}`, color: '#c93c37' });
  await client.card.move({ card_id: card.id }, { column_id: last.id, position: last.cards.length });
}

async function stays(t: Test, page: Page, title: string, work: () => Promise<void>): Promise<void> {
  const before = await boxOf(cardOf(page, title));
  await work();
  await atRest(page);
  const after = await boxOf(cardOf(page, title));
  t.ok(Math.abs(after.y - before.y) <= 1 && Math.abs(after.x - before.x) <= 1, `it moved by ${after.y - before.y} px`);
}

/** When everything has glided to its place. */
async function atRest(page: Page): Promise<void> {
  await afterFrames(page);
  // The fades of a list follow its scrolling, not the time, and never end.
  await page.evaluate(`Promise.all(document.getAnimations().filter(({ timeline }) => timeline === document.timeline)
    .map((animation) => animation.finished)).then(() => undefined)`);
}

function countOf(page: Page): Promise<string> {
  return columnOf(page, 'To do').locator('.count').innerText();
}
