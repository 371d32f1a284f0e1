/** Carries out what is asked of the webhooks of a shard. All of it is in the file: a shard without webhooks holds nothing. */
import { AppError } from '../../domain/errors.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import { notFound, notMember, notOwner } from '../../domain/refusals.js';
import type { Attempts, FeedName, PendingFeeds, Progress, WebhookAction } from '../../domain/webhook/webhookCommands.js';
import { isRunning, MAX_KEPT_DELIVERIES, type Webhook } from '../../domain/webhook/webhook.js';
import type { Outcome, ShardCommand, ShardName } from '../../partitions/messages.js';
import type { Clock } from '../clock.js';
import type { ShardBatch, ShardStore } from '../shardStore.js';
import { duePage } from './duePage.js';
import { changeWebhook, createWebhook, isChange, paused, showWithFeed } from './webhookChanges.js';
import { pauseWebhook } from '../trashedBoards.js';
import { WebhooksOverAll } from './webhooksOverAll.js';

export type WebhookCommand = Extract<ShardCommand, { kind: 'webhook' | `webhooks.${string}` }>;

/** Boards of one answer. */
const PENDING_PAGE = 500;

export interface WebhookCommandsOptions {
  readonly name: ShardName;
  readonly store: ShardStore;
  readonly clock: Clock;
}

export class WebhookCommands {
  readonly #store: ShardStore;
  readonly #clock: Clock;
  readonly #overAll: WebhooksOverAll;

  constructor(options: WebhookCommandsOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#overAll = new WebhooksOverAll(options);
  }

  /** A refusal is returned, not thrown: it is no reason to try the batch again. */
  perform(command: WebhookCommand, batch: ShardBatch): Outcome {
    try {
      return { ok: true, value: this.#perform(command, batch) };
    } catch (error) {
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      throw error;
    }
  }

  #perform(command: WebhookCommand, batch: ShardBatch): unknown {
    switch (command.kind) {
      case 'webhook':
        return this.#ofUser(command.target, command.user_id, command.action, batch);
      case 'webhooks.running':
        return this.#running(command.board_id);
      case 'webhooks.pending':
        return this.#pending(command.after);
      case 'webhooks.page':
        return this.#page(command, batch);
      case 'webhooks.progress':
        for (const progress of command.progress) this.#keep(progress, batch);
        for (const attempts of command.attempts) this.#keepAttempts(attempts, batch);
        return null;
      case 'webhooks.deliveries':
        return this.#store.webhooks.recent(null, command.webhook_id);
      case 'webhooks.admin':
      case 'webhooks.pause':
      case 'webhooks.overAll':
      case 'webhooks.setOverAll':
        return this.#overAll.perform(command, batch);
    }
  }

  /** `target` is the board, or a webhook on it. Rights come before anything else. */
  #ofUser(target: Uuid, user: Uuid, action: WebhookAction, batch: ShardBatch): unknown {
    const key = boardKeyOf(target);
    const isOfBoard = action.do === 'list' || action.do === 'create' || (action.do === 'check' && action.on === 'board');
    const webhook = isOfBoard ? null : this.#store.webhooks.find(key, target);
    const boardId = this.#store.idOf(key);
    if (isOfBoard ? boardId !== target : webhook === null || boardId === null) {
      throw isOfBoard ? notFound('board') : new AppError('not_found', 'Webhook not found');
    }
    this.#requireOwner(key, user);
    if (webhook === null) return this.#onBoard(target, key, user, action, batch);
    if (isChange(action)) {
      const changed = changeWebhook(this.#store, webhook, action, { user, now: this.#clock.now() }, batch);
      batch.notices.push({ kind: 'webhooks.changed', board_id: boardId ?? '' });
      return changed;
    }
    switch (action.do) {
      case 'get':
        return showWithFeed(this.#store, webhook);
      case 'deliveries':
        return this.#store.webhooks.recent(key, webhook.id).reverse();
      case 'reveal':
        return { webhook, secrets: webhook.secrets, board_title: this.#store.titleOf(key) ?? '' };
      default:
        return null;
    }
  }

  #onBoard(boardId: Uuid, key: BoardKey, user: Uuid, action: WebhookAction, batch: ShardBatch): unknown {
    if (action.do === 'create') {
      const created = createWebhook(this.#store, boardId, action, { user, now: this.#clock.now() }, batch);
      batch.notices.push({ kind: 'webhooks.changed', board_id: boardId });
      return created;
    }
    if (action.do === 'list') return this.#store.webhooks.list(key).map((each) => showWithFeed(this.#store, each));
    return null;
  }

  #requireOwner(key: BoardKey, user: Uuid): void {
    const member = this.#store.memberOf(key, user);
    if (member === null) throw notMember();
    if (member.role !== 'owner') throw notOwner();
  }

  /** Of one board, or of all boards of the shard. */
  #running(boardId: Uuid | null): FeedName[] {
    const { webhooks } = this.#store;
    if (boardId === null) return webhooks.running();
    const running = webhooks.list(boardKeyOf(boardId)).filter(isRunning);
    return running.map(({ id, url, created_by }) => ({ webhook_id: id, board_id: boardId, url, created_by }));
  }

  #pending(after: BoardKey): PendingFeeds {
    const feeds: FeedName[] = [];
    let next: BoardKey | null = null;
    for (const webhook of this.#store.webhooks.list(null).filter(isRunning)) {
      const boards = this.#store.webhooks.changedBoards(webhook, after, PENDING_PAGE);
      feeds.push(...boards.map(({ board_id }) => ({ webhook_id: webhook.id, board_id, url: webhook.url, created_by: webhook.created_by })));
      const last = boards.length === PENDING_PAGE ? boards.at(-1)?.key : undefined;
      if (last !== undefined && (next === null || last < next)) next = last;
    }
    return { feeds, next };
  }

  #page({ webhook_id, board_id, after, generation }: Extract<WebhookCommand, { kind: 'webhooks.page' }>, batch: ShardBatch): unknown {
    const key = boardKeyOf(board_id);
    const webhook = this.#find(key, webhook_id);
    if (webhook === null) return null;
    const page = duePage(this.#store, webhook, board_id, generation === webhook.generation ? after : null);
    if (page === 'creator') this.#pause(webhook, 'creator', batch);
    if (page === 'gone') {
      if (webhook.board_id === null) batch.write().webhooks.removeFeed(key, webhook_id);
      // Its board may come back.
      else if (this.#store.trashedBoards.deletedAt(key) !== null) pauseWebhook(batch.write(), key, webhook, this.#clock.now().text);
      else batch.write().webhooks.remove(key, webhook_id);
    }
    return typeof page === 'string' ? null : page;
  }

  /** What is older than the last change of the webhook, or than what is stored, is left out. */
  #keep(progress: Progress, batch: ShardBatch): void {
    const { board_id, webhook_id, generation, pause, attempt, failing_since, next_at } = progress;
    const key = boardKeyOf(board_id);
    const webhook = this.#find(key, webhook_id);
    if (webhook === null || webhook.generation !== generation) return;
    const stored = this.#store.webhooks.feed(key, webhook_id);
    const board = this.#store.positionOf(key);
    const position = progress.position ?? stored ?? (board === null ? null : this.#store.webhooks.startOn(key, webhook, board));
    if (position === null || (stored !== null && stored.epoch === position.epoch && stored.seq > position.seq)) return;
    const { epoch, seq } = position;
    batch.write().webhooks.putFeed(key, { webhook_id, board_id, epoch, seq, generation, attempt, failing_since, next_at });
    if (pause !== null) this.#pause(webhook, pause, batch);
  }

  #keepAttempts({ board_id, webhook_id, deliveries }: Attempts, batch: ShardBatch): void {
    const webhook = this.#find(boardKeyOf(board_id), webhook_id);
    if (webhook === null) return;
    const key = webhook.board_id === null ? null : boardKeyOf(board_id);
    const recent = [...this.#store.webhooks.recent(key, webhook_id), ...deliveries].slice(-MAX_KEPT_DELIVERIES);
    batch.write().webhooks.setRecent(key, webhook_id, recent);
  }

  /** A receiver that is gone for good disables its webhook. One over all boards is paused where it is decided on. */
  #pause(webhook: Webhook, pause: NonNullable<Webhook['pause']>, batch: ShardBatch): void {
    if (webhook.board_id === null || webhook.pause === pause) return;
    batch.write().webhooks.put(paused(webhook, pause, this.#clock.now().text));
    batch.notices.push({ kind: 'webhooks.changed', board_id: webhook.board_id });
  }

  /** Of the board, or over all boards. */
  #find(key: BoardKey, id: Uuid): Webhook | null {
    return this.#store.webhooks.find(key, id) ?? this.#store.webhooks.find(null, id);
  }
}
