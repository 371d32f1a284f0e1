/** What once looked broken, by measure: the picture of each was right in one place and wrong in another. */
import t from 'tap';
import type { Locator } from 'playwright-core';
import { boxOf, cardOf, resize } from '../../support/web/boardPage.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, columnIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Runs in the page: the box of a text, not of the element around it. */
const TEXT_BOX = `(element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const { left, right, width } = range.getBoundingClientRect();
  return { left, right, width, lines: new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size };
}`;

interface TextBox {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly lines: number;
}

t.test('WEB25 the sentence of a rule has the width of the panel', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'], Done: [] });
  await ann.client.rule.create(
    { board_id: board.id },
    {
      name: 'Give it to me',
      trigger_type: 'CARD_MOVED',
      trigger_column_id: columnIn(board, 'Done').id,
      action_type: 'ASSIGN_MEMBER',
      action_user_id: ann.id,
    },
  );
  for (const width of [1280, 390]) {
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width });
    const panel = await openPanel(page, 'Rules');
    const [row, sentence] = [await boxOf(panel.locator('.is-rule').first()), await boxOf(panel.locator('.is-rule .row-note').first())];
    t.ok(sentence.width > row.width * 0.85, `${sentence.width} of ${row.width} px at ${width} px`);
  }
});

t.test('WEB25 a name that is written from the right stands beside its picture', options, async (t) => {
  const world = await start();
  const [ann, muhammad] = [await world.person(), await world.person({ firstname: 'محمد', lastname: 'العربي' })];
  const board = await newBoard([ann, muhammad], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const row = (await openPanel(page, 'Members')).locator('.row-item', { hasText: 'محمد' });
  const picture = await boxOf(row.locator('.avatar'));
  const name = await page.evaluate<TextBox>(
    `(${TEXT_BOX})([...document.querySelectorAll('.row-name')].find((each) => each.textContent.includes('محمد')))`,
  );
  const distance = name.left - (picture.x + picture.width);
  t.ok(distance >= 0 && distance < 24, `${distance} px`);
});

t.test('WEB25 there is room to search a board at twice the size', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'] });
  // A window of 1280 px at 200 %.
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 640 });
  await cardOf(page, 'a').waitFor();
  const { width } = await boxOf(page.getByRole('searchbox').first());
  t.ok(width >= 160, `${width} px`);
});

t.test('WEB25 who looks at a card does not look like who is on it, and sixteen colours of people can be read', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const card_id = board.columns[0]?.cards[0]?.id ?? '';
  await ann.client.card.assign({ card_id }, { user_ids: [ben.id] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await world.open(t, ben, `/app/boards/${board.id}/cards/${card_id}`);
  await page.locator('.viewers .avatar').waitFor();
  const looks = await page.evaluate<string[]>(
    `['.viewers .avatar', '.card .avatar:not(.viewers *)'].map((selector) => getComputedStyle(document.querySelector(selector)).backgroundColor)`,
  );
  t.not(looks[0], looks[1]);
  const hues = await page.evaluate<Array<{ readonly background: number[]; readonly text: number[] }>>(`(() => {
    const numbers = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    return Array.from({ length: 16 }, (_, hue) => {
      const avatar = Object.assign(document.createElement('span'), { className: 'avatar hue-' + hue });
      document.body.append(avatar);
      const { backgroundColor, color } = getComputedStyle(avatar);
      avatar.remove();
      return { background: numbers(backgroundColor), text: numbers(color) };
    });
  })()`);
  t.equal(new Set(hues.map(({ background }) => background.join())).size, 16, 'all of them differ');
  for (const { background, text } of hues) t.ok(contrast(background, text) >= 4.5, `${background.join()} and ${text.join()}`);
});

t.test('WEB25 the ring of the focus is whole, on the first card of a list as well', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  await page.keyboard.press('Tab');
  await cardOf(page, 'a').focus();
  // The nearest part that scrolls would cut off what is outside of it.
  const room = await page.evaluate<{ readonly ring: number; readonly left: number; readonly top: number }>(`(() => {
    const card = document.activeElement.closest('.card');
    const ring = getComputedStyle(document.activeElement, '::after');
    const outside = parseFloat(ring.outlineWidth) + parseFloat(ring.outlineOffset);
    const [inner, outer] = [card.getBoundingClientRect(), card.closest('.cards').getBoundingClientRect()];
    return { ring: outside, left: inner.left - outer.left, top: inner.top - outer.top };
  })()`);
  t.ok(room.ring <= room.left && room.ring <= room.top, JSON.stringify(room));
});

/** As WCAG 2 defines it. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

t.test('WEB25 initials stay in their circle, also if the cards are compact', options, async (t) => {
  const world = await start();
  const wim = await world.person({ firstname: 'Wim', lastname: 'Mwangi' });
  const board = await newBoard([wim], { 'To do': ['a'] });
  await wim.client.card.assign({ card_id: cardIn(board, 'a').id }, { user_ids: [wim.id] });
  const { page } = await world.open(t, wim, `/app/boards/${board.id}`);
  const face = page.locator('.card .avatar');
  await face.waitFor();
  for (const density of ['comfortable', 'compact']) {
    await page.evaluate(`document.documentElement.dataset.density = '${density}'`);
    const [inside, circle] = await face.evaluate((element) => [element.scrollHeight, element.clientHeight]);
    t.ok(inside <= circle, `${density}: ${inside} in ${circle} px`);
  }
});

t.test(
  'WEB25 what is chosen together stands together: on a phone the tools of a board, in the list its buttons, on a card what can be added',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person();
    const board = await newBoard([ann], { 'To do': ['a'] });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 390, height: 844 });
    await cardOf(page, 'a').waitFor();
    const middle = async (tool: Locator): Promise<number> => {
      const { y, height } = await boxOf(tool);
      return Math.round(y + height / 2);
    };
    const header = page.locator('.board-header');
    const tools = [header.getByRole('button', { name: 'Share' }), header.getByRole('searchbox'), header.getByRole('button', { name: /^Filter/ })];
    const middles = await Promise.all(tools.map(middle));
    t.equal(new Set(middles).size, 1, `one row: ${middles.join(', ')}`);

    await resize(page, 1280);
    await cardOf(page, 'a').click();
    const starts = await Promise.all(
      ['Assign people', 'Change the dates', 'Choose the colour of the cover'].map(
        async (name) => (await boxOf(page.getByRole('button', { name }).locator('.icon'))).x,
      ),
    );
    t.equal(new Set(starts).size, 1, `one line: ${starts.join(', ')}`);

    await page.goto(`${world.url}/`);
    const [mine, importing] = [page.getByRole('link', { name: 'My cards' }), page.getByRole('button', { name: 'Import' })];
    await importing.waitFor();
    const { x, width } = await boxOf(mine);
    t.ok((await boxOf(importing)).x - (x + width) < 20, 'side by side');
  },
);
