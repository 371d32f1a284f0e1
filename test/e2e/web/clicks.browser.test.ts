/** A click is a press and a release, and a busy board may change in between. */
import t from 'tap';
import type { FullBoard } from '../../../src/client/index.js';
import { boxOf, cardOf, shows } from '../../support/web/boardPage.js';
import { cardDialog } from '../../support/web/cardDialog.js';
import { cardIn, columnIn, newBoard, type Person, type Plan } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Long enough for a dialog that should not open. */
const NOTHING_OPENS_MS = 300;

interface Change {
  readonly what: string;
  readonly make: (ben: Person, board: FullBoard) => Promise<unknown>;
  /** Then the window shows it. */
  readonly shown: Plan;
}

const CHANGES: readonly Change[] = [
  {
    what: 'moves it to another column',
    make: (ben, board) => ben.client.card.move({ card_id: cardIn(board, 'b').id }, { column_id: columnIn(board, 'Doing').id, position: 0 }),
    shown: { 'To do': ['a', 'c'], Doing: ['b', 'x'] },
  },
  {
    what: 'moves it within its column',
    make: (ben, board) => ben.client.card.move({ card_id: cardIn(board, 'b').id }, { column_id: columnIn(board, 'To do').id, position: 2 }),
    shown: { 'To do': ['a', 'c', 'b'], Doing: ['x'] },
  },
  {
    what: 'moves another card past it',
    make: (ben, board) => ben.client.card.move({ card_id: cardIn(board, 'a').id }, { column_id: columnIn(board, 'To do').id, position: 2 }),
    shown: { 'To do': ['b', 'c', 'a'], Doing: ['x'] },
  },
  {
    what: 'renames it',
    make: (ben, board) => ben.client.card.update({ card_id: cardIn(board, 'b').id }, { title: 'renamed' }),
    shown: { 'To do': ['a', 'renamed', 'c'], Doing: ['x'] },
  },
];

for (const { what, make, shown } of CHANGES) {
  t.test(`WEB9 a card opens by a click during which somebody else ${what}`, options, async (t) => {
    const world = await start();
    const [ann, ben] = [await world.person(), await world.person()];
    const board = await newBoard([ann, ben], { 'To do': ['a', 'b', 'c'], Doing: ['x'] });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
    const { x, y, width, height } = await boxOf(cardOf(page, 'b'));
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await make(ben, board);
    await shows(t, page, shown, 'the change is shown');
    await page.mouse.move(x + width / 2 + 2, y + height / 2);
    await page.mouse.up();
    await cardDialog(page).waitFor();
    t.ok(page.url().endsWith(cardIn(board, 'b').id), 'the card that was pressed');
    await page.goBack();
    await cardDialog(page).waitFor({ state: 'detached' });
    t.ok(page.url().endsWith(board.id), 'opened once');
  });
}

t.test('WEB9 nothing opens by a click on a card that is deleted meanwhile, and the next click opens another card', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a', 'b', 'c'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').hover();
  await page.mouse.down();
  await ben.client.card.delete({ card_id: cardIn(board, 'a').id });
  await cardOf(page, 'a').waitFor({ state: 'detached' });
  await page.mouse.up();
  await page.waitForTimeout(NOTHING_OPENS_MS);
  t.equal(await page.getByRole('dialog').count(), 0);
  await cardOf(page, 'b').click();
  await cardDialog(page).waitFor();
});

t.test('WEB1 a press that is released where the page does not hear of it lifts no card', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const card = cardOf(page, 'a');
  const { x, y } = await boxOf(card);
  await card.evaluate(
    (link, at) => {
      const { PointerEvent } = link.ownerDocument.defaultView as unknown as typeof globalThis & {
        PointerEvent: new (kind: string, init: object) => Event;
      };
      link.dispatchEvent(
        new PointerEvent('pointerdown', { bubbles: true, pointerId: 1, isPrimary: true, button: 0, buttons: 1, pointerType: 'mouse', ...at }),
      );
    },
    { clientX: x, clientY: y },
  );
  await page.mouse.move(x + 40, y + 40, { steps: 4 });
  t.equal(await page.locator('.ghost').count(), 0);
  await cardOf(page, 'b').click();
  await cardDialog(page).waitFor();
});
