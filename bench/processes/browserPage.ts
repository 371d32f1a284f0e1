/** The browser application in a real Chromium, logged in and at a board. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Account } from '../scenarios/account.js';

/** At 60 frames a second. */
const FRAME_MS = 1000 / 60;
const LOADED_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => /\\/app\\/assets\\/.*\\.(?:js|css)$/.test(name))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

export class BrowserPage {
  readonly page: Page;
  /** Script and style that it loaded until the board was shown, in bytes as they were sent. More comes when the board rests. */
  readonly visitBytes: number;
  readonly #debugger: CDPSession;

  private constructor(page: Page, session: CDPSession, visitBytes: number) {
    this.page = page;
    this.visitBytes = visitBytes;
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
    return new BrowserPage(page, session, await page.evaluate<number>(LOADED_BYTES));
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
