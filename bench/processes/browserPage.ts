/** The browser application in a real Chromium, logged in and at a board. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SAVES_DATA } from '../../test/support/service/chromium.js';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Account } from '../scenarios/account.js';

/** At 60 frames a second. */
const FRAME_MS = 1000 / 60;
const LOADED_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => /\\/app\\/assets\\/.*\\.(?:js|css)$/.test(name))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;
/** Longer than the page waits with a board that rests. */
const REST_MS = 2_500;

export interface Visit {
  /** Script and style, in bytes as they were sent. */
  readonly loadedBytes: number;
  /** For everything; the socket is not one of them. */
  readonly requests: number;
}

/** What a logged in user's first visit to a board needs: where the browser saves data, parts that others load at rest do not come. */
export async function measureVisit(browser: Browser, { url, email, password }: Account, boardId: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const login = await context.request.post(`${url}/auth/login`, { form: { username: email, password } });
    if (!login.ok()) throw new Error(`the login got ${login.status()}`);
    await context.addInitScript(SAVES_DATA);
    const page = await context.newPage();
    let requests = 0;
    page.on('request', () => (requests += 1));
    await page.goto(`${url}/app/boards/${boardId}`);
    await page.locator('[data-card-id]').first().waitFor();
    await sleep(REST_MS);
    return { loadedBytes: await page.evaluate<number>(LOADED_BYTES), requests };
  } finally {
    await context.close();
  }
}

export class BrowserPage {
  readonly page: Page;
  readonly #debugger: CDPSession;

  private constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#debugger = session;
  }

  static async open(browser: Browser, { url, email, password }: Account, boardId: string): Promise<BrowserPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable');
    await page.goto(`${url}/app/boards/${boardId}`);
    await page.getByLabel('E-mail or username').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('[data-card-id]').first().waitFor();
    return new BrowserPage(page, session);
  }

  /** The time that scripts of the page have run, in microseconds. */
  async scriptMicros(): Promise<number> {
    const { metrics } = await this.#debugger.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN) * 1e6;
  }

  /** The share of frames that were not drawn during some work. */
  async missedFrames(work: () => Promise<void>): Promise<number> {
    await this.page.evaluate(`{
      window.frameTimes = [];
      const note = (time) => { window.frameTimes?.push(time); if (window.frameTimes) requestAnimationFrame(note); };
      requestAnimationFrame(note);
    }`);
    await work();
    const times = await this.page.evaluate<number[]>('{ const times = window.frameTimes; window.frameTimes = null; times; }');
    const due = Math.round(((times.at(-1) ?? 0) - (times[0] ?? 0)) / FRAME_MS);
    return Math.max(0, due - (times.length - 1)) / Math.max(1, due);
  }
}
