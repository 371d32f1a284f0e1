/** A window of the browser application, watched for everything that may not happen in it. */
import type { Test } from 'tap';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Person } from './people.js';

export interface WindowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly isTouch?: boolean;
  readonly theme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
}

export interface BrowserWindow {
  readonly page: Page;
  /** Uncaught errors, errors on the console and violations of the content security policy so far. */
  readonly complaints: readonly string[];
  /** Kept if the environment variable SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>;
}

const REPORT = 'reportViolation';
/** Runs in every page before its own scripts. */
const WATCH_POLICY = `addEventListener('securitypolicyviolation', (event) => ${REPORT}(event.violatedDirective + ' ' + event.blockedURI));`;
/** Refusals and lost connections belong to many tests; the browser writes them to the console too. */
const NETWORK = /^(?:Failed to load resource|WebSocket connection to)/;

/** Each window has cookies of its own. When the test ends, the window must have had no complaints. */
export async function openWindow(t: Test, browser: Browser, url: string, as: Person | null, options: WindowOptions = {}): Promise<BrowserWindow> {
  const { width = 1280, height = 800, isTouch = false, theme = 'light', reducedMotion = 'no-preference' } = options;
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: isTouch, isMobile: isTouch, colorScheme: theme, reducedMotion });
  const complaints: string[] = [];
  await context.exposeFunction(REPORT, (violation: string) => complaints.push(`violates the policy: ${violation}`));
  await context.addInitScript(WATCH_POLICY);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !NETWORK.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  t.teardown(async () => {
    await context.close();
    if (complaints.length > 0) throw new Error(`the window complains: ${complaints.join('\n')}`);
  });
  await page.goto(url);
  if (as !== null) await logIn(page, as);
  return {
    page,
    complaints,
    async screenshot(name) {
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
    },
  };
}

/** Through the form of the page, which then shows what was asked for. */
export async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail or username').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor({ state: 'detached' });
}
