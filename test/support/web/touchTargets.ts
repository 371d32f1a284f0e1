/** What a finger can touch, and how large it is. */
import type { Page } from 'playwright-core';

/** In CSS pixels, less what rounding takes. */
const FINGER = 39.5;

/**
 * Controls of the page, or of the topmost dialog, that are narrower or lower than a finger, with their sizes. The label of a
 * field counts as part of it, and so does what a control spreads over its surroundings. As in WCAG 2.5.8, links inside a
 * sentence are as high as its lines.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const around = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    const kinds = 'button, a[href], input, select, textarea, summary, [role=button], [role=menuitem], [role=tab], [role=checkbox], [role=switch]';
    const isInSentence = (target) => target.matches('a, .link') && getComputedStyle(target).display === 'inline' &&
      /\\p{L}/u.test(target.parentElement.textContent.replace(target.textContent, ''));
    const sizesOf = (target) => {
      const boxes = [target, ...(target.labels ?? [])].map((element) => element.getBoundingClientRect());
      const spread = getComputedStyle(target, '::after');
      const sizes = boxes.map(({ width, height }) => [width, height]);
      if (spread.content !== 'none' && spread.position === 'absolute') sizes.push([parseFloat(spread.width), parseFloat(spread.height)]);
      return [Math.max(...sizes.map(([width]) => width)), Math.max(...sizes.map(([, height]) => height))];
    };
    return [...around.querySelectorAll(kinds)]
      .filter((target) => target.checkVisibility({ visibilityProperty: true }) && !target.disabled && !isInSentence(target))
      .flatMap((target) => {
        const [width, height] = sizesOf(target);
        // Only spoken: no finger reaches it.
        if (width >= ${FINGER} && height >= ${FINGER} || width <= 1) return [];
        return [Math.round(width) + ' x ' + Math.round(height) + ': ' + target.outerHTML.slice(0, 140)];
      });
  })()`);
}
