/** What a board shows, read from the page as a user sees it. */
import type { Test } from 'tap';
import type { Locator, Page } from 'playwright-core';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../until.js';
import type { Plan } from './people.js';

/** Each look is a message to the page. */
const LOOK_EVERY_MS = 20;

export function columnOf(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

/** The link that is the card's title. */
export function cardOf(page: Page, title: string): Locator {
  return page.getByRole('link', { name: title, exact: true });
}

/** As many cards as are in the page. */
export async function shownPlan(page: Page): Promise<Plan> {
  return page.evaluate<Plan>(`Object.fromEntries([...document.querySelectorAll('section.column')].map((column) => [
    column.getAttribute('aria-label'),
    [...column.querySelectorAll('.card-title')].map((card) => card.textContent),
  ]))`);
}

/** Titles of columns, in order. */
export async function shownColumns(page: Page): Promise<string[]> {
  return Object.keys(await shownPlan(page));
}

/** The last text for screen readers. */
export function announced(page: Page): Promise<string> {
  return page.locator('[aria-live=assertive]').innerText();
}

/** Waits until `read` gives the expected value; the difference is shown if it does not. */
export async function eventually<T>(t: Test, read: () => Promise<T>, expected: T, message: string): Promise<void> {
  let found: T | undefined;
  const isThere = async (): Promise<boolean> => isDeepStrictEqual((found = await read()), expected);
  try {
    await until(isThere, () => found, LOOK_EVERY_MS);
  } finally {
    t.strictSame(found, expected, message);
  }
}

/** Waits until an expression is true in the page. The page's policy refuses the polling of the driver itself. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(
    () => page.evaluate<boolean>(expression),
    () => expression,
    LOOK_EVERY_MS,
  );
}

/** Runs in the page: whether it has loaded this part. */
export function hasLoaded(part: string): string {
  return `performance.getEntriesByType('resource').some(({ name, responseEnd }) => responseEnd > 0 && name.includes('/${part}-'))`;
}

/** The last of those that a board loads at rest. */
export const ARE_PARTS_LOADED = hasLoaded('BoardPanel');

/** Waits until the window shows that. The order of the columns counts too. */
export async function shows(t: Test, page: Page, plan: Plan, message = 'the window shows it'): Promise<void> {
  await eventually(t, async () => Object.entries(await shownPlan(page)), Object.entries(plan), message);
}

/** Waits until every drawing that was due is done, so that a thing that should not happen had its chance. */
export async function afterFrames(page: Page, count = 3): Promise<void> {
  for (let frame = 0; frame < count; frame += 1) await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export async function boxOf(locator: Locator): Promise<Box> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not visible');
  return box;
}

/** Runs in the page: how far it is wider than its window. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>(OVERFLOW);
}

/** What is open stays open. The page has its new width when this returns. */
export async function resize(page: Page, width: number): Promise<void> {
  const size = page.viewportSize();
  if (size === null || size.width === width) return;
  await page.setViewportSize({ ...size, width });
  await page.evaluate(`innerWidth === ${width} || new Promise((resolve) => addEventListener('resize', resolve, { once: true }))`);
}
