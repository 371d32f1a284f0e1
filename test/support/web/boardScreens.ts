/** The screens of a board: its columns, menus, questions and panel. */
import type { Page } from 'playwright-core';
import { close, follow, MARK, refuse, type Scene, type Screen } from './screens.js';

export function boardScreens({ boardId, cardId, emptyId }: Scene): readonly Screen[] {
  const pressOnCard = async (page: Page, key: string): Promise<void> => {
    await page.locator('.card-title').first().focus();
    await page.keyboard.press(key);
    await page.locator('dialog[open]').waitFor();
  };
  const tab = (id: string, wanted?: string) => async (page: Page) => {
    await page.locator(`[data-tab=${id}]`).click();
    await page.locator(`[data-tab=${id}][aria-selected=true]`).waitFor();
    if (wanted !== undefined) await page.locator(wanted).first().waitFor();
  };
  return [
    ['board', (page) => follow(page, `/app/boards/${boardId}`, '.card')],
    ['filter', async (page) => page.locator('.filter .popover-root button').first().click()],
    [
      'shortcuts',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await page.locator('.shortcuts').first().waitFor();
      },
    ],
    [
      'menu of a card',
      async (page) => {
        await close(page);
        await page.locator('.card-menu button').first().click();
        await page.locator('.card-menu .popover').waitFor();
      },
    ],
    [
      'new card',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.locator('.add-card').first().click();
        await page.locator('.add-form').waitFor();
      },
    ],
    [
      'lifted card',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.locator('.card-title').first().focus();
        await page.keyboard.press('Space');
        await page.keyboard.press('ArrowRight');
        await page.locator('.is-marked').first().waitFor({ state: 'attached' });
      },
    ],
    [
      'compact board',
      async (page) => {
        await page.keyboard.press('Escape');
        await page.evaluate(`document.documentElement.dataset.density = 'compact'`);
      },
    ],
    [
      'moving a card',
      async (page) => {
        await page.evaluate(`delete document.documentElement.dataset.density`);
        await pressOnCard(page, 'm');
      },
    ],
    [
      'labels of a card',
      async (page) => {
        await close(page);
        await pressOnCard(page, 't');
      },
    ],
    [
      'deleting a card',
      async (page) => {
        await close(page);
        await pressOnCard(page, 'Delete');
      },
    ],
    [
      'menu of a column',
      async (page) => {
        await close(page);
        await page.locator('.column-header .popover-root button').first().click();
      },
    ],
    [
      'deleting a column',
      async (page) => {
        await page.locator('.column-header .menu-item.is-danger').click();
        await page.locator('dialog[open] .dialog-actions').waitFor();
      },
    ],
    [
      'members',
      async (page) => {
        await close(page);
        await page.keyboard.press('s');
        await page.locator('.tabs').waitFor();
      },
    ],
    [
      'made link',
      async (page) => {
        await page.locator('[aria-labelledby=panel-links] .button').first().click();
        await page.locator('[aria-labelledby=panel-links] .made-link').waitFor();
      },
    ],
    [
      'somebody without an account',
      async (page) => {
        await page.locator('.invite input').first().fill('new@example.org');
        await page.locator('.invite .empty .button').first().waitFor();
      },
    ],
    ['labels', tab('labels')],
    ['rules', tab('rules', '.is-rule')],
    ['webhooks', tab('webhooks', '.is-rule')],
    [
      'deliveries of a webhook',
      async (page) => {
        await page.locator('.is-rule details summary').last().click();
        await page.locator('.is-rule details[open] :is(.rows, .hint)').first().waitFor();
      },
    ],
    ['activity', tab('activity')],
    ['archive', tab('archive')],
    ['trash', tab('trash')],
    ['about', tab('about')],
    ['board that is not there', (page) => follow(page, `/app/boards/${cardId}`, 'main h1')],
    ['empty board', (page) => follow(page, `/app/boards/${emptyId}`, '.columns.is-empty')],
    [
      'not saved',
      async (page) => {
        await refuse(page, /\/columns$/, 409);
        await page.locator('.column.is-new input').fill(`One too many${MARK}`);
        await page.keyboard.press('Enter');
        await page.locator('.notice').waitFor();
        // It says the same, and lies above everything on a phone.
        await page.locator('.notice .icon-button').click();
        await page.locator('.header button').first().click();
        await page.locator('.not-saved').waitFor();
      },
    ],
    [
      'log out with unsent changes',
      async (page) => {
        await close(page);
        await page.locator('.header .popover-root button:not(.bell)').click();
        await page.locator('.popover .menu-part:last-child .menu-item').click();
        await page.locator('dialog[open] .dialog-actions .is-danger').waitFor();
        await page.unroute(/\/columns$/);
      },
    ],
  ];
}
