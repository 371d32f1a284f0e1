/** A window of the browser application, watched for everything that may not happen in it. */
import type { Test } from 'tap';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Person } from './people.js';
import { ORDINARY_SIZE, Tabs, type TabOptions } from './tabs.js';

const LAST_LOOK_MS = 5_000;
const MAX_SHOWN = 3_000;

export type WindowOptions = Partial<TabOptions>;

export interface BrowserWindow {
  readonly page: Page;
  /** Uncaught errors, errors on the console and violations of the content security policy so far. */
  readonly complaints: readonly string[];
  /** Kept if the environment variable SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>;
}

/** Each window has cookies of its own. When the test ends, the window must have had no complaints. */
export async function openWindow(t: Test, browser: Browser, url: string, as: Person | null, options: WindowOptions = {}): Promise<BrowserWindow> {
  const tabs = Tabs.of(browser);
  const ordinary = {
    ...ORDINARY_SIZE,
    isTouch: false,
    theme: 'light',
    reducedMotion: 'no-preference',
    locale: 'en-US',
    hasWorker: false,
    savesData: false,
  } as const;
  const tab = await tabs.take({ ...ordinary, ...options });
  const { page, context } = tab;
  const complaints = tab.watch();
  t.teardown(async () => {
    if (!t.passing()) console.error(`${t.name}: ${await shownOn(page)}`);
    // Nothing of a test that failed reaches another one.
    await (t.passing() ? tabs.giveBack(tab) : tab.close());
    if (complaints.length > 0) throw new Error(`the window complains: ${complaints.join('\n')}`);
  });
  if (as !== null) await takeSession(context, url, as);
  await page.goto(url);
  return {
    page,
    complaints,
    async screenshot(name) {
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
    },
  };
}

/** What somebody in front of it would see, for the log of a test that failed. */
async function shownOn(page: Page): Promise<string> {
  if (page.isClosed()) return 'the window is closed';
  try {
    const text = await page.locator('body').innerText({ timeout: LAST_LOOK_MS });
    return `the window is at ${page.url()} and shows: ${text.replace(/\s*\n\s*/g, ' | ').slice(0, MAX_SHOWN)}`;
  } catch (error) {
    return `the window is at ${page.url()} and does not answer: ${String(error)}`;
  }
}

/** As the form of the page does, with the cookies that it would get. */
async function takeSession(context: BrowserContext, url: string, { email: username, password }: Person): Promise<void> {
  const response = await context.request.post(new URL('/auth/login', url).href, { form: { username, password } });
  if (!response.ok()) throw new Error(`the login answered ${response.status()}: ${await response.text()}`);
}

/** Through the form of the page, which then shows what was asked for. */
export async function logIn(page: Page, { email, password }: Person): Promise<void> {
  await page.locator('input[name=username]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form button[type=submit]').click();
  await page.locator('.sign-in').waitFor({ state: 'detached' });
}
