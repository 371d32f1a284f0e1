/**
 * Two devices of one user add, rename, describe, move and delete cards while their networks are cut, their windows are closed and
 * the service is killed. In the end each change was made once, or stands in a list of what is not saved. `CHAOS_SEED` repeats a run.
 */
import t from 'tap';
import { randomInt } from 'node:crypto';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { Api } from '../../support/http/api.js';
import { seededRandom } from '../../support/seededRandom.js';
import { newContext, sharedBrowser } from '../../support/service/browser.js';
import { freePort } from '../../support/service/ports.js';
import { ServiceProcess } from '../../support/service/serviceProcess.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { cardOf, columnOf, eventually } from '../../support/web/boardPage.js';
import { columnIn, newBoard, newPerson, type Person } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options } = sharedWorld(t);
const SEED = Number(process.env['CHAOS_SEED'] ?? randomInt(1_000_000));
const STEPS = 36;
/** The steps stop then, however few there were: closing and healing have bounds of their own. */
const STEPS_MS = 20_000;
const LEAST_CHANGES = 5;
/** A board that can be read only offers no form; then the device does something else. */
const FORM_MS = 1_500;

/** What is done to a card, and the event that says so. Each card is there for one change, so that no change is of two devices. */
const DEEDS = { add: 'card.created', rename: 'card.updated', describe: 'card.updated', move: 'card.moved', delete: 'card.deleted' } as const;
type Deed = keyof typeof DEEDS;
const DONE_TO_CARDS = ['rename', 'describe', 'move', 'delete'] as const satisfies readonly Deed[];
/** Of each kind; then cards are added instead. */
const CARDS_EACH = 3;
const CARDS = DONE_TO_CARDS.flatMap((deed) => Array.from({ length: CARDS_EACH }, (_, n) => `${deed} ${n}`));

/** How the log of the board names a change: its kind, and the card as it was called before or is called now. */
const entryOf = (deed: Deed, title: string): string => `${DEEDS[deed]} ${title}`;
/** The title of a card after it was renamed. */
const renamed = (title: string): string => `${title} again`;

class Device {
  readonly #context: BrowserContext;
  readonly #url: string;
  /** What the page has shown as done. */
  readonly done: string[] = [];
  isOffline = false;
  page: Page;

  private constructor(context: BrowserContext, url: string, page: Page) {
    this.#context = context;
    this.#url = url;
    this.page = page;
  }

  static async open(url: string, { email, password }: Person): Promise<Device> {
    const context = await newContext(await sharedBrowser());
    const answer = await context.request.post(new URL('/auth/login', url).href, { form: { username: email, password } });
    if (!answer.ok()) throw new Error(`the login answered ${answer.status()}`);
    const device = new Device(context, url, await context.newPage());
    await device.page.goto(url);
    await cardOf(device.page, 'first').waitFor();
    await device.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    // Loaded once through the worker, so that it has the page.
    await device.page.reload();
    await cardOf(device.page, 'first').waitFor();
    return device;
  }

  /** A change counts when it is shown: by then it is written. */
  async addCard(column: string, title: string): Promise<void> {
    const place = columnOf(this.page, column);
    const button = place.locator('.add-card');
    const field = place.locator('.add-form textarea');
    if (!(await isThere(button.or(field)))) return;
    if (await button.isVisible()) await button.click();
    // The board may have become one that can only be read, or a form without text has closed.
    if (!(await isThere(field))) return;
    await field.fill(title);
    await field.press('Enter');
    await cardOf(this.page, title).waitFor();
    this.done.push(entryOf('add', title));
  }

  async change(deed: (typeof DONE_TO_CARDS)[number], title: string): Promise<void> {
    const { page } = this;
    const card = cardOf(page, title);
    // Without the form for cards the board can only be read, and keys do nothing.
    if (!(await isThere(page.locator('.add-card, .add-form textarea'))) || !(await isThere(card))) return;
    await card.focus();
    switch (deed) {
      case 'rename': {
        await page.keyboard.press('e');
        const field = page.getByLabel('Title of the card');
        if (!(await isThere(field))) return;
        await field.fill(renamed(title));
        await field.press('Enter');
        await cardOf(page, renamed(title)).waitFor();
        break;
      }
      case 'describe': {
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        if (await isThere(dialog.getByRole('button', { name: 'Add a description…' }))) {
          await dialog.getByRole('button', { name: 'Add a description…' }).click();
          await page.getByRole('textbox', { name: 'Description' }).fill(`About ${title}`);
          await page.keyboard.press('Control+Enter');
          await dialog.locator('.markdown').getByText(`About ${title}`).waitFor();
          this.done.push(entryOf(deed, title));
        }
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        return;
      }
      case 'move':
        await page.keyboard.press('Space');
        if (!(await isThere(page.locator('.card.is-lifted')))) return;
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Space');
        await columnOf(page, 'Done').getByRole('link', { name: title, exact: true }).waitFor();
        break;
      case 'delete': {
        await page.keyboard.press('Delete');
        const button = page.getByRole('button', { name: 'Delete the card' });
        if (!(await isThere(button))) return;
        await button.click();
        await card.waitFor({ state: 'detached' });
      }
    }
    this.done.push(entryOf(deed, deed === 'rename' ? renamed(title) : title));
  }

  async cut(isOffline: boolean): Promise<void> {
    this.isOffline = isOffline;
    await this.#context.setOffline(isOffline);
  }

  /** At once, as a crash or a closed lid does. */
  async reopen(): Promise<void> {
    await this.page.close();
    this.page = await this.#context.newPage();
    // Without a service and a network the page comes from the worker.
    await this.page.goto(this.#url, { waitUntil: 'commit' });
  }

  /** The texts in the list of what is not saved. */
  async notSaved(): Promise<string[]> {
    const button = this.page.getByRole('button', { name: /^Not saved/ });
    if (!(await button.isVisible())) return [];
    await button.click();
    const dialog = this.page.getByRole('dialog', { name: 'Not saved' });
    await dialog.getByLabel('Your text').first().waitFor();
    const texts = await dialog.getByLabel('Your text').evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value));
    await this.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return texts;
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}

function isThere(place: Locator): Promise<boolean> {
  return place
    .first()
    .waitFor({ timeout: FORM_MS })
    .then(
      () => true,
      () => false,
    );
}

t.test('WEB24 two devices, cut off, closed and restarted at random: every change is made once or stands in the list', options, async (t) => {
  const random = seededRandom(SEED);
  const settings = { DATA_DIR: await temporaryFolder(t), PORT: `${await freePort()}`, SHARDS: '1' };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const ann = await newPerson(api);
  const board = await newBoard([ann], { 'To do': ['first', ...CARDS], Done: [], Doomed: ['doomed'] });
  const url = `${service.url}/app/boards/${board.id}`;
  const devices = await Promise.all([Device.open(url, ann), Device.open(url, ann)]);
  t.teardown(() => Promise.all(devices.map((device) => device.close())));

  let isAway = false;
  const restart = async (): Promise<void> => {
    if (isAway) service = await ServiceProcess.start(settings);
    else await service.kill();
    isAway = !isAway;
  };
  const end = Date.now() + STEPS_MS;
  const counts = { changes: 0, cuts: 0, closed: 0, kills: 0 };
  const waiting = DONE_TO_CARDS.flatMap((deed) => CARDS.filter((title) => title.startsWith(deed)).map((title) => ({ deed, title })));
  for (let step = 0; step < STEPS && Date.now() < end; step += 1) {
    const device = random.pick(devices);
    const chance = random.below(100);
    if (chance < 60) {
      counts.changes += 1;
      const [next] = chance < 15 || waiting.length === 0 ? [] : waiting.splice(random.below(waiting.length), 1);
      if (next === undefined) await device.addCard('To do', `card ${step}`);
      else await device.change(next.deed, next.title);
    } else if (chance < 75) {
      counts.cuts += 1;
      await device.cut(!device.isOffline);
    } else if (chance < 90) {
      counts.closed += 1;
      await device.reopen();
    } else {
      counts.kills += 1;
      await restart();
    }
  }
  if (isAway) await restart();
  t.comment(`seed ${SEED}: ${JSON.stringify(counts)}`);

  // What does not fit on return: one device types into a column that is gone by then.
  const [first, second] = devices;
  if (first === undefined || second === undefined) throw new Error('a device is missing');
  for (const device of devices) await device.cut(false);
  for (const device of devices) await cardOf(device.page, 'first').waitFor();
  const countDone = (): number => devices.reduce((sum, { done }) => sum + done.length, 0);
  // In that time a slow machine makes few.
  for (let n = 0; n < STEPS && countDone() < LEAST_CHANGES; n += 1) await random.pick(devices).addCard('To do', `late card ${n}`);
  t.ok(countDone() >= LEAST_CHANGES, `${countDone()} changes were made`);
  await second.cut(true);
  await second.addCard('Doomed', 'refused');
  await second.change('rename', 'doomed');
  const refused = new Map([
    ['refused', entryOf('add', 'refused')],
    [renamed('doomed'), entryOf('rename', renamed('doomed'))],
  ]);
  t.strictSame(second.done.slice(-refused.size), [...refused.values()], 'they are shown meanwhile');
  await ann.client.column.delete({ column_id: columnIn(board, 'Doomed').id });
  await second.cut(false);

  const intended = devices.flatMap(({ done }) => done).sort();
  const made = async (): Promise<string[]> => {
    const { activity, next } = await ann.client.activity.list({ board_id: board.id }, { limit: 100 });
    if (next !== null) throw new Error('the log is longer than a page');
    const wanted: readonly string[] = Object.values(DEEDS);
    const entries = activity.filter(({ kind }) => wanted.includes(kind)).map(({ kind, name = '' }) => `${kind} ${name}`);
    const listed: string[] = [];
    for (const device of devices) listed.push(...(await device.notSaved()));
    return [...entries, ...listed.map((text) => refused.get(text) ?? `${text} is not saved`)].sort();
  };
  await eventually(t, made, intended, `every change once (CHAOS_SEED=${SEED})`);
  t.strictSame((await second.notSaved()).sort(), [...refused.keys()].sort(), 'only what could not be made stands in the list');
});
