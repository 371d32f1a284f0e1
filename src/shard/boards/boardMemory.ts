/**
 * The memory budget that the shards of one thread share. With a budget of its own each shard would keep one board of any
 * size, sixteen of them several times the whole budget.
 */

/** The boards of one shard. */
export interface SharesMemory {
  /** Boards in memory. */
  readonly size: number;
  oldestUse(): number | null;
  dropOldest(): void;
}

export class BoardMemory {
  readonly #bytesPerShard: number;
  readonly #shards = new Set<SharesMemory>();
  #bytes = 0;

  /** Each open shard adds its share to the budget. */
  constructor(bytesPerShard: number) {
    this.#bytesPerShard = bytesPerShard;
  }

  get bytes(): number {
    return this.#bytes;
  }

  join(shard: SharesMemory): void {
    this.#shards.add(shard);
  }

  leave(shard: SharesMemory): void {
    this.#shards.delete(shard);
  }

  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Drops the least recently used boards. One board may stay: refusing to serve it would not help. */
  keepToBudget(): void {
    while (this.#bytes > this.#bytesPerShard * this.#shards.size && this.#boards() > 1) {
      const shard = this.#leastRecentlyUsed();
      if (shard === null) return;
      shard.dropOldest();
    }
  }

  #boards(): number {
    let boards = 0;
    for (const { size } of this.#shards) boards += size;
    return boards;
  }

  #leastRecentlyUsed(): SharesMemory | null {
    let [oldest, usedAt]: [SharesMemory | null, number] = [null, Infinity];
    for (const shard of this.#shards) {
      const used = shard.oldestUse() ?? Infinity;
      if (used < usedAt) [oldest, usedAt] = [shard, used];
    }
    return oldest;
  }
}
