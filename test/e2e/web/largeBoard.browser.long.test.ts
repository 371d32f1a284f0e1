import t from 'tap';
import type { Page } from 'playwright-core';
import { announced, boxOf, cardOf, columnOf, eventually, untilTrue } from '../../support/web/boardPage.js';
import { liftByMouse, markIn } from '../../support/web/dragging.js';
import { cardIn, columnIn, newBoard, type Person, type Plan } from '../../support/web/people.js';
import { sharedWorld, type WebWorld } from '../../support/web/world.js';

const COLUMNS = 10;
const CARDS_EACH = 500;
/** All of what is near the screen: it does not grow with the board. */
const MAX_NODES = 6_000;

const { options, start } = sharedWorld(t);
let made: Promise<{ readonly ann: Person; readonly ben: Person; readonly plan: Plan; readonly id: string }> | null = null;

t.test('WEB22 of a board with 5,000 cards only those near the screen are in the page, and scrolling shows every one', options, async (t) => {
  const world = await start();
  const { ann, id, plan } = await largeBoard(world);
  const { page } = await world.open(t, ann, `/app/boards/${id}`);
  await cardOf(page, 'card 0.0').waitFor();
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length');
  t.comment(`${nodes} elements`);
  t.ok(nodes < MAX_NODES, `fewer than ${MAX_NODES} elements`);
  const seen = await page.evaluate<string[]>(`(async () => {
    const list = document.querySelector('.cards');
    const seen = new Set();
    for (let last = -1; list.scrollTop !== last; ) {
      last = list.scrollTop;
      for (const title of list.querySelectorAll('.card-title')) {
        const { top, bottom } = title.getBoundingClientRect();
        const box = list.getBoundingClientRect();
        if (bottom > box.top && top < box.bottom) seen.add(title.textContent);
      }
      list.scrollTop += list.clientHeight / 2;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
    return [...seen];
  })()`);
  t.strictSame(seen, plan['column 0'], 'every card is seen, in order');
});

t.test('WEB26 numbers of cards are written as the reader writes them', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { Many: Array.from({ length: 1_234 }, (_, card) => `card ${card}`) });
  for (const [locale, written] of [
    ['en-US', '1,234'],
    ['de-DE', '1.234'],
  ] as const) {
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { locale });
    await cardOf(page, 'card 0').waitFor();
    const count = columnOf(page, 'Many').locator('.count');
    t.equal(await count.innerText(), written, locale);
    await page.getByRole('searchbox').fill('card 12');
    await eventually(t, () => count.innerText(), `45/${written}`, 'with a filter');
  }
});

t.test('WEB22 on a board with 5,000 cards a user reaches and moves everything by keyboard and by mouse', options, async (t) => {
  const world = await start();
  const { ann, ben, id, plan } = await largeBoard(world);
  const { page } = await world.open(t, ann, `/app/boards/${id}`);
  const press = async (key: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await page.keyboard.press(key);
  };
  await cardOf(page, 'card 0.0').waitFor();

  await t.test('walking down and to the last column', async (t) => {
    await cardOf(page, 'card 0.0').focus();
    for (let index = 1; index <= 40; index += 1) {
      await press('ArrowDown', 1);
      await untilTrue(page, `document.activeElement?.textContent === 'card 0.${index}'`);
    }
    for (let index = 1; index < COLUMNS; index += 1) {
      await press('ArrowRight', 1);
      await untilTrue(page, `document.activeElement?.textContent === 'card ${index}.40'`);
    }
    t.ok(await isOnScreen(page, `card ${COLUMNS - 1}.40`), 'the card with the focus is on the screen');
  });

  await t.test('a lifted card keeps the keys when it is far out of sight', async (t) => {
    const title = `card ${COLUMNS - 1}.40`;
    await press('Space', 1);
    await press('ArrowDown', 60);
    await eventually(t, () => announced(page), `Position 101 of ${CARDS_EACH} in column ${COLUMNS - 1}`, 'it is moved far');
    await press('Space', 1);
    await untilTrue(page, `document.activeElement?.textContent === '${title}'`);
    await eventually(
      t,
      async () => columnIn(await ben.client.board.get({ board_id: id }), `column ${COLUMNS - 1}`).cards.findIndex((card) => card.title === title),
      100,
      'as the service has it',
    );
  });

  await t.test('dragging far with the mouse scrolls at the edges', async (t) => {
    await page.evaluate(`document.querySelector('.columns').scrollLeft = 0`);
    await page.evaluate(`document.querySelector('.cards').scrollTop = 0`);
    await liftByMouse(page, cardOf(page, 'card 0.3'));
    const list = await boxOf(columnOf(page, 'column 0').locator('.cards'));
    await page.mouse.move(list.x + 60, list.y + list.height - 3, { steps: 5 });
    await untilTrue(page, `document.querySelector('.cards').scrollTop > 3000`);
    await page.mouse.move(list.x + 60, list.y + list.height / 2, { steps: 5 });
    await page.locator('.cards li.is-marked').waitFor({ state: 'attached' });
    const before = await page.locator('.cards li.is-marked .card-title').innerText();
    await page.mouse.up();
    const titles = (plan['column 0'] ?? []).filter((title) => title !== 'card 0.3');
    titles.splice(titles.indexOf(before), 0, 'card 0.3');
    await eventually(
      t,
      async () => columnIn(await ben.client.board.get({ board_id: id }), 'column 0').cards.map((card) => card.title),
      titles,
      'it is where its mark was',
    );
    t.equal(await markIn(page, { column: 'column 0', before: null }).count(), 0, 'no mark stays');
  });
});

t.test('a change of somebody else touches one card of 5,000', options, async (t) => {
  const world = await start();
  const { ann, ben, id } = await largeBoard(world);
  const { page } = await world.open(t, ann, `/app/boards/${id}`);
  await cardOf(page, 'card 1.0').waitFor();
  const board = await ben.client.board.get({ board_id: id });
  await page.evaluate(`{
    window.touched = new Set();
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        window.touched.add(element.closest('[data-card-id]')?.dataset.cardId ?? element.className);
      }
    }).observe(document.querySelector('.columns'), { subtree: true, childList: true, characterData: true, attributes: true });
  }`);
  const { id: card_id } = cardIn(board, 'card 1.0');
  await ben.client.card.update({ card_id }, { title: 'renamed' });
  await cardOf(page, 'renamed').waitFor();
  t.strictSame(await page.evaluate<string[]>('[...window.touched]'), [card_id]);
});

function largeBoard(world: WebWorld): NonNullable<typeof made> {
  return (made ??= (async () => {
    const [ann, ben] = [await world.person(), await world.person()];
    const plan = Object.fromEntries(
      Array.from({ length: COLUMNS }, (_, column) => [`column ${column}`, Array.from({ length: CARDS_EACH }, (_, card) => `card ${column}.${card}`)]),
    );
    const { id } = await newBoard([ann, ben], plan);
    return { ann, ben, plan, id };
  })());
}

async function isOnScreen(page: Page, title: string): Promise<boolean> {
  const { x, y, width, height } = await boxOf(cardOf(page, title));
  return page.evaluate<boolean>(`${x} >= 0 && ${y} >= 0 && ${x + width} <= innerWidth && ${y + height} <= innerHeight`);
}
