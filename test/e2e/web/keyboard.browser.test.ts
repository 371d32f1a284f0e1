import t from 'tap';
import type { Page } from 'playwright-core';
import { changeUser } from '../../support/service/operator.js';
import { announced, cardOf, columnOf, eventually, shownColumns, shows } from '../../support/web/boardPage.js';
import { newBoard, planOf, type Person } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB7 by keyboard alone a user walks between cards, lifts, moves, drops and puts back, and hears each step', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a', 'b', 'c'], Empty: [], Doing: ['x'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const hears = (text: string): Promise<void> => eventually(t, () => announced(page), text, `it says: ${text}`);
  await cardOf(page, 'a').waitFor();

  await t.test('walking', async (t) => {
    await tabTo(page, 'a');
    for (const [key, title] of [
      ['ArrowDown', 'b'],
      ['ArrowDown', 'c'],
      ['ArrowDown', 'c'],
      ['ArrowUp', 'b'],
      ['ArrowRight', 'x'],
      ['ArrowRight', 'x'],
      ['ArrowLeft', 'a'],
    ] as const) {
      await press(key);
      await eventually(t, () => focused(page), title, `${key} leads to ${title}`);
    }
  });

  await t.test('lifting and dropping a card', async (t) => {
    await press('Space');
    await hears('Lifted a. Position 1 of 3 in To do. Arrow keys move it, space drops it, escape puts it back.');
    await press('ArrowDown');
    await hears('Position 2 of 3 in To do');
    await press('ArrowDown');
    await hears('Position 3 of 3 in To do');
    await press('Space');
    await hears('Dropped a in To do.');
    await shows(t, page, { 'To do': ['b', 'c', 'a'], Empty: [], Doing: ['x'] });
    await eventually(t, () => focused(page), 'a', 'the focus stays on it');
  });

  await t.test('to other columns, also an empty one', async (t) => {
    await press('Space');
    await press('ArrowRight');
    await hears('Position 1 of 1 in Empty');
    await press('ArrowRight');
    await hears('Position 1 of 2 in Doing');
    await press('ArrowLeft');
    await press('Enter');
    await hears('Dropped a in Empty.');
    await shows(t, page, { 'To do': ['b', 'c'], Empty: ['a'], Doing: ['x'] });
    await eventually(t, () => focused(page), 'a', 'the focus stays on it');
  });

  await t.test('putting back', async (t) => {
    await press('Space');
    await press('ArrowLeft');
    await press('Escape');
    await hears('Put back a.');
    await shows(t, page, { 'To do': ['b', 'c'], Empty: ['a'], Doing: ['x'] });
    t.equal(await page.locator('.is-marked, .is-lifted').count(), 0, 'no mark stays');
  });

  await t.test('a column', async (t) => {
    await columnOf(page, 'Doing').getByRole('button', { name: 'Move the column Doing' }).focus();
    await press('Space');
    await hears('Lifted the column Doing, 3 of 3. Left and right move it, space drops it, escape puts it back.');
    await press('ArrowLeft');
    await hears('Position 2 of 3');
    await press('ArrowLeft');
    await hears('Position 1 of 3');
    await press('Space');
    await hears('Dropped the column Doing.');
    await eventually(t, () => shownColumns(page), ['Doing', 'To do', 'Empty'], 'it is moved');
  });
  await eventually(
    t,
    async () => planOf(await ann.client.board.get({ board_id: board.id })),
    { Doing: ['x'], 'To do': ['b', 'c'], Empty: ['a'] },
    'as the service has it',
  );
});

t.test('WEB18 keys start everything on a board, and ? lists them', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['a'], Doing: ['x'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  await cardOf(page, 'x').waitFor();

  await press('?');
  const sheet = page.getByRole('dialog', { name: 'Shortcuts' });
  t.match(await sheet.innerText(), /Filter the cards[\s\S]*New card[\s\S]*Lift the card/);
  await press('n');
  t.equal(await page.locator('form.add-form textarea').count(), 0, 'keys do nothing behind a dialog');
  await press('Escape');
  await sheet.waitFor({ state: 'detached' });

  await cardOf(page, 'x').focus();
  await press('n');
  await page.getByLabel('Title of the new card in Doing').waitFor();
  await page.keyboard.type('new? /b');
  await press('Enter');
  await press('Escape');
  await shows(t, page, { 'To do': ['a'], Doing: ['x', 'new? /b'] }, 'keys that are typed are text');
  await eventually(t, () => page.evaluate<string>('document.activeElement.textContent'), '+ Add a card', 'the focus is on the button of the form');

  await press('/');
  await page.keyboard.type('new');
  await shows(t, page, { 'To do': [], Doing: ['new? /b'] });
  await press('Escape');
  await shows(t, page, { 'To do': ['a'], Doing: ['x', 'new? /b'] });

  await press('c');
  await page.getByLabel('Title of the new column').fill('Done');
  await press('Enter');
  await eventually(t, () => shownColumns(page), ['To do', 'Doing', 'Done'], 'a column was added');
  await press('Escape');

  await cardOf(page, 'a').focus();
  await press('m');
  await page.getByRole('dialog', { name: 'Move “a”' }).waitFor();
  await press('Escape');
  await eventually(t, () => focused(page), 'a', 'the focus is back on the card');
  await press('Enter');
  await page.waitForURL(/\/cards\//);
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  await page.waitForURL(/\/boards\/[^/]+$/);
  await press('b');
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
});

/** The title of the card with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`document.activeElement.matches('.card-title') ? document.activeElement.textContent : ''`);
}

async function tabTo(page: Page, title: string): Promise<void> {
  for (let tabs = 0; tabs < 40; tabs += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === title) return;
  }
  throw new Error(`${title} is not reached with the tab key`);
}

/** What goes, what is pressed for it one after the other, and where the focus is then. */
interface Removal {
  readonly what: string;
  readonly open: (page: Page) => Promise<void>;
  readonly press: readonly string[];
  /** One of these fewer is there afterwards. */
  readonly gone: string;
  readonly focused: string;
}

const DEVICE = 'An old device';
const OLD_SESSION = `[aria-label="End the session of ${DEVICE}"]`;
const SURE = '.dialog-actions .button.is-danger';

t.test('WEB15 whatever is deleted or dismissed with the focus in it, the focus goes to what stands there then', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person({ firstname: 'Ann' }), await world.person({ firstname: 'Ben' })];
  const { client } = ann;
  // Who may invite, also where only superusers may.
  await changeUser(world.dataDir, ann.id, { is_superuser: true });
  const board = await newBoard([ann, ben], { 'To do': ['Plan', 'Other'], Doing: [], Done: [] });
  const [column, board_id] = [board.columns[0], board.id];
  const card_id = column?.cards[0]?.id ?? '';
  for (const name of ['one', 'two']) {
    await client.label.create({ board_id }, { name, color: '#3d4ccc' });
    await client.rule.create(
      { board_id },
      { name, trigger_type: 'CARD_MOVED', trigger_column_id: column?.id ?? '', action_type: 'ASSIGN_MEMBER', action_user_id: ann.id },
    );
    await client.webhook.create({ board_id }, { url: `https://example.org/${name}`, is_enabled: false });
    await client.invitation.create({ board_id });
    await client.comment.create({ card_id }, { body: name });
    await client.attachment.create({ card_id }, { url: `https://example.org/${name}`, title: name });
    await client.key.create({ name, scopes: ['read'] });
  }
  const { page } = await world.open(t, ann, `/app/boards/${board_id}`);
  const at = (path: string, wanted: string) => async (page: Page) => {
    await page.goto(world.url + path);
    await page.locator(wanted).first().waitFor();
  };
  const showBoard = at(`/app/boards/${board_id}`, '.card');
  const showTab = (id: string) => async (page: Page) => {
    await showBoard(page);
    await page.keyboard.press('s');
    await page.locator(`[data-tab=${id}]`).click();
    await page.locator('[role=tabpanel] .row-item').first().waitFor();
  };
  const showCard = at(`/app/boards/${board_id}/cards/${card_id}`, '.comment');
  const showKeys = at('/app/account', '[aria-label^="Revoke the key"]');
  const row = (name: string): string => `[role=tabpanel] .row-item ${name}`;
  const inPanel = (what: string, id: string, button: string, gone = '[role=tabpanel] .row-item'): readonly Removal[] => [
    { what, open: showTab(id), press: [button, SURE], gone, focused: `${gone} *` },
    { what: `the last ${what}`, open: async () => undefined, press: [button, SURE], gone, focused: '[role=tabpanel] *' },
  ];
  const removals: readonly Removal[] = [
    ...inPanel('label', 'labels', row('[aria-label^="Delete the label"]')),
    ...inPanel('rule', 'rules', row('[aria-label^="Delete the rule"]')),
    ...inPanel('webhook', 'webhooks', row('[aria-label^="Delete the webhook"]')),
    { what: 'member', open: showTab('members'), press: [row('[aria-label="Remove Ben"]'), SURE], gone: row('.avatar'), focused: '[role=tabpanel] *' },
    {
      what: 'link',
      open: showTab('members'),
      press: ['[aria-labelledby=panel-links] .row-item button'],
      gone: '[aria-labelledby=panel-links] li',
      focused: '[aria-labelledby=panel-links] li *',
    },
    { what: 'comment', open: showCard, press: ['.comment [aria-label^="Delete"]', `.comment ${SURE}`], gone: '.comment', focused: '.comment *' },
    { what: 'file', open: showCard, press: ['.file [aria-label^="Delete"]'], gone: '.file', focused: '.file *' },
    { what: 'key', open: showKeys, press: ['[aria-label^="Revoke the key"]'], gone: '[aria-label^="Revoke the key"]', focused: 'li *' },
    {
      what: 'notice',
      open: async (page) => {
        await page.route('**/star', (route) => route.fulfill({ status: 409, contentType: 'application/json', body: '{"detail":"Not now"}' }));
        await at('/', '.star')(page);
        await page.locator('.star').first().focus();
        await page.keyboard.press('Enter');
        await page.locator('.notice').waitFor();
      },
      press: ['.notice [aria-label=Dismiss]'],
      gone: '.notice',
      focused: '.star',
    },
    {
      what: 'draft',
      open: async (page) => {
        await showCard(page);
        await page.getByLabel('Write a comment').fill('half a comment');
        await client.card.delete({ card_id });
        await page.locator('.card-lost').waitFor();
      },
      press: ['.card-lost .button.is-quiet'],
      gone: '.card-lost',
      focused: 'dialog *',
    },
    {
      what: 'session',
      open: async (page) => {
        for (let n = 0; n < 2; n += 1) await newSession(world.url, ann);
        await at('/app/account', OLD_SESSION)(page);
      },
      press: [OLD_SESSION],
      gone: OLD_SESSION,
      focused: OLD_SESSION,
    },
    {
      what: 'column',
      open: showBoard,
      press: ['[data-column-id] [aria-label^="Actions"]', '[data-column-id] .menu-item.is-danger', SURE],
      gone: '[data-column-id]',
      focused: '[data-column-id] *',
    },
  ];
  for (const { what, open, press, gone, focused: place } of removals) {
    await t.test(what, async (t) => {
      await open(page);
      const before = await page.locator(gone).count();
      for (const button of press) {
        // What a dialog has cannot take the focus before the dialog is shown.
        await page.locator(button).first().waitFor();
        await page.locator(button).first().focus();
        await page.keyboard.press('Enter');
      }
      await eventually(t, () => page.locator(gone).count(), before - 1, 'it is gone');
      await eventually(t, () => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(place)})`), true, `the focus is at ${place}`);
    });
  }
});

/** The other cases need the sessions of the client and of the page. */
async function newSession(url: string, { email: username, password }: Person): Promise<void> {
  const body = new URLSearchParams({ username, password });
  const answer = await fetch(`${url}/auth/login`, { method: 'POST', headers: { 'user-agent': DEVICE }, body });
  if (!answer.ok) throw new Error(`the login answered ${answer.status}`);
}
