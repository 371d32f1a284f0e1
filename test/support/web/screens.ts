/** Every screen of the browser application, its menus and its dialogs, in a window that walks through all of them. */
import type { Test } from 'tap';
import type { Page } from 'playwright-core';
import type { Environment } from '../../../src/settings/config.js';
import { changeUser } from '../service/operator.js';
import { ALLOWED } from '../webhooks/hookScene.js';
import { untilTrue } from './boardPage.js';
import { boardScreens } from './boardScreens.js';
import { cardScreens } from './cardScreens.js';
import { newBoard, type Person } from './people.js';
import type { BrowserWindow, WindowOptions } from './window.js';
import type { WebWorld } from './world.js';

/** Everything that users wrote has the mark of the pseudo-language, so that what lacks it is ours. */
export const MARK = '~';

/** Of a service whose owners make invitations and webhooks. */
export const SCREEN_SETTINGS: Environment = { ...ALLOWED, INVITATIONS: 'owners' };

/** A screen, and the steps that lead to it from the one before. They know nothing of the language. */
export type Screen = readonly [name: string, open: (page: Page) => Promise<void>];

export interface Scene {
  readonly url: string;
  /** A superuser, who owns the board. */
  readonly ann: Person;
  readonly boardId: string;
  readonly cardId: string;
  /** Another card of the board, which is deleted on the way. */
  readonly otherId: string;
  readonly emptyId: string;
}

/** Shows every screen to `look`. */
export async function eachScreen(
  t: Test,
  world: WebWorld,
  options: WindowOptions & { readonly width: number },
  look: (t: Test, page: Page, window: BrowserWindow) => Promise<void>,
): Promise<void> {
  const scene = await sceneIn(world, options.width);
  const { token } = await scene.ann.client.invitation.create({ board_id: scene.boardId });
  const window = await world.open(t, null, '/app/login', options);
  const screens = [...doors(scene, token), ...boards(scene), ...boardScreens(scene), ...cardScreens(scene), ...others(scene), ...away(scene)];
  for (const [name, open] of screens) {
    await t.test(`${name} at ${options.width} px`, async (t) => {
      await open(window.page);
      await window.screenshot(`web-${name.replaceAll(' ', '-')}-${options.width}`);
      await look(t, window.page, window);
    });
  }
}

async function sceneIn(world: WebWorld, width: number): Promise<Scene> {
  const ann = await world.person({ username: `ann${width}${MARK}`, firstname: `Ann${MARK}`, lastname: null });
  const ben = await world.person({ firstname: `Ben${MARK}`, lastname: null });
  await changeUser(world.dataDir, ann.id, { is_superuser: true });
  const { client } = ann;
  const plan = { [`To do${MARK}`]: [`Card${MARK}`, `Other${MARK}`, `שלום${MARK}`], [`Doing${MARK}`]: [], [`Done${MARK}`]: [] };
  const board = await newBoard([ann, ben], plan, `Plans${MARK}`);
  const board_id = board.id;
  const [todo, , done] = board.columns;
  const column_id = todo?.id ?? '';
  const card_id = todo?.cards[0]?.id ?? '';
  for (const color of ['#e3b341', '#2f6feb', 'red', '#111111']) {
    const label = await client.label.create({ board_id }, { name: `label ${color}${MARK}`, color });
    await client.card.addLabel({ card_id, label_id: label.id });
  }
  await ben.client.card.assign({ card_id }, { user_ids: [ann.id, ben.id] });
  await client.card.update({ card_id }, { description: `text${MARK} with a [link${MARK}](https://example.com)\n\n- [ ] box${MARK}` });
  const { id: checklist_id } = await client.checklist.create({ card_id }, { title: `Steps${MARK}` });
  await client.item.create({ checklist_id }, { content: `First${MARK}` });
  await client.rule.create(
    { board_id },
    { name: `Rule${MARK}`, trigger_type: 'CARD_MOVED', trigger_column_id: column_id, action_type: 'ASSIGN_MEMBER', action_user_id: ann.id },
  );
  const archived = await client.card.create({ board_id, column_id }, { title: `Archived${MARK}` });
  const deleted = await client.card.create({ board_id, column_id }, { title: `Deleted${MARK}` });
  await client.card.archive({ card_id: archived.id });
  await client.card.delete({ card_id: deleted.id });
  await client.comment.create({ card_id }, { body: `words${MARK}` });
  await client.webhook.create({ board_id }, { url: `http://127.0.0.1:9/${MARK}` });
  await client.column.update({ column_id: done?.id ?? '' }, { is_done_column: true });
  const empty = await newBoard([ann], {}, `Empty${MARK}`);
  return { url: world.url, ann, boardId: board_id, cardId: card_id, otherId: todo?.cards[1]?.id ?? '', emptyId: empty.id };
}

/**
 * To another address within the application, as by a link: no other document, whose scripts and those of axe would start cold. What was
 * there before does not count as what is wanted.
 */
export async function follow(page: Page, path: string, wanted: string): Promise<void> {
  const all = `[...document.querySelectorAll(${JSON.stringify(wanted)})]`;
  await page.evaluate(`{
    for (const element of ${all}) element.textBefore = element.textContent;
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
  }`);
  await untilTrue(page, `${all}.some((element) => element.checkVisibility() && element.textBefore !== element.textContent)`);
}

/** Before the login. */
function doors({ url }: Scene, token: string): readonly Screen[] {
  const at = (path: string, wanted: string) => async (page: Page) => {
    // Another document: a new fragment alone would not be read.
    await page.goto('about:blank');
    await page.goto(url + path);
    await page.locator(wanted).first().waitFor();
  };
  return [
    ['setup', at('/app/setup#token=unknown', 'input[name=password]')],
    ['invitation', at(`/app/invitation#token=${token}`, '.sign-in input')],
    ['incomplete invitation', at('/app/invitation', '.sign-in p')],
    ['registration', (page) => follow(page, '/app/register', 'main h1')],
    ['forgotten password', (page) => follow(page, '/app/forgot-password', 'main h1')],
    ['new password', at('/app/reset-password#token=unknown', 'main h1')],
    ['confirmed address', at('/app/verify-email#token=unknown', 'main h1')],
    ['login', (page) => follow(page, '/app/login', '.sign-in:has(input[name=username])')],
    [
      'refused login',
      async (page) => {
        await refuse(page, /\/auth\/login$/, 401);
        await page.locator('input[name=username]').fill('nobody');
        await page.locator('input[name=password]').fill('nothing');
        await page.keyboard.press('Enter');
        await page.locator('.refusal').waitFor();
        await page.unroute(/\/auth\/login$/);
      },
    ],
  ];
}

/** The list of boards and what opens from there. */
function boards({ ann: { email, password } }: Scene): readonly Screen[] {
  const document = (title: string): string =>
    JSON.stringify({ format: 'switchboard-board', version: 1, title, columns: [{ id: 'a', title, cards: [] }] });
  const choose = async (page: Page, text: string): Promise<void> =>
    page.locator('dialog input[type=file]').setInputFiles({ name: `board${MARK}.json`, mimeType: 'application/json', buffer: Buffer.from(text) });
  return [
    [
      'boards',
      async (page) => {
        await page.locator('input[name=username]').fill(email);
        await page.locator('input[name=password]').fill(password);
        await page.keyboard.press('Enter');
        await page.locator('a.tile-title').first().waitFor();
      },
    ],
    [
      'notices',
      async (page) => {
        await page.locator('.header .bell').click();
        await page.locator('.notifications li').first().waitFor();
      },
    ],
    [
      'menu',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.locator('.header .popover-root button:not(.bell)').click();
      },
    ],
    [
      'preferences',
      async (page) => {
        await page.locator('.popover .menu-part:nth-child(2) .menu-item').first().click();
        await page.locator('dialog[open] .preferences').waitFor();
      },
    ],
    [
      'menu of a board',
      async (page) => {
        await close(page);
        await page.locator('.tile .popover-root button').first().click();
      },
    ],
    [
      'deleting a board',
      async (page) => {
        await page.locator('.tile .menu-item.is-danger').click();
        await page.locator('dialog[open] .dialog-actions').waitFor();
      },
    ],
    [
      'import',
      async (page) => {
        await close(page);
        await page.locator('.page-title button').first().click();
        await page.locator('.drop-zone').waitFor();
      },
    ],
    [
      'refused import',
      async (page) => {
        await choose(page, 'nothing');
        await page.locator('dialog .refusal').waitFor();
      },
    ],
    [
      'imported board',
      async (page) => {
        await choose(page, document(`Imported${MARK}`));
        await page.locator('dialog .counts').waitFor();
      },
    ],
    [
      'address that leads nowhere',
      async (page) => {
        await close(page);
        await follow(page, '/app/nowhere', 'main h1');
      },
    ],
  ];
}

/** What belongs to no board. */
function others({ ann: { password } }: Scene): readonly Screen[] {
  return [
    ['my cards', (page) => follow(page, '/app/my-cards', '.my-cards')],
    ['what one hears of', (page) => follow(page, '/app/notices', 'table:has(select)')],
    ['administration', (page) => follow(page, '/app/admin', 'table td')],
    ['webhooks over all boards', (page) => follow(page, '/app/admin/webhooks', 'form.sub-form')],
    ['account', (page) => follow(page, '/app/account', '.row-item')],
    [
      'second factor',
      async (page) => {
        const form = page.locator('form').filter({ has: page.locator('[name=password]'), hasNot: page.locator('[name=email], [name=username]') });
        await form.locator('[name=password]').fill(password);
        await form.locator('[type=submit]').click();
        await page.locator('[name=code]').waitFor();
      },
    ],
  ];
}

/** A proxy answers for a service that is away. */
function away({ url, boardId }: Scene): readonly Screen[] {
  return [
    [
      'away',
      async (page) => {
        await page.route('**/auth/me', (route) => route.fulfill({ status: 502, body: '' }));
        await page.goto(`${url}/`);
        await page.locator('main.page.is-narrow').waitFor();
      },
    ],
    [
      'kept board',
      async (page) => {
        await page.goto(`${url}/app/boards/${boardId}`);
        await page.locator('.columns.is-kept').waitFor();
      },
    ],
  ];
}

export async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
}

/** The service refuses it, with a sentence that counts as translated. */
export function refuse(page: Page, path: RegExp, status: number): Promise<unknown> {
  const body = JSON.stringify({ detail: `Not this${MARK}` });
  return page.route(path, (route) => route.fulfill({ status, contentType: 'application/json', body }));
}
