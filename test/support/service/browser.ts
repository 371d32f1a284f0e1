/** A real browser for a test, which records all requests and errors of its pages. */
import type { Test } from 'tap';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

export const BROWSER_FLAGS: readonly string[] = [
  '--no-sandbox', // continuous integration runs as root in a container, where Chromium's sandbox cannot start
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Chromium's own traffic, unrelated to the page.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface WatchedPage {
  readonly page: Page;
  /** Addresses of all requests so far, except for data in the address itself. */
  readonly requests: readonly string[];
  /** Errors on the console, among them refusals by the content security policy, and uncaught exceptions. */
  readonly complaints: readonly string[];
  /** Kept if the environment variable SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>;
}

export async function openPage(t: Test, executablePath: string, url: string): Promise<WatchedPage> {
  const browser = await chromium.launch({ executablePath, args: [...BROWSER_FLAGS] });
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
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
