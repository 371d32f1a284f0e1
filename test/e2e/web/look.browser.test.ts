import t from 'tap';
import type { Page } from 'playwright-core';
import { boxOf, cardOf, columnOf, eventually, untilTrue } from '../../support/web/boardPage.js';
import { openCard } from '../../support/web/cardDialog.js';
import { liftByMouse } from '../../support/web/dragging.js';
import { openPanel } from '../../support/web/panel.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

const ORDINARY = ['Talk to the printers about recycled paper', ...Array.from({ length: 19 }, (_, index) => `Ordinary card ${index}`)];

t.test(
  'WEB25 ten ordinary cards of a column fit a window of 900 px, more of them if they are compact; theme and density are kept',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person({ firstname: 'Ann', lastname: 'Other' });
    const board = await newBoard([ann], { Ideas: ORDINARY, Next: ['Busy'] });
    const label = await ann.client.label.create({ board_id: board.id }, { name: 'urgent', color: '#c93c37' });
    for (const { id: card_id } of board.columns[0]?.cards ?? []) {
      await ann.client.card.addLabel({ card_id, label_id: label.id });
      await ann.client.card.assign({ card_id }, { user_ids: [ann.id] });
    }
    const { id: busyId } = cardIn(board, 'Busy');
    await ann.client.card.assign({ card_id: busyId }, { user_ids: [ann.id] });
    await ann.client.card.update({ card_id: busyId }, { due_at: '2031-03-04' });
    await ann.client.attachment.create({ card_id: busyId }, { url: 'https://example.org/plan' });
    const { id: checklist_id } = await ann.client.checklist.create({ card_id: busyId }, { title: 'Steps' });
    await ann.client.item.create({ checklist_id }, { content: 'First' });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 1440, height: 900 });
    await cardOf(page, 'Ordinary card 8').waitFor();
    const whole = (): Promise<number> =>
      page.evaluate<number>(`(() => {
      const { bottom } = document.querySelector('.cards').getBoundingClientRect();
      return [...document.querySelectorAll('.card')].filter((card) => card.getBoundingClientRect().bottom <= bottom).length;
    })()`);
    const comfortable = await whole();
    t.ok(comfortable >= 10, `${comfortable} cards with a label and a person`);
    const facts = columnOf(page, 'Next').locator('.card-facts');
    for (const part of ['.due', '[title="0 of 1 item done"]', '[title="1 file"]', '.avatar']) await facts.locator(part).waitFor();
    t.ok((await boxOf(facts)).height < 2 * (await boxOf(facts.locator('.avatar').first())).height, 'facts and people share one row');

    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Dark' }).click();
    t.equal(await background(page), 'rgb(15, 17, 22)', 'dark, whatever the system says');
    const bars = page.locator('meta[name=theme-color]');
    const ofHeader = await page.evaluate<string>(`getComputedStyle(document.querySelector('.header')).backgroundColor`);
    t.strictSame(
      (await bars.evaluateAll((all) => all.map((meta) => meta.getAttribute('content')))).map(asRgb),
      [ofHeader, ofHeader],
      'and the bar of a phone',
    );
    await page.getByRole('button', { name: 'Preferences' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Compact' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    t.ok((await whole()) > comfortable, 'compact cards are smaller');
    await page.reload();
    await cardOf(page, 'Ordinary card 8').waitFor();
    t.equal(await background(page), 'rgb(15, 17, 22)', 'after a reload too');
    t.equal(await page.evaluate('document.documentElement.dataset.density'), 'compact');
  },
);

t.test(
  'WEB25 a label is a tint on which its name can be read, a dragged card has its whole shadow, and a list fades where there is more',
  options,
  async (t) => {
    const world = await start();
    const ann = await world.person();
    const board = await newBoard([ann], { Ideas: ORDINARY });
    const label = await ann.client.label.create({ board_id: board.id }, { name: 'loud', color: '#ff0000' });
    await ann.client.card.addLabel({ card_id: board.columns[0]?.cards[0]?.id ?? '', label_id: label.id });
    const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { height: 600 });
    await page.locator('.chip').waitFor();
    t.not(await page.evaluate(`getComputedStyle(document.querySelector('.chip')).backgroundColor`), 'rgb(255, 0, 0)');
    const fades = (): Promise<string[]> =>
      page.evaluate(`['--fade-start', '--fade-end'].map((name) => getComputedStyle(document.querySelector('.cards')).getPropertyValue(name))`);
    await eventually(t, fades, ['0px', '20px'], 'there is more below');
    await page.evaluate(`document.querySelector('.cards').scrollTop = 100`);
    await eventually(t, fades, ['20px', '20px'], 'and above');
    await page.evaluate(`document.querySelector('.cards').scrollTop = 0`);
    await liftByMouse(page, cardOf(page, 'Ordinary card 0'));
    t.strictSame(
      await page.evaluate(
        `[getComputedStyle(document.querySelector('.ghost')).overflow, getComputedStyle(document.querySelector('.ghost .card')).boxShadow !== 'none']`,
      ),
      ['visible', true],
    );
    await page.mouse.up();
  },
);

t.test('WEB25 a printed board has every card, and an open card is printed alone', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { Ideas: Array.from({ length: 120 }, (_, index) => `Card ${index}`) });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await cardOf(page, 'Card 0').waitFor();
  await untilTrue(page, HAS_LATER_STYLE);
  t.ok((await page.locator('.card').count()) < 120, 'on the screen there are only those nearby');
  await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
  await page.emulateMedia({ media: 'print' });
  t.equal(await page.evaluate(`dispatchEvent(new Event('beforeprint')), document.querySelectorAll('.card').length`), 120);
  t.equal(await page.locator('.header').isVisible(), false, 'without controls');
  t.equal(
    await page.evaluate(`getComputedStyle(document.querySelector('.card-title')).color`),
    'rgb(25, 29, 38)',
    'dark text, also if dark was chosen',
  );
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await untilTrue(page, `document.querySelectorAll('.card').length < 120`);
  await cardOf(page, 'Card 0').evaluate((link) => (link as unknown as { click(): void }).click());
  await page.locator('.card-parts').waitFor();
  t.equal(await columnOf(page, 'Ideas').isVisible(), false);
});

t.test('WEB25 a column that fits a page is printed in one piece', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const cards = ['First of three', 'Second of three', 'Third of three'];
  const board = await newBoard([ann], { 'To do': cards, Doing: cards, Review: cards, Done: cards });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  await page.locator('.card').nth(11).waitFor();
  await untilTrue(page, HAS_LATER_STYLE);
  await page.emulateMedia({ media: 'print' });
  const pieces = await page.locator('.column[data-column-id]').evaluateAll((all) => all.map((column) => column.getClientRects().length));
  t.strictSame(pieces, [1, 1, 1, 1]);
});

t.test('WEB25 a printed card has what is on it, without controls and headings of nothing', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, cardId: card_id, boardId: board_id } = await openCard(t, world);
  const headings = async (): Promise<string[]> => {
    const all = await dialog.locator('h3').filter({ visible: true }).allInnerTexts();
    return all.map((text) => text.trim());
  };
  const controls = dialog.locator(
    'textarea, input, button:not(.inline-text), select, .hint:not(.card-facts-bar .hint, .file .hint, .card-footer .hint, .comment-head .hint)',
  );
  await page.emulateMedia({ media: 'print' });
  t.strictSame(await headings(), ['In column'], 'of an empty card');
  t.equal(await controls.filter({ visible: true }).count(), 0);
  t.equal(await dialog.getByText('Done', { exact: true }).isVisible(), false, 'and not that it is not done');
  const { client } = ann;
  const label = await client.label.create({ board_id }, { name: 'urgent', color: '#c93c37' });
  await client.card.addLabel({ card_id, label_id: label.id });
  await client.card.assign({ card_id }, { user_ids: [ann.id] });
  await client.card.update(
    { card_id },
    { description: 'A text', due_at: '2031-03-04', completed_at: '2031-03-03T10:00:00Z', cover: { color: '#c93c37' } },
  );
  await client.attachment.create({ card_id }, { url: 'https://example.org/plan' });
  const { id: checklist_id } = await client.checklist.create({ card_id }, { title: 'Steps' });
  await client.item.create({ checklist_id }, { content: 'A step' });
  await client.comment.create({ card_id }, { body: 'A comment' });
  await dialog.getByText('A comment').waitFor();
  await dialog.getByText('example.org').first().waitFor();
  t.strictSame(await headings(), ['In column', 'People', 'Labels', 'Dates', 'Cover', 'Description', 'Steps', 'Files', 'Comments']);
  for (const text of ['A text', 'A step', 'Done']) t.ok(await dialog.getByText(text, { exact: true }).isVisible(), text);
  const ticks = dialog.locator('.item-tick input, .choice input:checked');
  t.equal(await ticks.filter({ visible: true }).count(), 2, 'what is done and what is not');
  const left = await controls.filter({ visible: true }).evaluateAll((all) => all.map((element) => element.outerHTML.slice(0, 120)));
  t.equal(left.length, 2, `and no control: ${left.join(' ')}`);
});

t.test('WEB25 on a compact card title and facts share one row where they fit', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { Ideas: ['New front page', 'A title that is much longer than what a row of a compact card has room for'] });
  const [short = '', long = ''] = board.columns[0]?.cards.map(({ id }) => id) ?? [];
  const labels = await Promise.all(['one', 'two'].map((name) => ann.client.label.create({ board_id: board.id }, { name, color: '#c93c37' })));
  for (const card_id of [short, long]) {
    for (const { id: label_id } of labels) await ann.client.card.addLabel({ card_id, label_id });
    await ann.client.card.update({ card_id }, { description: 'A text' });
    await ann.client.card.assign({ card_id }, { user_ids: [ann.id] });
    const { id: checklist_id } = await ann.client.checklist.create({ card_id }, { title: 'Steps' });
    for (const content of ['First', 'Second', 'Third']) await ann.client.item.create({ checklist_id }, { content });
  }
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`, { width: 1440, height: 900 });
  await page.locator('.card .avatar').nth(1).waitFor();
  await page.evaluate(`document.documentElement.dataset.density = 'compact'`);
  const height = async (id: string): Promise<number> => (await boxOf(page.locator(`[data-card-id="${id}"] .card`))).height;
  t.ok((await height(short)) <= 28, `one row: ${await height(short)} px`);
  t.ok((await height(long)) <= 75, `the title is not squeezed: ${await height(long)} px`);
});

t.test('WEB14 a card has its facts beside its texts from 900 px on, and its way out in sight however far it is scrolled', options, async (t) => {
  const world = await start();
  const long = Array.from({ length: 200 }, (_, index) => `Line ${index}`).join('\n\n');
  const { page, dialog } = await openCard(
    t,
    world,
    async (card_id, { client }) => void (await client.card.update({ card_id }, { description: long })),
  );
  const [side, main] = [await boxOf(dialog.locator('.card-side')), await boxOf(dialog.locator('.card-main'))];
  t.ok(side.x >= main.x + main.width, 'beside');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`document.querySelector('.dialog-body').scrollTo(0, 99999)`);
    const { x, y } = await boxOf(dialog.getByRole('button', { name: 'Close' }).first());
    t.ok(x >= 0 && x < width && y >= 0 && y < 100, `the way out is in sight at ${width} px`);
  }
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await dialog.waitFor({ state: 'detached' });
});

t.test('WEB14 what a finger touches is at least 40 px high', options, async (t) => {
  const world = await start();
  const { page } = await openCard(
    t,
    world,
    async (card_id, { client }) => {
      const { id: checklist_id } = await client.checklist.create({ card_id }, { title: 'Steps' });
      await client.item.create({ checklist_id }, { content: 'First' });
      await client.card.update({ card_id }, { description: '- [ ] a box' });
    },
    { width: 390, height: 844, isTouch: true },
  );
  const small = (): Promise<string[]> =>
    page.evaluate<
      string[]
    >(`[...document.querySelectorAll('button, select, .choice, .item-tick, .task-box, textarea, input:not([type=checkbox], [type=radio], [type=file], [type=color])')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 39.5 && !element.matches('.card-title, .link'))
      .map((element) => element.outerHTML.slice(0, 120))`);
  t.equal(await page.locator('.task-box').count(), 1);
  t.strictSame(await small(), [], 'on a card');
  await page.keyboard.press('Escape');
  await page.locator('.card-parts').waitFor({ state: 'detached' });
  t.strictSame(await small(), [], 'on the board');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Preferences' }).waitFor();
  t.strictSame(await small(), [], 'in the menu');
  const links = page.getByRole('navigation', { name: 'Developers' }).getByRole('link');
  t.strictSame(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))), ['/docs', '/redoc', '/docs/events']);
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Show this list').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Preferences' }).click();
  await page.getByRole('dialog').waitFor();
  t.strictSame(await small(), [], 'in the preferences');
  await page.keyboard.press('Escape');
  for (const section of ['Members', 'Labels', 'Rules', 'About'] as const) {
    await openPanel(page, section);
    t.strictSame(await small(), [], `in the panel: ${section}`);
  }
});

t.test('WEBSERVE1 a phone can put the application on its home screen, and the API documents lead back', options, async (t) => {
  const world = await start();
  const { page } = await world.open(t, null, '/app/login');
  const colors = await page
    .locator('meta[name=theme-color]')
    .evaluateAll((all) => all.map((meta) => [meta.getAttribute('media'), meta.getAttribute('content')]));
  t.strictSame(colors, [
    ['(prefers-color-scheme: light)', '#ffffff'],
    ['(prefers-color-scheme: dark)', '#1c2029'],
  ]);
  const address = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifest = await page.request.get(`${world.url}${address ?? ''}`);
  t.equal(manifest.headers()['content-type'], 'application/manifest+json');
  const { icons, start_url } = (await manifest.json()) as {
    readonly icons: ReadonlyArray<{ readonly src: string; readonly type: string }>;
    readonly start_url: string;
  };
  t.equal(start_url, '/');
  for (const { src, type } of icons) {
    const icon = await page.request.get(`${world.url}${src}`);
    t.strictSame([icon.status(), icon.headers()['content-type']], [200, type], src);
  }
  for (const path of ['/docs', '/redoc']) {
    t.match(await (await page.request.get(`${world.url}${path}`)).text(), /<nav[^>]*><a [^>]*href="\/">← Switchboard<\/a>/, path);
  }
});

/** Runs in the page: the style of paper is loaded when the board rests. */
const HAS_LATER_STYLE = `document.styleSheets.length > 1`;

/** As the browser computes a colour of six digits. */
function asRgb(color: string | null): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color?.slice(at, at + 2) ?? '', 16));
  return `rgb(${parts.join(', ')})`;
}

function background(page: Page): Promise<string> {
  return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
}
