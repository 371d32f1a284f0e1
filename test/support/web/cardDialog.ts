/** The dialog of a card, as a user sees it. */
import type { Test } from 'tap';
import type { Locator, Page } from 'playwright-core';
import type { Card } from '../../../src/client/index.js';
import { cardIn, newBoard, type Person } from './people.js';
import type { BrowserWindow, WindowOptions } from './window.js';
import type { WebWorld } from './world.js';

export interface OpenCard extends BrowserWindow {
  readonly ann: Person;
  /** A second member, who has no window. */
  readonly ben: Person;
  readonly boardId: string;
  readonly cardId: string;
  readonly dialog: Locator;
  /** The card as the service has it. */
  card(): Promise<Card>;
}

/** Ann's window with the card `Plan` open. `prepare` makes what is on it. */
export async function openCard(
  t: Test,
  world: WebWorld,
  prepare: (card_id: string, ann: Person, ben: Person) => Promise<void> = async () => undefined,
  options: WindowOptions = {},
): Promise<OpenCard> {
  const [ann, ben] = [await world.person({ firstname: 'Ann', lastname: null }), await world.person({ firstname: 'Ben', lastname: null })];
  const board = await newBoard([ann, ben], { 'To do': ['Plan', 'Other'], Doing: [] });
  const { id: cardId } = cardIn(board, 'Plan');
  await prepare(cardId, ann, ben);
  const window = await world.open(t, ann, `/app/boards/${board.id}/cards/${cardId}`, options);
  const dialog = cardDialog(window.page);
  await dialog.waitFor();
  const card = async (): Promise<Card> => {
    const { columns } = await ann.client.board.get({ board_id: board.id });
    const found = columns.flatMap(({ cards }) => cards).find(({ id }) => id === cardId);
    if (found === undefined) throw new Error('the card is gone');
    return found;
  };
  return { ...window, ann, ben, boardId: board.id, cardId, dialog, card };
}

/** Not one of the questions above it. */
export function cardDialog(page: Page): Locator {
  return page.locator('dialog', { has: page.locator('.card-parts') });
}

/** Items by the title of their checklist, as shown. */
export function shownItems(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(`Object.fromEntries([...document.querySelectorAll('[data-checklist-id]')].map((list) => [
    list.querySelector('h3').textContent,
    [...list.querySelectorAll('[data-item-id] .inline-text')].map((item) => item.textContent),
  ]))`);
}

/** As the service has them. */
export function itemsOf({ checklists }: Card): Record<string, string[]> {
  return Object.fromEntries(checklists.map(({ title, items }) => [title, items.map(({ content }) => content)]));
}

/** Two checklists: a, b, c and x. */
export async function addItems(card_id: string, { client }: Person): Promise<void> {
  for (const [title, contents] of Object.entries({ First: ['a', 'b', 'c'], Second: ['x'] })) {
    const { id: checklist_id } = await client.checklist.create({ card_id }, { title });
    for (const content of contents) await client.item.create({ checklist_id }, { content });
  }
}
