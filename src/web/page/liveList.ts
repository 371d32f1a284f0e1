/** A list that the service answers in pages, the newest first, kept current by the events of the open board. */
import { signal } from '@preact/signals';
import type { BoardEvent } from '../../client/index.js';
import type { OpenBoard } from '../state/openBoard.js';

export const PAGE = 30;

export interface Page<Thing> {
  readonly things: readonly Thing[];
  /** Where the older ones begin; null if there are none. */
  readonly next: string | null;
}

export abstract class LiveList<Thing extends { readonly id: string }> {
  readonly things = signal<readonly Thing[]>([]);
  readonly reading = signal<'reading' | 'ready' | 'failed'>('reading');
  readonly older = signal<string | null>(null);
  /** Those that came while a page was read, which may not have them. */
  #held: BoardEvent[] | null = null;
  /** An older page belongs to the newest that was read before it: what is listed may be something else now. */
  #reads = 0;

  /** Without `before` the newest. */
  protected abstract readPage(before?: string): Promise<Page<Thing>>;

  /** False if the event does not concern the list. */
  protected abstract apply(event: BoardEvent): boolean;

  /** Returns a function that ends it. */
  follow(open: OpenBoard): () => void {
    const stop = open.onEvent((event) => {
      if (this.apply(event)) this.#held?.push(event);
    });
    // Also after the connection was lost: what was missed may be kept no more.
    const unsubscribe = open.state.subscribe(({ kind }) => {
      if (kind === 'live' || this.reading.peek() === 'reading') void this.read();
    });
    return () => {
      stop();
      unsubscribe();
    };
  }

  /** The newest page, in the place of all. */
  async read(): Promise<void> {
    const held: BoardEvent[] = [];
    this.#held = held;
    this.#reads += 1;
    try {
      const { things, next } = await this.readPage();
      if (this.#held !== held) return;
      this.things.value = things;
      this.older.value = next;
      this.reading.value = 'ready';
    } catch {
      // The page says so, and what it had stays.
      if (this.#held === held) this.reading.value = 'failed';
    }
    if (this.#held !== held) return;
    this.#held = null;
    for (const event of held) this.apply(event);
  }

  /** Throws if they cannot be read. */
  async readOlder(): Promise<void> {
    const before = this.older.peek();
    if (before === null) return;
    const reads = this.#reads;
    const { things, next } = await this.readPage(before);
    // Read anew meanwhile.
    if (this.#reads !== reads || this.older.peek() !== before) return;
    const known = new Set(this.things.peek().map(({ id }) => id));
    this.things.value = [...this.things.peek(), ...things.filter(({ id }) => !known.has(id))];
    this.older.value = next;
  }

  remove(id: string): void {
    this.things.value = this.things.peek().filter((thing) => thing.id !== id);
  }
}

/** The query of a page. */
export function pageFrom(before: string | undefined): { readonly limit: number; readonly before?: string } {
  return { limit: PAGE, ...(before === undefined ? {} : { before }) };
}
