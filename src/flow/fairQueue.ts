/**
 * A bounded queue with a line for each client. The lines take turns, so a client waits for its own work and for one
 * item of each other client, however much the others have sent.
 */
export interface FairQueueLimits {
  /** For all clients together. */
  readonly max: number;
  readonly maxPerClient: number;
}

export type Entered<Item> =
  /** `pushedOut` had to leave for the new item. */
  { readonly kind: 'entered'; readonly pushedOut: Item | null } | { readonly kind: 'client full' } | { readonly kind: 'full' };

export class FairQueue<Item> {
  readonly #limits: FairQueueLimits;
  /** In the order of their turns. A line is never empty. */
  readonly #lines = new Map<string, Item[]>();
  #size = 0;

  /** Without limits where something else bounds what waits. */
  constructor(limits: FairQueueLimits = { max: Infinity, maxPerClient: Infinity }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * In a full queue the newest item of the longest line is refused, unless the client's own line would then be as long.
   * So a single client may use the whole queue but cannot keep others out. `spare` items may exceed the limits, because
   * as many are about to leave.
   */
  add(client: string, item: Item, spare = 0): Entered<Item> {
    const own = this.#lines.get(client)?.length ?? 0;
    if (own >= this.#limits.maxPerClient + spare) return { kind: 'client full' };
    let pushedOut: Item | null = null;
    if (this.#size >= this.#limits.max + spare) {
      const longest = this.#longestLine();
      if (longest.length <= own + 1) return { kind: 'full' };
      pushedOut = longest.pop() ?? null;
      this.#size -= 1;
    }
    const line = this.#lines.get(client);
    if (line === undefined) this.#lines.set(client, [item]);
    else line.push(item);
    this.#size += 1;
    return { kind: 'entered', pushedOut };
  }

  /** The next item of the first client that `mayGo`. */
  take(mayGo: (client: string) => boolean = () => true): Item | undefined {
    for (const [client, line] of this.#lines) {
      if (!mayGo(client)) continue;
      const item = line.shift();
      this.#lines.delete(client);
      if (line.length > 0) this.#lines.set(client, line);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items. */
  drain(): Item[] {
    const items = [...this.#lines.values()].flat();
    this.#lines.clear();
    this.#size = 0;
    return items;
  }

  #longestLine(): Item[] {
    let longest: Item[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    return longest;
  }
}
