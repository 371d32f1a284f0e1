/** Collects how far feeds are, and what was tried, and stores both at most once a second for each shard. */
import type { Attempts, FeedName, Progress } from '../domain/webhook/webhookCommands.js';
import { MAX_KEPT_DELIVERIES, type Delivery } from '../domain/webhook/webhook.js';
import type { ShardCommand, ShardName } from '../partitions/messages.js';

const STORE_MS = 1_000;

interface Waiting {
  readonly progress: Map<string, Progress>;
  readonly attempts: Map<string, Attempts>;
}

export interface ProgressLogOptions {
  readonly ask: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  /** The present owner of the shard stores it, or none does: then deliveries are made again. */
  readonly onError: (error: unknown) => void;
}

export class ProgressLog {
  readonly #options: ProgressLogOptions;
  readonly #shards = new Map<ShardName, Waiting>();
  readonly #timers = new Map<ShardName, NodeJS.Timeout>();

  constructor(options: ProgressLogOptions) {
    this.#options = options;
  }

  note(shard: ShardName, { webhook_id, board_id }: FeedName, progress: Progress | null, deliveries: readonly Delivery[]): void {
    const { progress: latest, attempts } = this.#waitingFor(shard);
    const key = `${webhook_id} ${board_id}`;
    if (progress !== null) latest.set(key, progress);
    if (deliveries.length > 0) {
      const all = [...(attempts.get(key)?.deliveries ?? []), ...deliveries].slice(-MAX_KEPT_DELIVERIES);
      attempts.set(key, { webhook_id, board_id, deliveries: all });
    }
    if (!this.#timers.has(shard)) this.#timers.set(shard, setTimeout(() => void this.#store(shard), STORE_MS).unref());
  }

  /** Now, because the feed has come to an end, or everything has. */
  async flush(): Promise<void> {
    await Promise.all([...this.#shards.keys()].map((shard) => this.#store(shard)));
  }

  /** Another process owns the shard. */
  drop(shard: ShardName): void {
    this.#take(shard);
  }

  async #store(shard: ShardName): Promise<void> {
    const waiting = this.#take(shard);
    if (waiting === undefined) return;
    const progress = [...waiting.progress.values()];
    const attempts = [...waiting.attempts.values()];
    try {
      await this.#options.ask(shard, { kind: 'webhooks.progress', progress, attempts });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #take(shard: ShardName): Waiting | undefined {
    const waiting = this.#shards.get(shard);
    clearTimeout(this.#timers.get(shard));
    this.#timers.delete(shard);
    this.#shards.delete(shard);
    return waiting;
  }

  #waitingFor(shard: ShardName): Waiting {
    const waiting = this.#shards.get(shard) ?? { progress: new Map(), attempts: new Map() };
    this.#shards.set(shard, waiting);
    return waiting;
  }
}
