/** What clients that catch up may cost the process, all together. */
import type { BoardEvent } from '../domain/events.js';

/** Pages asked for at once; those who come later wait for their turn. No turn lasts longer than an owner's answer. */
const MAX_ASKS = 128;
/** Events that wait for their clients to read, in characters. Past it they are let go, and read from the log again. */
export const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

export class CatchUpPages {
  #asks = 0;
  readonly #turns: Array<() => void> = [];
  #waitingCharacters = 0;

  async ask<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    if (this.#asks >= MAX_ASKS) await new Promise<void>((resolve) => this.#turns.push(resolve));
    else this.#asks += 1;
    try {
      return await read();
    } finally {
      const next = this.#turns.shift();
      if (next === undefined) this.#asks -= 1;
      else next();
    }
  }

  /** Waits for a slow client. Afterwards the page is empty unless there was room for it. */
  async keepWhile(page: Page, wait: () => Promise<void>): Promise<void> {
    const { characters } = page;
    if (this.#waitingCharacters + characters > MAX_WAITING_CHARACTERS) {
      page.clear();
      return wait();
    }
    this.#waitingCharacters += characters;
    try {
      await wait();
    } finally {
      this.#waitingCharacters -= characters;
    }
  }
}

/** Events that a client gets one by one. Nothing else refers to them, so that clearing it frees them. */
export class Page {
  #events: readonly BoardEvent[];
  #at = 0;
  /** Of those that are left. */
  #characters: number;

  constructor(events: readonly BoardEvent[]) {
    this.#events = events;
    this.#characters = events.reduce((sum, { json }) => sum + json.length, 0);
  }

  get characters(): number {
    return this.#characters;
  }

  next(): BoardEvent | undefined {
    const event = this.#events[this.#at];
    this.#at += 1;
    this.#characters -= event?.json.length ?? 0;
    return event;
  }

  clear(): void {
    this.#events = [];
    this.#characters = 0;
  }
}
