/**
 * Webhooks over all boards. One shard decides on them; the others have copies, and each delivers the events of its boards.
 * Rights of superusers are checked before.
 */
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { OverAllAnswer, OverAllList, WebhookAction } from '../../domain/webhook/webhookCommands.js';
import { MAX_WEBHOOKS_OVER_ALL, showWebhook, type Webhook } from '../../domain/webhook/webhook.js';
import { DONE, type Outcome, type ShardCommand, type ShardName } from '../../partitions/messages.js';
import type { Clock } from '../clock.js';
import type { ShardBatch, ShardStore } from '../shardStore.js';
import { changed, isChange, newWebhook, paused } from './webhookChanges.js';

type OverAllCommand = Extract<ShardCommand, { kind: 'webhooks.admin' | 'webhooks.pause' | 'webhooks.overAll' | 'webhooks.setOverAll' }>;

export interface WebhooksOverAllOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly clock: Clock;
}

export class WebhooksOverAll {
  readonly #options: WebhooksOverAllOptions;
  /** Of the newest list that this owner has given or taken. */
  #version = 0;

  constructor(options: WebhooksOverAllOptions) {
    this.#options = options;
  }

  /** Refuses by throwing an `AppError`. */
  perform(command: OverAllCommand, batch: ShardBatch): unknown {
    const { store } = this.#options;
    switch (command.kind) {
      case 'webhooks.admin':
        return this.#decide(command.target, command.user_id, command.action, batch);
      case 'webhooks.pause': {
        const webhook = store.webhooks.find(null, command.webhook_id);
        if (webhook === null || webhook.generation !== command.generation) return unchanged(null);
        return this.#put(paused(webhook, command.pause, this.#now), batch);
      }
      case 'webhooks.overAll':
        return this.#list(this.#version);
      case 'webhooks.setOverAll':
        return this.#set(command, batch);
    }
  }

  #decide(target: Uuid | null, user: Uuid, action: WebhookAction, batch: ShardBatch): OverAllAnswer {
    const { store, clock } = this.#options;
    if (target === null) {
      const all = store.webhooks.list(null);
      if (action.do !== 'create') return unchanged(all.map((each) => showWebhook(each, null)));
      if (all.length >= MAX_WEBHOOKS_OVER_ALL) {
        throw new AppError('limit', `There can be at most ${MAX_WEBHOOKS_OVER_ALL} webhooks over all boards`);
      }
      const { id, fields, secret } = action;
      return this.#put(newWebhook({ id, board_id: null, ...fields, created_by: user }, secret, this.#now), batch);
    }
    const webhook = store.webhooks.find(null, target);
    if (webhook === null) throw new AppError('not_found', 'Webhook not found');
    if (action.do === 'remove') {
      batch.write().webhooks.remove(null, target);
      return this.#changed(null, batch);
    }
    if (isChange(action)) return this.#put(changed(webhook, action, { user, now: clock.now() }), batch, webhook);
    if (action.do === 'reveal') return unchanged({ webhook, secrets: webhook.secrets, board_title: '' });
    return unchanged(showWebhook(webhook, null));
  }

  #put(webhook: Webhook, batch: ShardBatch, before?: Webhook): OverAllAnswer {
    store(webhook, before, batch);
    return this.#changed(showWebhook(webhook, null), batch);
  }

  #changed(value: unknown, batch: ShardBatch): OverAllAnswer {
    const list = this.#list(this.#version + 1);
    batch.notices.push({ kind: 'webhooks.overAll', source: this.#options.name, webhooks: list.webhooks });
    return { value, list };
  }

  /** Versions are times, so that the next owner's are greater. */
  #list(least: number): OverAllList {
    this.#version = Math.max(this.#options.clock.now().ms, least);
    return { webhooks: this.#options.store.webhooks.list(null), version: this.#version };
  }

  /** They become the webhooks of the list. One whose start has changed begins anew. */
  #set({ webhooks, version }: OverAllList, batch: ShardBatch): Outcome {
    if (version < this.#version) return DONE;
    this.#version = version;
    const known = this.#options.store.webhooks.list(null);
    const gone = known.filter(({ id }) => webhooks.every((each) => each.id !== id));
    const newer = webhooks.filter(({ id, generation }) => (known.find((each) => each.id === id)?.generation ?? 0) < generation);
    if (gone.length + newer.length === 0) return DONE;
    for (const { id } of gone) batch.write().webhooks.remove(null, id);
    for (const webhook of newer)
      store(
        webhook,
        known.find(({ id }) => id === webhook.id),
        batch,
      );
    this.#changed(null, batch);
    return DONE;
  }

  get #now(): string {
    return this.#options.clock.now().text;
  }
}

function store(webhook: Webhook, before: Webhook | undefined, batch: ShardBatch): void {
  const { webhooks } = batch.write();
  webhooks.put(webhook);
  if (before !== undefined && before.starts_at !== webhook.starts_at) webhooks.removeFeedsOf(webhook.id);
}

function unchanged(value: unknown): OverAllAnswer {
  return { value, list: null };
}
