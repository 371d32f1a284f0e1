import t from 'tap';
import { overflowOf } from '../../support/web/boardPage.js';
import { eachScreen, WIDTHS } from '../../support/web/screens.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

for (const width of WIDTHS) {
  t.test(`WEB14 with text of twice the size nothing is cut off and no control is covered, ${width} px wide`, options, async (t) => {
    const world = await start();
    await eachScreen(t, world, width, async (t, { page }) => {
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      t.equal(await overflowOf(page), 0, 'the page is not wider than the window');
      t.strictSame(await page.evaluate<string[]>(CUT_OFF), [], 'no text is cut off');
      t.strictSame(await page.evaluate<string[]>(COVERED), [], 'no control is covered by another');
      await page.evaluate(`document.documentElement.style.fontSize = ''`);
    });
  });
}

/** Runs in the page: controls and headings whose text does not fit into them. */
const CUT_OFF = `[...document.querySelectorAll('button, a, h1, h2, h3, label, p, input')].filter((element) => {
  const style = getComputedStyle(element);
  if (element.checkVisibility() === false || element.closest('.only-spoken, .cards, .columns') !== null) return false;
  return style.overflow !== 'visible' && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1) && element.clientWidth > 0;
}).map((element) => element.outerHTML.slice(0, 160))`;

/** Runs in the page: controls that are on the screen, with something else where one would press them. */
const COVERED = `[...document.querySelectorAll('button, a, input, select, textarea')].filter((control) => {
  const top = document.querySelector('dialog[open], .popover');
  if (!control.checkVisibility() || control.closest('.only-spoken') !== null || (top !== null && !top.contains(control))) return false;
  const { left, right, top: start, bottom } = control.getClientRects()[0];
  const [x, y] = [(left + right) / 2, (start + bottom) / 2];
  for (let around = control.parentElement; around !== null; around = around.parentElement) {
    const box = around.getBoundingClientRect();
    const isClipped = getComputedStyle(around).overflow !== 'visible' && (x < box.left || x > box.right || y < box.top || y > box.bottom);
    if (isClipped) return false;
  }
  const hit = document.elementFromPoint(x, y);
  return hit !== null && !control.contains(hit) && !hit.contains(control);
}).map((control) => control.outerHTML.slice(0, 160))`;
