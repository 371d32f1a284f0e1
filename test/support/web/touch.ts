/** A finger on the screen. The browser gets the events of a real one, so it also scrolls, or opens menus. */
import type { CDPSession, Page } from 'playwright-core';
import { boxOf, cardOf } from './boardPage.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

const STEPS = 10;

export class Finger {
  readonly #page: Page;
  readonly #session: CDPSession;
  #at: Point = { x: 0, y: 0 };

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async of(page: Page): Promise<Finger> {
    return new Finger(page, await page.context().newCDPSession(page));
  }

  async press(at: Point): Promise<void> {
    this.#at = at;
    await this.#send('touchStart');
  }

  async moveTo(to: Point): Promise<void> {
    const from = this.#at;
    for (let step = 1; step <= STEPS; step += 1) {
      const part = step / STEPS;
      this.#at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await this.#send('touchMove');
    }
  }

  async release(): Promise<void> {
    await this.#session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  /** As the system does when it takes over, for a gesture of its own. */
  async cancel(): Promise<void> {
    await this.#session.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] });
  }

  /** Rests on the card until it is lifted. */
  async lift(title: string): Promise<Point> {
    const { x, y, width, height } = await boxOf(cardOf(this.#page, title));
    await this.press({ x: x + width / 2, y: y + height / 2 });
    await this.#page.locator('.ghost').waitFor();
    return this.#at;
  }

  async #send(type: 'touchStart' | 'touchMove'): Promise<void> {
    await this.#session.send('Input.dispatchTouchEvent', { type, touchPoints: [{ ...this.#at, id: 1 }] });
  }
}
