/** Dragging with a mouse, as a hand does it. Nothing is dropped before its mark is seen. */
import type { Locator, Page } from 'playwright-core';
import { boxOf, cardOf, columnOf, type Box } from './boardPage.js';

/** More than the page takes for a click. */
const LIFT_PIXELS = 12;
const STEPS = 8;

/** Before the card of that title, or to the end of the column. */
export interface Target {
  readonly column: string;
  readonly before: string | null;
}

/** It may glide; this waits until it rests. */
export async function liftByMouse(page: Page, from: Locator): Promise<void> {
  await from.hover();
  const { x, y, width, height } = await boxOf(from);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + LIFT_PIXELS, y + height / 2, { steps: 3 });
  await page.locator('.ghost').waitFor();
}

export async function dragCard(page: Page, title: string, { column, before }: Target): Promise<void> {
  await liftByMouse(page, cardOf(page, title));
  const place = pointFor(await boxOf(columnOf(page, column)), before === null ? null : await boxOf(cardOf(page, before)));
  await page.mouse.move(place.x, place.y, { steps: STEPS });
  await markIn(page, { column, before }).waitFor({ state: 'attached' });
  await page.mouse.up();
}

export async function dragColumn(page: Page, title: string, before: string): Promise<void> {
  await liftByMouse(page, columnOf(page, title).locator('[data-column-grip]'));
  const { x, y } = await boxOf(columnOf(page, before));
  await page.mouse.move(x + 10, y + 20, { steps: STEPS });
  await page.locator('section.column.is-marked', { has: page.getByRole('heading', { name: before }) }).waitFor();
  await page.mouse.up();
}

/** The mark that shows where the card would be. */
export function markIn(page: Page, { column, before }: Target): Locator {
  const list = columnOf(page, column).locator('.cards');
  return before === null ? list.locator('.end-mark') : list.locator('li.is-marked', { has: cardOf(page, before) });
}

function pointFor(column: Box, before: Box | null): { readonly x: number; readonly y: number } {
  const x = column.x + column.width / 2;
  return before === null ? { x, y: column.y + column.height - 4 } : { x, y: before.y + before.height / 4 };
}
