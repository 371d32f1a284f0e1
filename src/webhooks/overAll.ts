/**
 * Webhooks over all boards, seen from one instance: one shard decides on them, and every shard gets a copy. A shard that
 * could not be reached gets it when it opens, or within a minute.
 */
import type { Logger } from 'pino';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/account/user.js';
import type { OverAllAnswer, OverAllList, WebhookAction } from '../domain/webhook/webhookCommands.js';
import { MAX_KEPT_DELIVERIES, type Delivery, type Pause } from '../domain/webhook/webhook.js';
import { BoundedMap } from '../flow/boundedMap.js';
import type { ShardCommand, ShardName } from '../partitions/messages.js';

/** Every shard has a copy of what it decides. */
export const DECIDING: ShardName = 'shard 0';
const SYNC_MS = 60_000;
/** How long a superuser who is one no more may still cause deliveries. */
const TRUST_MS = 5_000;
const MAX_CREATORS = 100;

export interface OverAllOptions {
  /** Of any shard, wherever it is owned. */
  readonly ask: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  readonly shards: readonly ShardName[];
  readonly owned: () => readonly ShardName[];
  readonly findUser: (id: Uuid) => Promise<PublicUser | null>;
  readonly log: Pick<Logger, 'debug'>;
}

export class OverAll {
  readonly #options: OverAllOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #creators = new BoundedMap<Uuid, { readonly mayRun: boolean; readonly until: number }>(MAX_CREATORS);

  constructor(options: OverAllOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#syncAll(), SYNC_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A refusal is thrown. */
  async perform(target: Uuid | null, user_id: Uuid, action: WebhookAction): Promise<unknown> {
    const answer = await this.#options.ask(DECIDING, { kind: 'webhooks.admin', target, user_id, action });
    return this.#spread(answer as OverAllAnswer);
  }

  /** The last ones of all shards, the newest first. */
  async deliveries(webhook_id: Uuid): Promise<readonly Delivery[]> {
    const { shards, ask } = this.#options;
    const all = await Promise.all(shards.map((shard) => ask(shard, { kind: 'webhooks.deliveries', webhook_id })));
    return (all as Delivery[][])
      .flat()
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, MAX_KEPT_DELIVERIES);
  }

  async pause(webhook_id: Uuid, generation: number, pause: Pause): Promise<void> {
    const answer = await this.#options.ask(DECIDING, { kind: 'webhooks.pause', webhook_id, generation, pause });
    await this.#spread(answer as OverAllAnswer);
  }

  /** Whether who answers for a webhook is an active superuser. */
  async mayRun(creator: Uuid): Promise<boolean> {
    const known = this.#creators.get(creator);
    if (known !== undefined && known.until > performance.now()) return known.mayRun;
    const user = await this.#options.findUser(creator);
    const mayRun = user?.is_active === true && user.is_superuser;
    this.#creators.set(creator, { mayRun, until: performance.now() + TRUST_MS });
    return mayRun;
  }

  /** The shard gets what the deciding one has. */
  async sync(shard: ShardName): Promise<void> {
    await this.#give([shard]);
  }

  async #syncAll(): Promise<void> {
    await this.#give(this.#options.owned());
  }

  async #give(shards: readonly ShardName[]): Promise<void> {
    if (shards.length === 0) return;
    try {
      const list = (await this.#options.ask(DECIDING, { kind: 'webhooks.overAll' })) as OverAllList;
      await this.#set(
        shards.filter((shard) => shard !== DECIDING),
        list,
      );
    } catch (error) {
      this.#options.log.debug({ err: error }, 'the webhooks over all boards could not be read');
    }
  }

  async #spread({ value, list }: OverAllAnswer): Promise<unknown> {
    if (list === null) return value;
    const others = this.#options.shards.filter((shard) => shard !== DECIDING);
    await this.#set(others, list);
    return value;
  }

  async #set(shards: readonly ShardName[], list: OverAllList): Promise<void> {
    const { ask, log } = this.#options;
    await Promise.all(
      shards.map((shard) =>
        ask(shard, { kind: 'webhooks.setOverAll', ...list }).catch((error: unknown) => log.debug({ err: error, shard }, 'webhooks come later')),
      ),
    );
  }
}
