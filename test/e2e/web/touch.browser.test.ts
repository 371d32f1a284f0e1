import t from 'tap';
import { afterFrames, boxOf, cardOf, columnOf, eventually, overflowOf, shownPlan, shows } from '../../support/web/boardPage.js';
import { markIn } from '../../support/web/dragging.js';
import { newBoard, planOf } from '../../support/web/people.js';
import { Finger } from '../../support/web/touch.js';
import { sharedWorld } from '../../support/web/world.js';

const PHONE = { width: 390, height: 800, isTouch: true } as const;

const { options, start } = sharedWorld(t);

t.test('WEB6 on a phone a finger that rests lifts a card and drags it to the next column, and one that moves scrolls', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const long = Array.from({ length: 30 }, (_, n) => `card ${n}`);
  const board = await newBoard([ann], { 'To do': long, Doing: ['x', 'y'] });
  const phone = await world.open(t, ann, `/app/boards/${board.id}`, PHONE);
  const { page } = phone;
  await cardOf(page, 'card 0').waitFor();
  await phone.screenshot('web-phone');
  const finger = await Finger.of(page);
  const scrolled = (selector: string): Promise<number> =>
    page.evaluate<number>(`(({ scrollTop, scrollLeft }) => scrollTop + scrollLeft)(document.querySelector('${selector}'))`);

  await t.test('moving', async (t) => {
    const { x, y } = await boxOf(cardOf(page, 'card 6'));
    await finger.press({ x: x + 40, y });
    await finger.moveTo({ x: x + 40, y: y - 200 });
    // It rests before it leaves, so that the list does not roll on.
    await afterFrames(page, 10);
    await finger.release();
    await eventually(t, async () => (await scrolled('.cards')) > 50, true, 'the list scrolls');
    t.equal(await page.locator('.ghost').count(), 0, 'nothing is lifted');
    t.equal(new URL(page.url()).pathname, `/app/boards/${board.id}`, 'nothing is opened');
  });

  await t.test('resting and dragging over the edge', async (t) => {
    await page.evaluate(`document.querySelector('.cards').scrollTop = 0`);
    await afterFrames(page);
    const from = await finger.lift('card 2');
    await finger.moveTo({ x: 380, y: from.y });
    const atEnd = 'document.querySelector(".columns").scrollLeft + innerWidth >= document.querySelector(".columns").scrollWidth - 1';
    await eventually(t, () => page.evaluate<boolean>(atEnd), true, 'the board scrolls at its edge');
    await finger.moveTo({ x: 200, y: from.y });
    const { y, height } = await boxOf(cardOf(page, 'y'));
    await finger.moveTo({ x: 200, y: y + height / 4 });
    await markIn(page, { column: 'Doing', before: 'y' }).waitFor({ state: 'attached' });
    await phone.screenshot('web-phone-dragging');
    await finger.release();
    await eventually(t, async () => (await shownPlan(page))['Doing'], ['x', 'card 2', 'y'], 'it is in the next column');
    t.equal(new URL(page.url()).pathname, `/app/boards/${board.id}`, 'the card does not open');
    await eventually(
      t,
      async () => planOf(await ann.client.board.get({ board_id: board.id }))['Doing'],
      ['x', 'card 2', 'y'],
      'as the service has it',
    );
  });

  await t.test('dragging far down in a list', async (t) => {
    await page.evaluate(`document.querySelector('.columns').scrollLeft = 0`);
    await page.evaluate(`document.querySelector('.cards').scrollTop = 0`);
    await columnOf(page, 'To do').getByText('card 0').waitFor();
    await afterFrames(page);
    await finger.lift('card 0');
    const list = await boxOf(columnOf(page, 'To do').locator('.cards'));
    await finger.moveTo({ x: 150, y: list.y + list.height - 4 });
    await markIn(page, { column: 'To do', before: null }).waitFor({ state: 'attached' });
    await finger.release();
    await eventually(t, async () => planOf(await ann.client.board.get({ board_id: board.id }))['To do']?.at(-1), 'card 0', 'it is the last');
  });

  await t.test('a tap opens the card', async () => {
    await page.evaluate(`document.querySelector('.cards').scrollTop = 0`);
    await cardOf(page, 'card 1').tap();
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Close' }).tap();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
  t.equal(await overflowOf(page), 0, 'the page itself does not scroll sideways');
});

t.test('WEB6 a finger that is taken away by the system puts the card back', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const plan = { 'To do': ['a', 'b'] };
  const board = await newBoard([ann], plan);
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, PHONE);
  await cardOf(page, 'a').waitFor();
  const finger = await Finger.of(page);
  await finger.lift('a');
  await finger.moveTo({ x: 150, y: 500 });
  await finger.cancel();
  await page.locator('.ghost').waitFor({ state: 'detached' });
  await shows(t, page, plan);
  t.equal(await page.locator('.is-marked, .is-lifted').count(), 0, 'no mark stays');
});
