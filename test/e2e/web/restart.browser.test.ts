import t from 'tap';
import type { Page } from 'playwright-core';
import { Api } from '../../support/http/api.js';
import { freePort } from '../../support/service/ports.js';
import { ServiceProcess } from '../../support/service/serviceProcess.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { cardOf, columnOf, eventually, shows } from '../../support/web/boardPage.js';
import { dragCard } from '../../support/web/dragging.js';
import { newBoard, newPerson, planOf, type Plan } from '../../support/web/people.js';
import { openWindow } from '../../support/web/window.js';
import { sharedBrowser } from '../../support/service/browser.js';
import { sharedWorld } from '../../support/web/world.js';

const { options } = sharedWorld(t);

t.test(
  'WEB5 the service is killed while two windows edit: a banner says so, and after its return both show what the service has',
  options,
  async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t), PORT: `${await freePort()}`, SHARDS: '2' };
    let service = await ServiceProcess.start(settings);
    t.teardown(() => service.kill());
    const browser = await sharedBrowser();
    const api = await Api.connect(service.url);
    const [ann, ben] = [await newPerson(api), await newPerson(api)];
    const board = await newBoard([ann, ben], { 'To do': ['a', 'b', 'c'], Doing: ['x'] });
    const url = `${service.url}/app/boards/${board.id}`;
    const [first, second] = await Promise.all([openWindow(t, browser, url, ann, { hasWorker: true }), openWindow(t, browser, url, ben)]);
    const pages = [first.page, second.page];
    for (const page of pages) await cardOf(page, 'a').waitFor();

    await columnOf(first.page, 'To do').getByRole('button', { name: '+ Add a card' }).click();
    await columnOf(second.page, 'Doing').getByRole('button', { name: '+ Add a card' }).click();
    await Promise.all([typeCards(first.page, 'ann', 6), typeCards(second.page, 'ben', 6), service.kill()]);
    for (const page of pages) await page.getByText('Cut off.').waitFor();
    await dragCard(first.page, 'c', { column: 'Doing', before: 'x' });
    await first.screenshot('web-cut-off');
    t.ok(await cardOf(second.page, 'a').isVisible(), 'the board stays readable');

    service = await ServiceProcess.start(settings);
    for (const page of pages) await page.getByText('Cut off.').waitFor({ state: 'detached' });
    const wanted = [...names('ann', 6), ...names('ben', 6), 'a', 'b', 'c', 'x'].sort();
    const stored = async (): Promise<Plan> => planOf(await ann.client.board.get({ board_id: board.id }));
    const made = async (): Promise<unknown> => {
      const plan = await stored();
      return { cards: Object.values(plan).flat().sort(), isMoved: plan['Doing']?.includes('c') };
    };
    await eventually(t, made, { cards: wanted, isMoved: true }, 'every change was made, and once');
    for (const page of pages) await shows(t, page, await stored());
    t.equal(await first.page.locator('.notice').count(), 0, 'nothing was refused');
  },
);

async function typeCards(page: Page, name: string, count: number): Promise<void> {
  for (const title of names(name, count)) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
  }
}

function names(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name} ${n}`);
}
