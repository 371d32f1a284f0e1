/** One browser for all files of a process, and one service for those that give it no settings. Windows are as many as a test opens. */
import type { Test } from 'tap';
import type { Browser } from 'playwright-core';
import type { Environment } from '../../../src/settings/config.js';
import type { Api } from '../http/api.js';
import type { Registration } from '../http/users.js';
import { sharedApp, startTestApp, WITH_THREADS } from '../service/app.js';
import { sharedBrowser, WITH_BROWSER } from '../service/browser.js';
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

/** `t` is the test that contains those of the file; `settings` are those of the service. */
export function sharedWorld(t: Test, settings: Environment = {}): SharedWorld {
  let started: Promise<WebWorld> | null = null;
  return {
    options: WITH_BROWSER,
    start: () => (started ??= startWorld(t, settings)),
  };
}

async function startWorld(t: Test, settings: Environment): Promise<WebWorld> {
  const isShared = Object.keys(settings).length === 0;
  const { api, url, config } = await (isShared ? sharedApp() : startTestApp(t, { ...WITH_THREADS, ...settings }));
  const browser = await sharedBrowser();
  return {
    url,
    api,
    dataDir: config.dataDir,
    browser,
    person: (fields) => newPerson(api, fields),
    open: (t, as, path, options) => openWindow(t, browser, url + path, as, options),
  };
}
