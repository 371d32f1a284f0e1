/** Parts of the page that are loaded after it: while a board rests, or never again, because the service has another version. */
import t from 'tap';
import type { Page } from 'playwright-core';
import { ARE_PARTS_LOADED, cardOf, columnOf, eventually, hasLoaded, untilTrue } from '../../support/web/boardPage.js';
import { cardDialog } from '../../support/web/cardDialog.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Longer than the page waits with a board that rests. */
const REST_MS = 2_500;
/** At most one look at the clock or so. */
const MAX_REST_MICROS = 1_000;

t.test('WEB5 a card that was never opened before opens without a connection, and what is changed is sent on return', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { id: card_id } = cardIn(board, 'a');
  await ann.client.card.update({ card_id }, { description: 'the **whole** text' });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'a').waitFor();
  await untilTrue(page, ARE_PARTS_LOADED);
  await page.context().setOffline(true);
  await cardOf(page, 'a').click();
  const dialog = cardDialog(page);
  await dialog.getByText('the whole text').waitFor();
  await dialog.getByRole('button', { name: 'Edit', exact: true }).first().click();
  await dialog.getByRole('textbox', { name: 'Description' }).fill('written in the tunnel');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('written in the tunnel').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.context().setOffline(false);
  const stored = async (): Promise<unknown> => cardIn(await ann.client.board.get({ board_id: board.id }), 'a').description;
  await eventually(t, stored, 'written in the tunnel', 'it was sent');
});

t.test('WEBSERVE5 a board at rest runs nothing after its parts are there, and loads none where the browser saves data', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const { page: metered } = await world.open(t, ann, `/app/boards/${board.id}`, { savesData: true });
  await Promise.all([page, metered].map((each) => cardOf(each, 'a').waitFor()));
  await untilTrue(page, ARE_PARTS_LOADED);
  await page.waitForTimeout(REST_MS);
  const before = await scriptMicros(page);
  await page.waitForTimeout(REST_MS);
  const micros = (await scriptMicros(page)) - before;
  t.ok(micros <= MAX_REST_MICROS, `${micros} µs of script`);
  t.notOk(await metered.evaluate(IS_DIALOG_LOADED));
  await cardOf(metered, 'a').click();
  await cardDialog(metered).waitFor();
});

t.test('WEBSERVE2 a page that is older than the service says so where a part is gone, and a reload keeps what was typed', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { savesData: true });
  await cardOf(page, 'a').waitFor();
  // As after an upgrade: the parts of this page are gone, and the page has another script.
  await page.route('**/app/assets/CardDialog-*', (route) => route.fulfill({ status: 404 }));
  await page.route(/\/app$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/main-\w+\.js/, 'main-OTHER000.js') });
  });
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('not sent yet');
  await cardOf(page, 'a').click();
  const alert = page.getByRole('alert').filter({ hasText: 'Switchboard was updated.' });
  await alert.waitFor();
  await page.unrouteAll();
  await alert.getByRole('button', { name: 'Reload' }).click();
  const dialog = cardDialog(page);
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await columnOf(page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
  t.equal(await columnOf(page, 'To do').getByRole('textbox').inputValue(), 'not sent yet');
});

const IS_DIALOG_LOADED = hasLoaded('CardDialog');

/** The time that scripts of the page have run. */
async function scriptMicros(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN) * 1e6;
}
