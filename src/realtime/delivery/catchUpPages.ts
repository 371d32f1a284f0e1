/** Reads the event pages for clients that catch up, and bounds their total cost to the process. */
import { withSeq, type BoardEvent } from '../../domain/events.js';
import type { Uuid } from '../../domain/ids.js';
import { writePosition, type Position } from '../../domain/position.js';
import type { MissedEvents } from '../../domain/ports/eventLog.js';
import type { Client, Follower } from '../socket/follower.js';
import { isPageKept } from './slowClients.js';

/**
 * Pages read at once. A page may have a megabyte, and a shard reads every page of a batch before it serves anything
 * else.
 */
const MAX_READS = 4;

const ignore = (): void => undefined;

type ReadPage = (boardId: Uuid, after: Position) => Promise<MissedEvents>;

export class CatchUpPages {
  readonly #readPage: ReadPage;
  #reads = 0;
  readonly #turns: Array<() => void> = [];
  /** Queued reads; clients that want the same page share one. */
  readonly #waiting = new Map<string, Promise<MissedEvents>>();
  #waitingCharacters = 0;
  /** The end of the last turn of each client that catches up; it never rejects. */
  readonly #lastTurns = new Map<Client, Promise<void>>();
  /**
   * Encoded messages that are sent in slices, kept as long as their event is referenced; with and without the number.
   */
  readonly #encoded = { numbered: new WeakMap<BoardEvent, Uint8Array>(), plain: new WeakMap<BoardEvent, Uint8Array>() };

  constructor(readPage: ReadPage) {
    this.#readPage = readPage;
  }

  /**
   * One board of a socket after the other: if they caught up together, each would read and send a page whenever the
   * client has read one.
   */
  async inTurn(client: Client, catchUp: () => Promise<void>): Promise<void> {
    const turn = (this.#lastTurns.get(client) ?? Promise.resolve()).then(catchUp);
    const end = turn.then(ignore, ignore);
    this.#lastTurns.set(client, end);
    try {
      await turn;
    } finally {
      if (this.#lastTurns.get(client) === end) this.#lastTurns.delete(client);
    }
  }

  /** The events after this number, read after the call. */
  read(boardId: Uuid, after: Position): Promise<MissedEvents> {
    if (this.#reads < MAX_READS) {
      this.#reads += 1;
      return this.#readNow(boardId, after);
    }
    const key = `${boardId} ${writePosition(after)}`;
    const shared = this.#waiting.get(key);
    if (shared !== undefined) return shared;
    const read = new Promise<void>((resolve) => this.#turns.push(resolve)).then(() => {
      this.#waiting.delete(key);
      return this.#readNow(boardId, after);
    });
    this.#waiting.set(key, read);
    return read;
  }

  encode(event: BoardEvent, { numbered, place }: Pick<Follower, 'numbered' | 'place'>): Uint8Array {
    const known = numbered ? this.#encoded.numbered : this.#encoded.plain;
    const bytes = known.get(event) ?? Buffer.from(numbered ? withSeq(event, place.epoch) : event.json);
    known.set(event, bytes);
    return bytes;
  }

  /** Waits for a slow client. Afterwards the page is empty if there was no room for it. */
  async keepWhile(page: Page, wait: () => Promise<void>): Promise<void> {
    const { characters } = page;
    if (!isPageKept(characters, this.#waitingCharacters)) {
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

  async #readNow(boardId: Uuid, after: Position): Promise<MissedEvents> {
    try {
      return await this.#readPage(boardId, after);
    } finally {
      const next = this.#turns.shift();
      if (next === undefined) this.#reads -= 1;
      else next();
    }
  }
}

/** Events that a client gets one by one. Nothing else refers to them, so clearing the page frees them. */
export class Page {
  #events: readonly BoardEvent[];
  #at = 0;
  /** Characters of the remaining events. */
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
