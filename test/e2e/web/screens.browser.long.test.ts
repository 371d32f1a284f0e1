/** What holds on every screen. A walk to all of them costs more than most checks, so each walk makes several. */
import t from 'tap';
import { violationsIn } from '../../support/web/axe.js';
import { OVERFLOW, resize } from '../../support/web/boardPage.js';
import { eachScreen, MARK, SCREEN_SETTINGS } from '../../support/web/screens.js';
import { smallTargets } from '../../support/web/touchTargets.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t, SCREEN_SETTINGS);

t.test(
  'WEB13 WEB14 WEB26 in a pseudo-language axe finds nothing, no text is left in English or wider than its box, also if it is twice as large',
  options,
  async (t) => {
    await eachScreen(t, await start(), { width: 1280, locale: 'en-XA' }, async (t, page) => {
      t.strictSame(await violationsIn(page), [], 'axe finds nothing to complain about, in either theme');
      for (const width of [1280, 768, 390]) {
        await resize(page, width);
        const [untranslated, cut, overflow] = await page.evaluate<[string[], string[], number]>(`[${UNTRANSLATED}, ${CUT}, ${OVERFLOW}]`);
        t.strictSame(untranslated, [], `everything is translated, ${width} px`);
        t.strictSame(cut, [], `nothing is cut off, ${width} px`);
        t.equal(overflow, 0, `the page does not scroll sideways, ${width} px`);
      }
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      for (const width of [390, 1280]) {
        await resize(page, width);
        const [overflow, cut, covered] = await page.evaluate<[number, string[], string[]]>(`[${OVERFLOW}, ${CUT_OFF}, ${COVERED}]`);
        t.equal(overflow, 0, `with text of twice the size the page is not wider than the window, ${width} px`);
        t.strictSame(cut, [], `no text is cut off, ${width} px`);
        t.strictSame(covered, [], `no control is covered by another, ${width} px`);
      }
      await page.evaluate(`document.documentElement.style.fontSize = ''`);
    });
  },
);

t.test(
  'WEB13 WEB14 on a phone axe finds nothing either, what a finger touches is at least 40 px wide and high, compact too, and no text speaks of keys',
  options,
  async (t) => {
    await eachScreen(t, await start(), { width: 390, height: 844, isTouch: true }, async (t, page) => {
      t.strictSame(await smallTargets(page), [], 'large enough for a finger');
      const density = await page.evaluate<string>(`document.documentElement.dataset.density ?? ''`);
      await page.evaluate(`document.documentElement.dataset.density = 'compact'`);
      t.strictSame(await smallTargets(page), [], 'and if the board is compact');
      await page.evaluate(`document.documentElement.dataset.density = '${density}'`);
      t.strictSame(await violationsIn(page), []);
      t.strictSame(await page.evaluate(FOR_OTHERS), [], 'nothing that a finger cannot do');
    });
  },
);

/** Runs in the page: lines for those with a keyboard or a mouse. */
const FOR_OTHERS = `document.body.innerText.match(/.*(?:Ctrl\\+Enter|Drop files).*/g) ?? []`;

/** Runs in the page: controls and headings whose text does not fit into them. The value of a field scrolls, its placeholder does not. */
const CUT_OFF = `[...document.querySelectorAll('button, a, h1, h2, h3, label, p, input')].filter((element) => {
  const style = getComputedStyle(element);
  if (element.checkVisibility() === false || element.closest('.only-spoken, .cards, .columns') !== null || element.value) return false;
  return style.overflow !== 'visible' && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1) && element.clientWidth > 0;
}).map((element) => element.outerHTML.slice(0, 160))`;

/** Runs in the page: controls that are on the screen, with something else where one would press them. Only those of what was opened last. */
const COVERED = `[...document.querySelectorAll('button, a, input, select, textarea')].filter((control) => {
  const top = [...document.querySelectorAll('dialog[open], .popover')].at(-1) ?? null;
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

/** Texts and spoken names without the mark, but for the name of the product, keys, times, addresses and what an option shows of them. */
const UNTRANSLATED = `(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent.trim();
      const around = node.parentElement;
      if (!/\\p{L}{2}/u.test(text) || text.includes('${MARK}') || around.closest('.home, bdi, kbd, time, noscript, script, code, [translate=no], [title^="Mozilla"]')) continue;
      if (/@|^127\\.|^\\d/.test(text) || around.checkVisibility?.() === false) continue;
      // A piece of a sentence with something filled in: the sentence has the mark.
      if (around.textContent.includes('${MARK}')) continue;
      found.push(text);
    }
    for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']) {
      for (const element of document.querySelectorAll('[' + name + ']')) {
        const text = element.getAttribute(name);
        const isOurs = /\\p{L}{2}/u.test(text) && !text.includes('${MARK}') && !element.closest('.home, .avatar, time, [translate=no], [title^="Mozilla"]');
        if (isOurs && !/@|^127\\.|^\\d/.test(text)) found.push(name + ': ' + text);
      }
    }
    return found;
  })()`;

/** Texts that are wider than their box. Those of users may end with dots. */
const CUT = `[...document.querySelectorAll('button, a, label, h1, h2, h3, p, span, legend, dt, dd, th')]
    .filter((element) => element.checkVisibility() && !element.closest('.only-spoken, .chip, .file-name, .home, .inline-text, .tile-title, .cards'))
    .filter((element) => element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 160))`;
