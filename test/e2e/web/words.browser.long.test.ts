import t from 'tap';
import type { Page } from 'playwright-core';
import { overflowOf } from '../../support/web/boardPage.js';
import { newBoard, type Person } from '../../support/web/people.js';
import { sharedWorld, type WebWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Everything that users wrote has the mark of the pseudo-language, so that what lacks it is ours. */
const MARK = '~';
const WIDTHS = [1280, 390];

t.test('WEB26 a German browser gets a German page, with dates and numbers as written there', options, async (t) => {
  const world = await start();
  const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
  const board = await newBoard([ann], { Eins: ['a', 'b'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { locale: 'de-AT' });
  await page.getByRole('button', { name: '+ Karte hinzufügen' }).waitFor();
  t.equal(await page.evaluate('document.documentElement.lang'), 'de-AT');
  await page.getByRole('link', { name: 'a', exact: true }).click();
  const day = new Intl.DateTimeFormat('de-AT', { dateStyle: 'medium' }).format(new Date(board.created_at));
  await page.getByText(`Angelegt von Ann Other am ${day}`).waitFor();
});

t.test('WEB26 in a pseudo-language no text is left in English, and none is wider than its box', options, async (t) => {
  const world = await start();
  const ann = await world.person({ username: `ann${MARK}`, firstname: `Ann${MARK}`, lastname: null });
  const path = await populate(ann);
  for (const width of WIDTHS) {
    const { page } = await world.open(t, null, '/app/login', { locale: 'en-XA', width });
    for (const [name, open] of screensOf(world, ann, path)) {
      await t.test(`${name} at ${width} px`, async (t) => {
        await open(page);
        t.strictSame(await untranslatedIn(page), [], 'everything is translated');
        t.strictSame(await cutIn(page), [], 'nothing is cut off');
        t.equal(await overflowOf(page), 0, 'the page does not scroll sideways');
      });
    }
  }
});

async function populate({ client, ...person }: Person): Promise<string> {
  const board = await newBoard([{ client, ...person }], { [`To do${MARK}`]: [`Card${MARK}`, `Other${MARK}`], [`Doing${MARK}`]: [] }, `Plans${MARK}`);
  const [todo] = board.columns;
  const card_id = todo?.cards[0]?.id ?? '';
  const label = await client.label.create({ board_id: board.id }, { name: `label${MARK}`, color: 'red' });
  await client.card.addLabel({ card_id, label_id: label.id });
  await client.card.assign({ card_id }, { user_ids: [person.id] });
  await client.card.update({ card_id }, { description: `text${MARK}` });
  const { id: checklist_id } = await client.checklist.create({ card_id }, { title: `Steps${MARK}` });
  await client.item.create({ checklist_id }, { content: `First${MARK}` });
  await client.rule.create(
    { board_id: board.id },
    { name: `Rule${MARK}`, trigger_type: 'CARD_MOVED', trigger_column_id: todo?.id ?? '', action_type: 'ASSIGN_MEMBER', action_user_id: person.id },
  );
  return `/app/boards/${board.id}/cards/${card_id}`;
}

function screensOf(
  { url }: WebWorld,
  { email, password }: Person,
  cardPath: string,
): ReadonlyArray<readonly [string, (page: Page) => Promise<void>]> {
  const boardPath = cardPath.split('/cards/')[0] ?? '';
  const tab = (id: string) => async (page: Page) => {
    await page.locator(`[data-tab=${id}]`).click();
    await page.locator(`[data-tab=${id}][aria-selected=true]`).waitFor();
    if (id === 'rules') await page.locator('.is-rule').waitFor();
  };
  return [
    ['login', async (page) => page.locator('.entrance .button').first().waitFor()],
    [
      'boards',
      async (page) => {
        await page.locator('input[name=username]').fill(email);
        await page.locator('input[name=password]').fill(password);
        await page.keyboard.press('Enter');
        await page.locator('a.tile-title').waitFor();
      },
    ],
    ['menu', async (page) => page.locator('.header .popover-root button').first().click()],
    ['preferences', async (page) => page.locator('.popover .menu-part:nth-child(2) .menu-item').first().click()],
    [
      'board',
      async (page) => {
        await page.goto(url + boardPath);
        await page.locator('.card').first().waitFor();
      },
    ],
    ['filter', async (page) => page.locator('.filter .popover-root button').first().click()],
    [
      'shortcuts',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await page.locator('.shortcuts').first().waitFor();
      },
    ],
    [
      'card',
      async (page) => {
        await page.goto(url + cardPath);
        await page.locator('.card-parts').waitFor();
      },
    ],
    ['editor', async (page) => page.locator('.card-main .card-part-header .button').first().click()],
    [
      'members',
      async (page) => {
        await page.goto(url + boardPath);
        await page.locator('.card').first().waitFor();
        await page.keyboard.press('s');
        await page.locator('.tabs').waitFor();
      },
    ],
    ['labels', tab('labels')],
    ['rules', tab('rules')],
    ['about', tab('about')],
    [
      'account',
      async (page) => {
        await page.goto(`${url}/app/account`);
        await page.locator('.row-item').first().waitFor();
      },
    ],
  ];
}

/** Texts without the mark, but for the name of the product, keys, times, addresses and what an option shows of them. */
function untranslatedIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent.trim();
      const around = node.parentElement;
      if (!/\\p{L}{2}/u.test(text) || text.includes('${MARK}') || around.closest('.home, kbd, time, noscript, script, code, [title^="Mozilla"]')) continue;
      if (/@|^127\\.|^\\d/.test(text) || around.checkVisibility?.() === false) continue;
      // A piece of a sentence with something filled in: the sentence has the mark.
      if (around.parentElement.textContent.includes('${MARK}') || around.textContent.includes('${MARK}')) continue;
      found.push(text);
    }
    return found;
  })()`);
}

/** Texts that are wider than their box. Those of users may end with dots. */
function cutIn(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('button, a, label, h1, h2, h3, p, span, legend, dt, dd, th')]
    .filter((element) => element.checkVisibility() && !element.closest('.only-spoken, .chip, .file-name, .home, .inline-text, .tile-title, .cards'))
    .filter((element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 160))`);
}
