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

/** One text for each violation, for both themes. The page is left in the other theme, and begins with it the next time: each switch draws the page anew. */
export async function violationsIn(page: Page): Promise<string[]> {
  const { isLoaded, isDark } = await page.evaluate<{ isLoaded: boolean; isDark: boolean }>(
    `({ isLoaded: typeof axe === 'object', isDark: matchMedia('(prefers-color-scheme: dark)').matches })`,
  );
  // Half a megabyte: once a document, not once a screen.
  if (!isLoaded) await page.evaluate(`(() => { ${source} })()`);
  const [now, other] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  const found = await violationsOf(page, now);
  await page.emulateMedia({ colorScheme: other });
  return [...found, ...(await violationsOf(page, other))];
}

async function violationsOf(page: Page, colorScheme: keyof typeof RULES): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...RULES[colorScheme] });
  // Not what passes: it is larger than the page.
  const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${colorScheme}: ${id} (${help}): ${html.slice(0, 200)} ${failureSummary}`),
  );
}
