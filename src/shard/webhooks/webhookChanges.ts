/** Changes of a board's webhooks. Each that makes earlier attempts void raises the generation. */
import { AppError } from '../../domain/errors.js';
import { boardKeyOf, type Uuid } from '../../domain/ids.js';
import { FIRST_EPOCH } from '../../domain/position.js';
import type { WebhookAction } from '../../domain/webhook/webhookCommands.js';
import { givenFields } from '../../domain/givenFields.js';
import { MAX_WEBHOOKS_PER_BOARD, ROTATION_MS, showWebhook, type Pause, type ShownWebhook, type Webhook } from '../../domain/webhook/webhook.js';
import type { Timestamp } from '../clock.js';
import type { ShardBatch, ShardStore } from '../shardStore.js';

export interface Occasion {
  readonly user: Uuid;
  readonly now: Timestamp;
}

const CHANGES = ['update', 'remove', 'resume', 'replay', 'rotate'] as const;
type Change = Extract<WebhookAction, { do: (typeof CHANGES)[number] }>;

export function isChange(action: WebhookAction): action is Change {
  return (CHANGES as readonly string[]).includes(action.do);
}

export function showWithFeed(store: ShardStore, webhook: Webhook): ShownWebhook {
  return showWebhook(webhook, store.webhooks.feed(boardKeyOf(webhook.id), webhook.id));
}

export function createWebhook(
  store: ShardStore,
  boardId: Uuid,
  { id, fields, secret }: Extract<WebhookAction, { do: 'create' }>,
  { user, now }: Occasion,
  batch: ShardBatch,
): ShownWebhook {
  const key = boardKeyOf(boardId);
  if (store.webhooks.list(key).length >= MAX_WEBHOOKS_PER_BOARD) {
    throw new AppError('limit', `A board can have at most ${MAX_WEBHOOKS_PER_BOARD} webhooks`);
  }
  const at = now.text;
  const webhook: Webhook = newWebhook({ id, board_id: boardId, ...fields, created_by: user }, secret, at);
  const { epoch, seq } = store.positionOf(key) ?? { epoch: FIRST_EPOCH, seq: 0 };
  const writing = batch.write();
  writing.webhooks.put(webhook);
  writing.webhooks.putFeed(key, feedAt(webhook, boardId, epoch, seq));
  return showWebhook(webhook, null);
}

export function newWebhook(
  given: Pick<Webhook, 'id' | 'board_id' | 'url' | 'format' | 'event_types' | 'is_enabled' | 'created_by'>,
  secret: string,
  at: string,
): Webhook {
  return { ...given, pause: null, secrets: [{ sealed: secret, until: null }], created_at: at, updated_at: at, starts_at: at, generation: 1 };
}

/** Null when it is removed. */
export function changeWebhook(store: ShardStore, webhook: Webhook, action: Change, occasion: Occasion, batch: ShardBatch): ShownWebhook | null {
  const key = boardKeyOf(webhook.id);
  const { webhooks } = batch.write();
  if (action.do === 'remove') {
    webhooks.remove(key, webhook.id);
    return null;
  }
  const next = changed(webhook, action, occasion);
  webhooks.put(next);
  const feed = store.webhooks.feed(key, webhook.id);
  const { epoch, seq } = feed ?? store.positionOf(key) ?? { epoch: FIRST_EPOCH, seq: 0 };
  if (action.do === 'replay') {
    const board = store.positionOf(key) ?? { epoch, seq };
    webhooks.putFeed(key, feedAt(next, webhook.board_id ?? '', board.epoch, Math.min(Number(action.since), board.seq)));
  } else if (next.generation !== webhook.generation) {
    webhooks.putFeed(key, feedAt(next, webhook.board_id ?? '', epoch, seq));
  }
  return showWithFeed(store, next);
}

/** The webhook after a change that leaves it there. */
export function changed(webhook: Webhook, action: Exclude<Change, { do: 'remove' }>, { user, now }: Occasion): Webhook {
  const updated_at = now.text;
  const generation = webhook.generation + 1;
  switch (action.do) {
    case 'update': {
      const { pause } = webhook;
      const next = { ...webhook, ...givenFields(action.fields), updated_at, generation };
      // Enabling what a receiver had disabled is a new beginning.
      return next.is_enabled && pause === 'gone' ? { ...next, pause: null } : next;
    }
    case 'resume':
      return { ...webhook, is_enabled: true, pause: null, created_by: user, updated_at, generation };
    case 'replay': {
      const starts_at = typeof action.since === 'string' ? action.since : webhook.starts_at;
      return { ...webhook, pause: null, created_by: user, starts_at, updated_at, generation };
    }
    case 'rotate': {
      const until = new Date(now.ms + ROTATION_MS).toISOString();
      const [newest] = webhook.secrets;
      const older = newest === undefined ? [] : [{ ...newest, until }];
      const pause = webhook.pause === 'secret' ? null : webhook.pause;
      return { ...webhook, secrets: [{ sealed: action.secret, until: null }, ...older], pause, updated_at, generation };
    }
  }
}

/** A receiver that is gone for good disables it. */
export function paused(webhook: Webhook, pause: Pause, updated_at: string): Webhook {
  return { ...webhook, pause, is_enabled: webhook.is_enabled && pause !== 'gone', generation: webhook.generation + 1, updated_at };
}

export function feedAt({ id, generation }: Webhook, board_id: Uuid, epoch: string, seq: number) {
  return { webhook_id: id, board_id, epoch, seq, generation, attempt: 0, failing_since: null, next_at: null };
}
