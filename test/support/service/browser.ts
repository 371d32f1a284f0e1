/** A real browser for all files of a process, and pages in it that record their requests and errors. */
import type { Test } from 'tap';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { atProcessEnd } from '../runner/processEnd.js';
import { PATIENCE_MS } from '../until.js';
import { BROWSER_FLAGS, findChromium } from './chromium.js';
import { pathOf, skipWithout } from './programs.js';

const found = await findChromium();

/** The options of every test that needs the browser. */
export const WITH_BROWSER: { readonly skip: string | false } = { skip: skipWithout(found) };

let shared: Promise<Browser> | null = null;

/** It starts with the first test that needs it. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === null) {
    const launched = chromium.launch({ executablePath: pathOf(found), args: [...BROWSER_FLAGS], timeout: PATIENCE_MS });
    shared = launched;
    atProcessEnd(async () => (await launched).close());
  }
  return shared;
}

/** A browser of its own that keeps everything in the folder, so that it can be killed and started again. */
export async function launchKept(folder: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, { executablePath: pathOf(found), args: [...BROWSER_FLAGS], timeout: PATIENCE_MS });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** What its pages wait for has as much time as everything else that tests wait for. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

export interface WatchedPage {
  readonly page: Page;
  /** Addresses of all requests so far, except for data in the address itself. */
  readonly requests: readonly string[];
  /** Errors on the console, among them refusals by the content security policy, and uncaught exceptions. */
  readonly complaints: readonly string[];
  /** Kept if the environment variable SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>;
}

/** It sees nothing of other pages. */
export async function openPage(t: Test, url: string): Promise<WatchedPage> {
  const context = await newContext(await sharedBrowser(), { viewport: { width: 1280, height: 1000 } });
  t.teardown(() => context.close());
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return {
    page,
    requests,
    complaints,
    async screenshot(name) {
      const folder = process.env['SCREENSHOTS'];
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
    },
  };
}
