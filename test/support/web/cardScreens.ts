/** The screens of an open card. */
import type { Page } from 'playwright-core';
import { follow, MARK, refuse, type Scene, type Screen } from './screens.js';

export function cardScreens({ url, ann: { client }, boardId, cardId, otherId }: Scene): readonly Screen[] {
  const show = async (page: Page): Promise<void> => {
    await page.goto(`${url}/app/boards/${boardId}/cards/${cardId}`);
    await page.locator('.card-parts').waitFor();
  };
  const popover = (index: number) => async (page: Page) => {
    await page.keyboard.press('Escape');
    await page.locator('.card-facts-bar .popover-root > button').nth(index).click();
    await page.locator('.card-facts-bar .popover').waitFor();
  };
  const edit = async (page: Page): Promise<void> => {
    await page.locator('.card-main .card-part-header .button').first().click();
    await page.locator('.description-editor textarea').waitFor();
  };
  const attach = (page: Page, name: string): Promise<void> =>
    page
      .locator('dialog input[type=file]')
      .first()
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('text') });
  return [
    ['card', show],
    ['changing a comment', async (page) => page.locator('.comment-tools button').first().click()],
    [
      'people of a card',
      async (page) => {
        await show(page);
        await page.locator('.card-facts-bar .popover-root > button').first().click();
        await page.locator('.card-facts-bar .popover').waitFor();
      },
    ],
    ['choice of labels', popover(1)],
    ['dates', popover(2)],
    ['cover', popover(3)],
    [
      'refused file',
      async (page) => {
        await page.keyboard.press('Escape');
        await refuse(page, /\/attachments/, 413);
        await attach(page, `refused${MARK}.txt`);
        await page.locator('.file.is-refused').waitFor();
        await page.unroute(/\/attachments/);
      },
    ],
    [
      'file on its way',
      async (page) => {
        await page.route(/\/attachments/, () => undefined);
        await attach(page, `slow${MARK}.txt`);
        await page.locator('.file.is-sending').waitFor();
      },
    ],
    [
      'editor',
      async (page) => {
        await page.unroute(/\/attachments/);
        await show(page);
        await edit(page);
      },
    ],
    [
      'conflict',
      async (page) => {
        await page.locator('.description-editor textarea').fill(`mine${MARK}`);
        await client.card.update({ card_id: cardId }, { description: `theirs${MARK}` });
        await page.locator('.conflict').waitFor();
      },
    ],
    [
      'kept draft',
      async (page) => {
        await show(page);
        await page.locator('.card-hint').waitFor();
      },
    ],
    [
      'card that is gone',
      async (page) => {
        await follow(page, `/app/boards/${boardId}/cards/${otherId}`, '.card-parts');
        await page.locator('.comment-field textarea').fill(`never sent${MARK}`);
        await client.card.delete({ card_id: otherId });
        await page.locator('dialog[open] .card-lost').waitFor();
      },
    ],
    ['card that was never there', (page) => follow(page, `/app/boards/${boardId}/cards/${boardId}`, 'dialog[open]')],
  ];
}
