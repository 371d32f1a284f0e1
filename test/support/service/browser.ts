/** A real browser for all files of a process, and pages in it that record their requests and errors. */
import type { Test } from 'tap';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { atProcessEnd } from '../runner/processEnd.js';
import { BROWSER_FLAGS, findChromium } from './chromium.js';
import { pathOf, skipWithout } from './programs.js';

const found = await findChromium();

/** The options of every test that needs the browser. */
export const WITH_BROWSER: { readonly skip: string | false } = { skip: skipWithout(found) };

let shared: Promise<Browser> | null = null;

/** It starts with the first test that needs it. */
export function sharedBrowser(): Promise<Browser> {
  if (shared === null) {
    const launched = chromium.launch({ executablePath: pathOf(found), args: [...BROWSER_FLAGS] });
    shared = launched;
    atProcessEnd(async () => (await launched).close());
  }
  return shared;
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
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
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
