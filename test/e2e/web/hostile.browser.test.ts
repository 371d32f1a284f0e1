import t from 'tap';
import type { Page } from 'playwright-core';
import { cardOf, eventually, overflowOf, shows } from '../../support/web/boardPage.js';
import { HOSTILE_TITLES } from '../../support/web/hostileTitles.js';
import { newBoard, planOf } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

/** The longest name of a label. */
const LABEL_CHARACTERS = 50;

const { options, start } = sharedWorld(t);

t.test('WEB12 hostile text in every field is shown as it is, runs nothing and does not break the page', options, async (t) => {
  const world = await start();
  const name = '<img src=x onerror=alert(1)>';
  const ann = await world.person({ firstname: name, lastname: 'אבג' });
  const ben = await world.person({ firstname: 'W'.repeat(60), lastname: name });
  const texts = HOSTILE_TITLES.map((text, n) => `${n} ${text}`);
  const board = await newBoard([ann, ben], { [name]: texts, ...Object.fromEntries(texts.map((text) => [text, []])) }, name);
  const [first] = board.columns[0]?.cards ?? [];
  const card_id = first?.id ?? '';
  for (const text of HOSTILE_TITLES) {
    const label = await ann.client.label.create(
      { board_id: board.id },
      { name: [...text].slice(0, LABEL_CHARACTERS).join('').slice(0, LABEL_CHARACTERS), color: '#c93c37' },
    );
    await ann.client.card.addLabel({ card_id, label_id: label.id });
  }
  await ann.client.card.assign({ card_id }, { user_ids: [ann.id, ben.id] });

  for (const width of [1280, 390]) {
    const window = await world.open(t, ann, '/', { width });
    const { page } = window;
    const alerts = watchDialogs(page);
    await page.getByRole('link', { name, exact: true }).waitFor();
    t.equal(await overflowOf(page), 0, 'the list of boards fits');
    await page.getByRole('link', { name, exact: true }).click();
    await page.locator(`[data-card-id="${card_id}"]`).waitFor();
    t.equal(await page.title(), `${name} · Switchboard`);
    await window.screenshot(`web-hostile-${width}`);
    t.equal(await overflowOf(page), 0, 'the board fits');
    t.strictSame(await page.evaluate<string[]>(WIDER_THAN_COLUMN), [], 'nothing is wider than its column');
    await page.getByRole('button', { name: 'Filter by label, person and date' }).click();
    t.equal(await overflowOf(page), 0, 'the filter fits');
    await page.keyboard.press('Escape');
    await page.locator(`[data-card-id="${card_id}"] .card-title`).focus();
    await page.keyboard.press('m');
    await page.getByRole('dialog').waitFor();
    t.equal(await overflowOf(page), 0, 'the dialog fits');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(`[data-card-id="${card_id}"] .card-title`).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    t.strictSame(alerts, [], 'nothing ran');
    t.equal(await page.locator('img, iframe, base, math, main script').count(), 0, 'no text became an element');
  }
});

t.test('WEB12 hostile text that arrives while the board is open is text too', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], { 'To do': ['a'] });
  const { page } = await world.open(t, ann, `/app/boards/${board.id}`);
  const alerts = watchDialogs(page);
  await cardOf(page, 'a').waitFor();
  const text = '<img src=x onerror=alert(1)>';
  await ben.client.card.update({ card_id: board.columns[0]?.cards[0]?.id ?? '' }, { title: text });
  await ben.client.column.update({ column_id: board.columns[0]?.id ?? '' }, { title: text });
  await shows(t, page, planOf(await ben.client.board.get({ board_id: board.id })));
  await eventually(t, () => page.locator('.column h2').innerText(), text, 'the title of the column');
  t.strictSame(alerts, []);
});

function watchDialogs(page: Page): string[] {
  const alerts: string[] = [];
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  return alerts;
}

/** Runs in the page. */
const WIDER_THAN_COLUMN = `[...document.querySelectorAll('.column')].flatMap((column) => {
  const { left, right } = column.getBoundingClientRect();
  return [...column.querySelectorAll('*')].filter((each) => {
    const box = each.getBoundingClientRect();
    return each.checkVisibility() && each.closest('.only-spoken') === null && (box.left < left - 1 || box.right > right + 1);
  }).map((each) => each.outerHTML.slice(0, 160));
})`;
