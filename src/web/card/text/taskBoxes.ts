/** The boxes of task lists in a text: `- [ ] like this`. */
import { CHECKED, markdownHtml } from './markdownHtml.js';

/** What may be a box; within code it is none. */
const MARKS = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?=[ \t])/gm;
const BOX = /<span>(.)<\/span>/gu;
/** Each costs a rendering. Most texts need one. */
const MAX_TRIES = 20;

/**
 * The text with the box of that number ticked, or no longer; null if it has none. Which mark belongs to which box is found
 * by trying: the right one changes that box and nothing else.
 */
export function toggleBox(text: string, index: number): string | null {
  const before = boxesIn(text);
  if (before === null || index >= before.length) return null;
  const wanted = before.with(index, !before[index]).join();
  const marks = [...text.matchAll(MARKS)];
  // A mark within code comes before its box in the count, never after.
  for (const mark of marks.slice(index, index + MAX_TRIES)) {
    const at = mark.index + mark[0].length - 2;
    const next = `${text.slice(0, at)}${mark[1] === ' ' ? 'x' : ' '}${text.slice(at + 1)}`;
    if (boxesIn(next)?.join() === wanted) return next;
  }
  return null;
}

/** Whether each is ticked, in order; null for a text that is shown as written. */
function boxesIn(text: string): readonly boolean[] | null {
  const html = markdownHtml(text);
  return html === null ? null : [...html.matchAll(BOX)].map(([, sign]) => sign === CHECKED);
}
