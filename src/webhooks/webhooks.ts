/** Webhooks of one instance: the relay that delivers, the thread that sends, and what the API asks of them. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { SealedSecrets } from '../auth/sealedSecrets.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/account/user.js';
import type { NewSecret, WebhooksPort } from '../domain/ports/webhooks.js';
import type { Target, WebhookAction } from '../domain/webhook/webhookCommands.js';
import type { Delivery } from '../domain/webhook/webhook.js';
import type { PartitionName, ShardCommand, ShardName } from '../partitions/messages.js';
import type { Metric } from '../metrics/prometheus.js';
import { OverAll } from './overAll.js';
import { WebhookRelay } from './relay.js';
import { Sender } from './sender.js';
import { newSecret, writeSecret } from './sign.js';

/** Tests of all users at once; one of each. */
const MAX_TESTS = 32;

export interface WebhooksOptions {
  readonly ask: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  /** Only if the shard is owned here. */
  readonly askHere: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  readonly owns: (shard: ShardName) => boolean;
  /** Of a board, or of a webhook on it. */
  readonly shardOf: (id: Uuid) => ShardName;
  readonly shards: readonly ShardName[];
  readonly findUser: (id: Uuid) => Promise<PublicUser | null>;
  /** Of the access tokens: it seals the secrets of webhooks. */
  readonly secret: string;
  readonly allowed: readonly string[];
  readonly log: Logger;
}

export class Webhooks implements WebhooksPort {
  readonly #options: WebhooksOptions;
  readonly #secrets: SealedSecrets;
  readonly #sender: Sender;
  readonly #overAll: OverAll;
  readonly relay: WebhookRelay;
  /** Users whose tests are under way. */
  readonly #testing = new Set<Uuid>();

  constructor(options: WebhooksOptions) {
    const { ask, askHere, owns, shardOf, shards, findUser, secret, allowed, log } = options;
    this.#options = options;
    this.#secrets = new SealedSecrets(secret, 'webhooks');
    this.#sender = new Sender({
      allowed,
      onError: (error) => log.error({ err: error }, 'the thread of webhooks failed'),
      onFault: (stack) => log.error({ stack }, 'a delivery to a webhook could not be made; it is tried again'),
    });
    this.#overAll = new OverAll({ ask, shards, owned: () => shards.filter(owns), findUser, log });
    const openSecret = (id: Uuid, sealed: string): string | null => this.#secrets.open(id, sealed)?.toString('base64') ?? null;
    this.relay = new WebhookRelay({ ask: askHere, shardOf, sender: this.#sender, openSecret, overAll: this.#overAll, log });
  }

  /** Another process may own the partition from here on. */
  release(partition: PartitionName): void {
    this.relay.release(partition);
  }

  /** Of this instance. */
  metrics(stats: ReadonlyArray<{ readonly pausedWebhooks: number }>): Metric[] {
    return this.relay.metrics(stats.reduce((sum, { pausedWebhooks }) => sum + pausedWebhooks, 0));
  }

  async stop(): Promise<void> {
    this.#overAll.stop();
    await this.relay.stop();
    await this.#sender.close();
  }

  newSecret(webhookId: Uuid): NewSecret {
    const secret = newSecret();
    return { sealed: this.#secrets.seal(webhookId, secret), shown: writeSecret(secret) };
  }

  perform(target: Uuid, user_id: Uuid, action: WebhookAction): Promise<unknown> {
    return this.#options.ask(this.#options.shardOf(target), { kind: 'webhook', target, user_id, action });
  }

  async performOverAll(target: Uuid | null, userId: Uuid, action: WebhookAction): Promise<unknown> {
    const value = await this.#overAll.perform(target, userId, action);
    return action.do === 'deliveries' && target !== null ? this.#overAll.deliveries(target) : value;
  }

  async test(target: Uuid, userId: Uuid, of: 'board' | 'all'): Promise<Delivery> {
    if (this.#testing.has(userId) || this.#testing.size >= MAX_TESTS) {
      throw new AppError('too_many', 'Another test is under way. Try again.', { retryAfter: 1 });
    }
    this.#testing.add(userId);
    try {
      return await this.#test(target, userId, of);
    } finally {
      this.#testing.delete(userId);
    }
  }

  async #test(target: Uuid, userId: Uuid, of: 'board' | 'all'): Promise<Delivery> {
    const perform = (action: WebhookAction): Promise<unknown> =>
      of === 'board' ? this.perform(target, userId, action) : this.performOverAll(target, userId, action);
    const { webhook, secrets, board_title } = (await perform({ do: 'reveal' })) as Target;
    const open = secrets.map(({ sealed }) => this.#secrets.open(webhook.id, sealed)?.toString('base64') ?? null).filter((each) => each !== null);
    if (open.length === 0 && webhook.format === 'standard')
      throw new AppError('conflict', 'The secret of the webhook cannot be opened any more. Rotate it.');
    const { url, format, board_id } = webhook;
    const id = `${webhook.id}.test.${randomBytes(8).toString('hex')}`;
    const due = [{ id, type: 'test', position: null, json: null } as const];
    const { deliveries } = await this.#sender.deliver({ url, format, secrets: open, board_id, board_title, names: {}, due, attempt: 0 });
    const [made] = deliveries;
    if (made === undefined) throw new AppError('unavailable', 'The test was interrupted. Try again.', { retryAfter: 1 });
    if (board_id !== null) await this.#keep(webhook.id, board_id, made);
    return made;
  }

  async #keep(webhook_id: Uuid, board_id: Uuid, delivery: Delivery): Promise<void> {
    const attempts = [{ webhook_id, board_id, deliveries: [delivery] }];
    await this.#options.ask(this.#options.shardOf(board_id), { kind: 'webhooks.progress', progress: [], attempts });
  }
}
