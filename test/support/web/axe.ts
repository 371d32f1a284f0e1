/** Finds accessibility defects with axe. It is evaluated by the debugger, because the page's policy refuses foreign scripts. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>;
}

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose outcome depends on colours. */
const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } as const;
/** The structure is the same in both themes, so the others are checked in one of them. */
const RULES = { light: {}, dark: { runOnly: OF_COLOURS } } as const;

/** One text for each violation, for both themes. */
export async function violationsIn(page: Page): Promise<string[]> {
  // Half a megabyte: once a document, not once a screen.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(`(() => { ${source} })()`);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const options = JSON.stringify({ resultTypes: ['violations'], ...RULES[colorScheme] });
    // Not what passes: it is larger than the page.
    const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
    for (const { id, help, nodes } of violations) {
      found.push(...nodes.map(({ html, failureSummary = '' }) => `${colorScheme}: ${id} (${help}): ${html.slice(0, 200)} ${failureSummary}`));
    }
  }
  return found;
}
