/** The panel of a board: everything about it that is not a card. */
import type { Locator, Page } from 'playwright-core';

export type Section = 'Members' | 'Labels' | 'Rules' | 'Webhooks' | 'Archive' | 'Trash' | 'Activity' | 'About';

/** Opens the panel if necessary, and then the section. */
export async function openPanel(page: Page, section: Section): Promise<Locator> {
  const tab = page.getByRole('tab', { name: section });
  if ((await tab.count()) === 0) {
    await page.getByRole('button', { name: 'Board menu' }).click();
    await page
      .getByRole('button', { name: section === 'About' ? 'About this board' : section, exact: true })
      .last()
      .click();
  } else {
    await tab.click();
  }
  const opened = sectionOf(page, section);
  await opened.waitFor();
  return opened;
}

export function sectionOf(page: Page, section: Section): Locator {
  return page.getByRole('tabpanel', { name: section });
}
