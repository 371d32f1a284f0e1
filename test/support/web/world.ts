/** One service and one browser for all tests of a file. Windows are as many as a test opens. */
import type { Test } from 'tap';
import { chromium, type Browser } from 'playwright-core';
import type { Environment } from '../../../src/settings/config.js';
import type { Api } from '../http/api.js';
import type { Registration } from '../http/users.js';
import { startTestApp, WITH_THREADS } from '../service/app.js';
import { BROWSER_FLAGS } from '../service/browser.js';
import { findChromium } from '../service/chromium.js';
import { pathOf, skipWithout } from '../service/programs.js';
import { newPerson, type Person } from './people.js';
import { openWindow, type BrowserWindow, type WindowOptions } from './window.js';

export interface WebWorld {
  readonly url: string;
  readonly api: Api;
  readonly dataDir: string;
  readonly browser: Browser;
  person(fields?: Partial<Registration>): Promise<Person>;
  /** Logged in as that person, at that path. */
  open(t: Test, as: Person | null, path: string, options?: WindowOptions): Promise<BrowserWindow>;
}

export interface SharedWorld {
  /** Of every test that needs the browser. */
  readonly options: { readonly skip: string | false };
  /** Starts it with the first test. */
  start(): Promise<WebWorld>;
}

const found = await findChromium();

/** `t` is the test that contains those of the file; `settings` are those of the service. */
export function sharedWorld(t: Test, settings: Environment = {}): SharedWorld {
  let started: Promise<WebWorld> | null = null;
  return {
    options: { skip: skipWithout(found) },
    start: () => (started ??= startWorld(t, settings)),
  };
}

export async function launchBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: pathOf(found), args: [...BROWSER_FLAGS] });
  t.teardown(() => browser.close());
  return browser;
}

async function startWorld(t: Test, settings: Environment): Promise<WebWorld> {
  const { api, url, config } = await startTestApp(t, { ...WITH_THREADS, ...settings });
  const browser = await launchBrowser(t);
  return {
    url,
    api,
    dataDir: config.dataDir,
    browser,
    person: (fields) => newPerson(api, fields),
    open: (t, as, path, options) => openWindow(t, browser, url + path, as, options),
  };
}
