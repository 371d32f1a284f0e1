/**
 * Delivers the events of the boards that this instance owns to their webhooks: in order for each webhook and board, at
 * least once. What is due is read from the board's log, page by page, so memory holds a page of each feed under way.
 */
import type { Logger } from 'pino';
import type { Uuid } from '../domain/ids.js';
import { PAGE_CHARACTERS, type DuePage, type FeedName, type OverAllList, type PendingFeeds } from '../domain/webhook/webhookCommands.js';
import { isRunning, type Pause, type Webhook } from '../domain/webhook/webhook.js';
import { NotServedHere } from '../partitions/askPort.js';
import type { Notice, PartitionName, ShardCommand, ShardName } from '../partitions/messages.js';
import type { Metric } from '../metrics/prometheus.js';
import { DeliveryCounts, webhookMetrics } from './deliveryMetrics.js';
import { Feed } from './feed.js';
import { FeedLanes } from './feedLanes.js';
import type { Job } from './messages.js';
import { DECIDING, type OverAll } from './overAll.js';
import { ProgressLog } from './progressLog.js';
import type { Sender } from './sender.js';

/** Feeds under way. One needs a connection and a page of events. */
const MAX_FEEDS = 256;
/** To one host: a slow one holds up no other. */
const MAX_FEEDS_PER_HOST = 4;
/** Of the webhooks that one user answers for: many slow hosts of one user leave places for others. */
const MAX_FEEDS_PER_USER = 64;
/** Feeds whose next event is larger than a page, up to four times: the memory of slow receivers is bounded by these. */
const LARGE_FEEDS = { all: 16, perHost: 2, perUser: 4 };
/** After a question that the shard could not answer. */
const RETRY_MS = 1_000;
/** A timer cannot wait longer. */
const MAX_TIMER_MS = 2_000_000_000;

export interface WebhookRelayOptions {
  /** Of a shard that is owned here. */
  readonly ask: (shard: ShardName, command: ShardCommand) => Promise<unknown>;
  readonly shardOf: (boardId: Uuid) => ShardName;
  readonly sender: Pick<Sender, 'deliver'>;
  /** In base64; null if it was sealed with another secret. */
  readonly openSecret: (webhookId: Uuid, sealed: string) => string | null;
  readonly overAll: Pick<OverAll, 'pause' | 'mayRun' | 'sync'>;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  readonly now?: () => number;
  readonly random?: () => number;
}

export class WebhookRelay {
  readonly #options: WebhookRelayOptions;
  readonly #lanes = new FeedLanes({ all: MAX_FEEDS, perHost: MAX_FEEDS_PER_HOST, perUser: MAX_FEEDS_PER_USER });
  readonly #largeLanes = new FeedLanes(LARGE_FEEDS);
  readonly #progress: ProgressLog;
  /** By board, then by webhook. */
  readonly #feeds = new Map<Uuid, Map<Uuid, Feed>>();
  /** Webhooks over all boards, as each shard that is owned here has them. */
  readonly #overAll = new Map<PartitionName, readonly Webhook[]>();
  readonly #outcomes = new DeliveryCounts();
  #isStopped = false;

  constructor(options: WebhookRelayOptions) {
    this.#options = options;
    this.#progress = new ProgressLog({ ask: options.ask, onError: (error) => this.#report(error) });
  }

  /** Every notice of the store threads passes here; without webhooks this ends at once. */
  take(notice: Notice): void {
    switch (notice.kind) {
      case 'board.events':
        return this.#eventsOf(notice.board_id);
      case 'webhooks.changed':
        return void this.#reload(this.#options.shardOf(notice.board_id), notice.board_id);
      case 'webhooks.overAll':
        return this.#setOverAll(notice.source as ShardName, notice.webhooks);
      case 'outbox.page':
        // The first page is published when the partition opens.
        if (notice.after === 0 && notice.source !== 'directory') void this.#open(notice.source);
        return;
      default:
        return;
    }
  }

  /** Another process may own the shard from here on. */
  release(partition: PartitionName): void {
    if (partition === 'directory') return;
    for (const feeds of this.#feeds.values()) {
      for (const feed of feeds.values()) if (feed.shard === partition) this.#forget(feed);
    }
    this.#overAll.delete(partition);
    this.#progress.drop(partition);
  }

  /** `pausedOnBoards`: the webhooks of boards that rest, which are in the files alone. */
  metrics(pausedOnBoards: number): Metric[] {
    const feeds = [...this.#feeds.values()].flatMap((each) => [...each.values()]);
    const isPending = ({ state, timer }: Feed): boolean => state !== 'idle' || timer !== undefined;
    const overAll = this.#overAll.get(DECIDING) ?? [];
    return webhookMetrics({
      outcomes: this.#outcomes,
      pending: feeds.filter(isPending).length,
      paused: { board: pausedOnBoards, all: overAll.filter(({ pause }) => pause !== null).length },
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const feeds of [...this.#feeds.values()]) for (const feed of [...feeds.values()]) this.#forget(feed);
    await this.#progress.flush();
  }

  async #open(shard: ShardName): Promise<void> {
    await this.#options.overAll.sync(shard);
    await this.#reload(shard, null);
    await this.#readOverAll(shard);
  }

  async #readOverAll(shard: ShardName): Promise<void> {
    try {
      const { webhooks } = (await this.#options.ask(shard, { kind: 'webhooks.overAll' })) as OverAllList;
      this.#setOverAll(shard, webhooks);
    } catch (error) {
      this.#retry(error, () => this.#readOverAll(shard));
    }
  }

  /** Of one board, or of the whole shard. */
  async #reload(shard: ShardName, boardId: Uuid | null): Promise<void> {
    try {
      const running = (await this.#options.ask(shard, { kind: 'webhooks.running', board_id: boardId })) as readonly FeedName[];
      if (boardId !== null) this.#keepOnly(boardId, new Set(running.map(({ webhook_id }) => webhook_id)));
      for (const name of running) this.#wake(name, shard, 'anew');
    } catch (error) {
      this.#retry(error, () => this.#reload(shard, boardId));
    }
  }

  /** A shard that another process owns now is its business. */
  #retry(error: unknown, work: () => Promise<void>): void {
    if (error instanceof NotServedHere || this.#isStopped) return;
    this.#report(error);
    setTimeout(() => void work(), RETRY_MS).unref();
  }

  /** Forgets feeds of webhooks that the board has no more, or that rest. */
  #keepOnly(boardId: Uuid, running: ReadonlySet<Uuid>): void {
    const ids = new Set((this.#overAll.get(this.#options.shardOf(boardId)) ?? []).map(({ id }) => id));
    for (const [id, feed] of this.#feeds.get(boardId) ?? []) if (!running.has(id) && !ids.has(id)) this.#forget(feed);
  }

  #eventsOf(boardId: Uuid): void {
    if (this.#feeds.size === 0 && this.#overAll.size === 0) return;
    for (const feed of this.#feeds.get(boardId)?.values() ?? []) this.#start(feed);
    if (this.#overAll.size === 0) return;
    const shard = this.#options.shardOf(boardId);
    for (const { id, url, created_by } of this.#overAll.get(shard)?.filter(isRunning) ?? []) {
      this.#wake({ webhook_id: id, board_id: boardId, url, created_by }, shard, 'on');
    }
  }

  #setOverAll(shard: ShardName, webhooks: readonly Webhook[]): void {
    if (webhooks.length === 0) this.#overAll.delete(shard);
    else this.#overAll.set(shard, webhooks);
    void this.#wakePending(shard, webhooks, '');
  }

  /** Boards with events that a webhook of the list has not delivered. A newer list begins anew, and ends this. */
  async #wakePending(shard: ShardName, list: readonly Webhook[], after: string): Promise<void> {
    if (this.#overAll.get(shard) !== list || this.#isStopped) return;
    try {
      const { feeds, next } = (await this.#options.ask(shard, { kind: 'webhooks.pending', after })) as PendingFeeds;
      for (const name of feeds) this.#wake(name, shard, 'anew');
      if (next !== null) await this.#wakePending(shard, list, next);
    } catch (error) {
      // Boards that do not change would have no other occasion.
      this.#retry(error, () => this.#wakePending(shard, list, after));
    }
  }

  /** `anew`: the webhook was changed, and may have another address or another creator. */
  #wake(name: FeedName, shard: ShardName, how: 'anew' | 'on'): void {
    const feeds = this.#feeds.get(name.board_id) ?? new Map<Uuid, Feed>();
    this.#feeds.set(name.board_id, feeds);
    const known = feeds.get(name.webhook_id);
    if (known !== undefined && known.name.url === name.url && known.name.created_by === name.created_by) {
      if (how === 'anew') clearTimeout(known.timer);
      return this.#start(known, how);
    }
    if (known !== undefined) this.#forget(known);
    const feed = new Feed(name, shard);
    feeds.set(name.webhook_id, feed);
    this.#feeds.set(name.board_id, feeds);
    this.#start(feed);
  }

  #start(feed: Feed, how: 'anew' | 'on' = 'on'): void {
    if (this.#isStopped || feed.stop.signal.aborted) return;
    if (feed.state !== 'idle') {
      feed.state = 'again';
      return;
    }
    // It waits for the time of its next attempt.
    if (feed.timer !== undefined && how === 'on') return;
    feed.timer = undefined;
    feed.state = 'running';
    const lanes = feed.isLarge ? this.#largeLanes : this.#lanes;
    void lanes.run(feed.lane, () => this.#step(feed)).then((next) => this.#go(feed, next));
  }

  /** After a step: at once, after so many milliseconds, or when something happens. */
  #go(feed: Feed, next: number | 'rest'): void {
    const isWanted = feed.state === 'again';
    feed.state = 'idle';
    if (feed.stop.signal.aborted) return;
    if (next === 0 || (next === 'rest' && isWanted)) return this.#start(feed);
    if (next === 'rest') {
      const isOverAll = this.#overAll.get(feed.shard)?.some(({ id }) => id === feed.name.webhook_id) === true;
      // Its progress is stored; the next event brings it back.
      if (isOverAll) this.#drop(feed);
      return;
    }
    feed.timer = setTimeout(
      () => {
        feed.timer = undefined;
        this.#start(feed);
      },
      Math.min(next, MAX_TIMER_MS),
    ).unref();
  }

  /** Delivers one page. Never rejects. */
  async #step(feed: Feed): Promise<number | 'rest'> {
    if (feed.stop.signal.aborted) return 'rest';
    feed.state = 'running';
    try {
      const { webhook_id, board_id } = feed.name;
      const page = (await this.#options.ask(feed.shard, { kind: 'webhooks.page', webhook_id, board_id, ...feed.cursor })) as DuePage | null;
      if (page === null) {
        this.#forget(feed);
        return 'rest';
      }
      const mustWait = isLarge(page) && !feed.isLarge;
      feed.isLarge = isLarge(page);
      return mustWait ? 0 : await this.#deliver(feed, page);
    } catch (error) {
      if (error instanceof NotServedHere) {
        this.#forget(feed);
        return 'rest';
      }
      this.#report(error);
      return feed.vainStep();
    }
  }

  async #deliver(feed: Feed, page: DuePage): Promise<number | 'rest'> {
    const { sender, now = Date.now, random = Math.random } = this.#options;
    feed.note(page);
    const wait = feed.waitMs(now());
    if (wait > 0) return wait;
    if (page.due.length === 0) {
      if (feed.cursor.after === null || page.upTo.seq !== feed.cursor.after.seq) this.#note(feed, feed.passed(page.upTo), []);
      return page.hasMore ? 0 : 'rest';
    }
    if (page.target.webhook.board_id === null && !(await this.#options.overAll.mayRun(page.target.webhook.created_by))) {
      await this.#pause(feed, page, 'creator');
      return 'rest';
    }
    const secrets = this.#secretsOf(page, now());
    if (secrets === null) {
      await this.#pause(feed, page, 'secret');
      return 'rest';
    }
    const result = await sender.deliver(jobOf(feed, page, secrets), feed.stop.signal);
    for (const delivery of result.deliveries) this.#outcomes.count(delivery);
    if (feed.stop.signal.aborted) return 'rest';
    const progress = feed.delivered(page, result, now(), random());
    this.#note(feed, progress, result.deliveries);
    if (progress !== null && progress.pause !== null) {
      await this.#pause(feed, page, progress.pause);
      return 'rest';
    }
    if (result.end === 'done') return page.hasMore ? 0 : 'rest';
    if (result.end === 'stopped' && result.deliveries.length === 0) return feed.vainStep();
    return feed.waitMs(now());
  }

  /** The shard of the board pauses its own webhooks, with the progress that says so. */
  async #pause(feed: Feed, page: DuePage, pause: Pause): Promise<void> {
    this.#note(feed, feed.paused(pause), []);
    await this.#progress.flush();
    if (page.target.webhook.board_id === null) await this.#options.overAll.pause(page.target.webhook.id, page.generation, pause);
  }

  /** Null if the newest cannot be opened. Messages for people are not signed. */
  #secretsOf({ target }: DuePage, now: number): readonly string[] | null {
    if (target.webhook.format !== 'standard') return [];
    const valid = target.secrets.filter(({ until }) => until === null || Date.parse(until) > now);
    const open = valid.map(({ sealed }) => this.#options.openSecret(target.webhook.id, sealed));
    if (open.length === 0 || open[0] === null) return null;
    return open.filter((secret) => secret !== null);
  }

  #note(feed: Feed, progress: Parameters<ProgressLog['note']>[2], deliveries: Parameters<ProgressLog['note']>[3]): void {
    if (feed.stop.signal.aborted) return;
    this.#progress.note(feed.shard, feed.name, progress, deliveries);
  }

  /** Ends what is under way. */
  #forget(feed: Feed): void {
    clearTimeout(feed.timer);
    feed.stop.abort();
    this.#drop(feed);
  }

  #drop({ name }: Feed): void {
    const feeds = this.#feeds.get(name.board_id);
    feeds?.delete(name.webhook_id);
    if (feeds?.size === 0) this.#feeds.delete(name.board_id);
  }

  #report(error: unknown): void {
    this.#options.log.debug({ err: error }, 'a webhook has to wait');
  }
}

function isLarge({ due }: DuePage): boolean {
  return due.reduce((sum, { json }) => sum + (json?.length ?? 0), 0) > PAGE_CHARACTERS;
}

function jobOf(feed: Feed, { target, due, names }: DuePage, secrets: readonly string[]): Job {
  const { url, format } = target.webhook;
  const { board_title } = target;
  return { url, format, secrets, board_id: feed.name.board_id, board_title, names, due, attempt: feed.attempt };
}
