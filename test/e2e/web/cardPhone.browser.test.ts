import t from 'tap';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { boxOf } from '../../support/web/boardPage.js';
import { addItems, openCard } from '../../support/web/cardDialog.js';
import type { Person } from '../../support/web/people.js';
import { smallTargets } from '../../support/web/touchTargets.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEB14 on a phone the dialog fills the screen, nothing is wider than it, and every control can be touched', options, async (t) => {
  const { page, dialog, screenshot } = await openCard(t, await start(), populate, { width: 390, height: 844, isTouch: true });
  await dialog.getByText('file.txt', { exact: true }).waitFor();
  const { x, y, width, height } = await boxOf(dialog);
  t.strictSame([x, y, width, height], [0, 0, 390, 844]);
  t.equal(await page.evaluate(`(() => { const body = document.querySelector('.dialog-body'); return body.scrollWidth - body.clientWidth; })()`), 0);
  await screenshot('web-card-phone');
  t.strictSame(await smallTargets(page), []);

  await dialog.getByRole('button', { name: 'Choose labels' }).tap();
  const list = await boxOf(page.locator('.popover'));
  t.ok(list.x >= 0 && list.x + list.width <= 390, 'a list opens within the screen');
  await page.keyboard.press('Escape');
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  t.equal(
    await page.evaluate(`(() => { const body = document.querySelector('.dialog-body'); return body.scrollWidth - body.clientWidth; })()`),
    0,
    'also with large text',
  );
});

t.test('WEB13 the dialog has no axe violation in either theme', options, async (t) => {
  const world = await start();
  for (const theme of ['light', 'dark'] as const) {
    const { page, dialog, screenshot } = await openCard(t, world, populate, { theme });
    await dialog.getByText('file.txt', { exact: true }).waitFor();
    t.strictSame(await violations(page), [], `${theme}: the card`);
    await screenshot(`web-card-${theme}`);
    await dialog.getByRole('button', { name: 'Edit' }).click();
    t.strictSame(await violations(page), [], `${theme}: its description is edited`);
    await dialog.getByRole('button', { name: 'Choose labels' }).click();
    t.strictSame(await violations(page), [], `${theme}: labels are chosen`);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Actions for a' }).click();
    t.strictSame(await violations(page), [], `${theme}: actions for an item`);
  }
});

async function populate(card_id: string, ann: Person, ben: Person): Promise<void> {
  const description =
    '# Plan\n\n[a link](https://example.org) and `code`\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n' +
    'long '.repeat(60) +
    '\n```\n\n' +
    'x'.repeat(200);
  const { board_id } = await ann.client.card.update({ card_id }, { description });
  const { id: label_id } = await ann.client.label.create(
    { board_id },
    { name: 'a label with a long name that says almost everything', color: '#e3b341' },
  );
  await ann.client.card.addLabel({ card_id, label_id });
  await ann.client.card.assign({ card_id }, { user_ids: [ann.id, ben.id] });
  await addItems(card_id, ann);
  await ann.client.attachment.create({ card_id }, { name: 'file.txt', content: 'x' });
}

async function violations(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 120))))`,
  );
}
