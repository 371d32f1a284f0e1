/** Webhooks, and how far each is with the events of a board. They are read from the file whenever they are needed. */
import type { Database } from 'better-sqlite3';
import { boardKeyOf, type BoardKey, type Uuid } from '../../../domain/ids.js';
import { AppError } from '../../../domain/errors.js';
import type { Position } from '../../../domain/position.js';
import type { WebhookWrite } from '../../../domain/ports/shardCommit.js';
import type { ColumnsOf } from '../../../domain/table.js';
import type { FeedName } from '../../../domain/webhook/webhookCommands.js';
import { isRunning, type Delivery, type Webhook, type WebhookFeed } from '../../../domain/webhook/webhook.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import { rowCodec, type SqlValue } from '../../table/rowCodec.js';
import type { ShardJournal } from '../shardJournal.js';

/** The schema of the file with which these tables came. */
const SINCE = 12;
/** The key of webhooks over all boards. */
const ALL_BOARDS: BoardKey = '';

const WEBHOOK: ColumnsOf<Webhook> = {
  id: 'text',
  board_id: 'text',
  url: 'text',
  format: 'text',
  event_types: 'json',
  is_enabled: 'boolean',
  pause: 'text',
  secrets: 'json',
  created_by: 'text',
  created_at: 'text',
  updated_at: 'text',
  starts_at: 'text',
  generation: 'integer',
};

const FEED: ColumnsOf<WebhookFeed> = {
  webhook_id: 'text',
  board_id: 'text',
  epoch: 'text',
  seq: 'integer',
  generation: 'integer',
  attempt: 'integer',
  failing_since: 'text',
  next_at: 'text',
};

export class WebhookTable {
  readonly #journal: ShardJournal;
  /** A schema: programs that know it read the commits. */
  #readableFor = Infinity;
  readonly #webhooks = rowCodec<Webhook>(WEBHOOK);
  readonly #feeds = rowCodec<WebhookFeed>(FEED);
  readonly #put;
  readonly #remove;
  readonly #removeFeedsOf;
  readonly #list;
  readonly #find;
  readonly #putFeed;
  readonly #removeFeed;
  readonly #feed;
  readonly #recent;
  readonly #setRecent;
  readonly #ofBoards;
  readonly #countPaused;
  /** Null if webhooks may have changed since they were counted. */
  #paused: number | null = null;
  readonly #openFeed;
  readonly #changedBoards;
  readonly #firstSince;
  readonly #forgetWebhooks;
  readonly #forgetFeeds;

  constructor(db: Database, journal: ShardJournal) {
    this.#journal = journal;
    const webhookColumns = this.#webhooks.columns.join(', ');
    const feedColumns = this.#feeds.columns.join(', ');
    this.#put = prepareWrite<SqlValue[]>(db, upsert('webhook', this.#webhooks.columns, 'id'));
    this.#remove = prepareWrite<[BoardKey, Uuid]>(db, 'DELETE FROM webhook WHERE board_key = ? AND id = ?');
    this.#removeFeedsOf = prepareWrite<[Uuid]>(db, 'DELETE FROM webhook_feed WHERE webhook_id = ?');
    this.#list = prepareRead(() =>
      db.prepare<[BoardKey], SqlValue[]>(`SELECT ${webhookColumns} FROM webhook WHERE board_key = ? ORDER BY created_at, id`).raw(),
    );
    this.#find = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], SqlValue[]>(`SELECT ${webhookColumns} FROM webhook WHERE board_key = ? AND id = ?`).raw(),
    );
    this.#putFeed = prepareWrite<SqlValue[]>(db, upsert('webhook_feed', this.#feeds.columns, 'webhook_id'));
    this.#removeFeed = prepareWrite<[BoardKey, Uuid]>(db, 'DELETE FROM webhook_feed WHERE board_key = ? AND webhook_id = ?');
    this.#feed = prepareRead(() =>
      db.prepare<[BoardKey, Uuid], SqlValue[]>(`SELECT ${feedColumns} FROM webhook_feed WHERE board_key = ? AND webhook_id = ?`).raw(),
    );
    this.#recent = prepareRead(() => db.prepare<[BoardKey, Uuid], string>('SELECT recent FROM webhook WHERE board_key = ? AND id = ?').pluck());
    this.#setRecent = prepareWrite<[string, BoardKey, Uuid]>(db, 'UPDATE webhook SET recent = ? WHERE board_key = ? AND id = ?');
    this.#ofBoards = prepareRead(() =>
      db.prepare<[], FeedName>(
        `SELECT id AS webhook_id, board_id, url, created_by FROM webhook WHERE board_key <> '${ALL_BOARDS}' AND is_enabled = 1 AND pause IS NULL`,
      ),
    );
    this.#countPaused = prepareRead(() =>
      db.prepare<[], number>(`SELECT count(*) FROM webhook WHERE board_key <> '${ALL_BOARDS}' AND pause IS NOT NULL`).pluck(),
    );
    this.#openFeed = prepareRead(() =>
      db.prepare<[BoardKey]>(
        `SELECT 1 FROM webhook_feed AS feed JOIN webhook ON webhook.id = feed.webhook_id AND webhook.board_key IN (feed.board_key, '${ALL_BOARDS}')
       WHERE feed.board_key = ? AND webhook.is_enabled = 1 AND webhook.pause IS NULL`,
      ),
    );
    // The latest event of a board is found by the index of the log.
    this.#changedBoards = prepareRead(() =>
      db.prepare<[{ webhook: Uuid; startsAt: string; after: BoardKey; limit: number }], { key: BoardKey; board_id: Uuid }>(
        `SELECT board_key AS key, id AS board_id FROM (
         SELECT board_key, id, epoch, seq, (SELECT at FROM event WHERE event.board_key = board.board_key ORDER BY seq DESC LIMIT 1) AS at
         FROM board WHERE board_key > @after
         UNION ALL
         SELECT board_key, board_id, epoch, seq + 1, '9' FROM webhook_feed
         WHERE webhook_id = @webhook AND board_key > @after AND NOT EXISTS (SELECT 1 FROM board WHERE board.board_key = webhook_feed.board_key)
       ) AS changed
       WHERE at >= @startsAt AND NOT EXISTS (
         SELECT 1 FROM webhook_feed AS feed WHERE feed.board_key = changed.board_key AND feed.webhook_id = @webhook
           AND feed.epoch = changed.epoch AND feed.seq >= changed.seq
       ) ORDER BY board_key LIMIT @limit`,
      ),
    );
    this.#firstSince = prepareRead(() =>
      db.prepare<[BoardKey, string], number | null>('SELECT min(seq) FROM event WHERE board_key = ? AND at >= ?').pluck(),
    );
    this.#forgetWebhooks = prepareWrite<[BoardKey]>(db, 'DELETE FROM webhook WHERE board_key = ?');
    this.#forgetFeeds = prepareWrite<[BoardKey]>(db, 'DELETE FROM webhook_feed WHERE board_key = ?');
  }

  /** The owner's commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#readableFor = schema;
  }

  /** In order of creation. Null for those over all boards. */
  list(key: BoardKey | null): Webhook[] {
    return this.#list.all(key ?? ALL_BOARDS).map((row) => this.#webhooks.fromRow(row));
  }

  find(key: BoardKey | null, id: Uuid): Webhook | null {
    const row = this.#find.get(key ?? ALL_BOARDS, id);
    return row === undefined ? null : this.#webhooks.fromRow(row);
  }

  /** While a program with an older schema lives in the cluster, there are no webhooks: it could not read their commits. */
  put(webhook: Webhook): void {
    if (this.#readableFor < SINCE) throw new AppError('unavailable', 'An older version of the service is still running. Try again.');
    this.#paused = null;
    this.#put(keyOf(webhook), ...this.#webhooks.toRow(webhook));
    this.#journal.note({ op: 'webhook.put', webhook });
  }

  /** With its feeds. */
  remove(key: BoardKey | null, id: Uuid): void {
    this.#paused = null;
    const removed = this.#remove(key ?? ALL_BOARDS, id).changes;
    if (removed + this.#removeFeedsOf(id).changes > 0) this.#journal.note({ op: 'webhook.remove', key: key ?? ALL_BOARDS, id });
  }

  feed(key: BoardKey, webhookId: Uuid): WebhookFeed | null {
    const row = this.#feed.get(key, webhookId);
    return row === undefined ? null : this.#feeds.fromRow(row);
  }

  putFeed(key: BoardKey, feed: WebhookFeed): void {
    this.#putFeed(key, ...this.#feeds.toRow(feed));
    this.#journal.note({ op: 'webhook.feed', key, feed });
  }

  /** All events of a board that is gone are delivered. */
  removeFeed(key: BoardKey, webhookId: Uuid): void {
    if (this.#removeFeed(key, webhookId).changes > 0) this.#journal.note({ op: 'webhook.unfeed', key, id: webhookId });
  }

  /** Every feed of it begins anew. */
  removeFeedsOf(id: Uuid): void {
    if (this.#removeFeedsOf(id).changes > 0) this.#journal.note({ op: 'webhook.restart', id });
  }

  recent(key: BoardKey | null, id: Uuid): Delivery[] {
    return JSON.parse(this.#recent.get(key ?? ALL_BOARDS, id) ?? '[]') as Delivery[];
  }

  setRecent(key: BoardKey | null, id: Uuid, recent: readonly Delivery[]): void {
    const changed = this.#setRecent(JSON.stringify(recent), key ?? ALL_BOARDS, id).changes;
    if (changed > 0) this.#journal.note({ op: 'webhook.recent', key: key ?? ALL_BOARDS, id, recent });
  }

  /** Of boards, also of those that are gone: their deletion may have to be delivered. */
  running(): FeedName[] {
    return this.#ofBoards.all();
  }

  /** Of boards. Asked every few seconds, so the table is read only if it may have changed. */
  countPaused(): number {
    return (this.#paused ??= this.#countPaused.get() ?? 0);
  }

  /** Boards with events that a webhook over all boards has not delivered, after this key. */
  changedBoards({ id, starts_at }: Webhook, after: BoardKey, limit: number): Array<{ readonly key: BoardKey; readonly board_id: Uuid }> {
    return this.#changedBoards.all({ webhook: id, startsAt: starts_at, after, limit });
  }

  /** Where a webhook over all boards begins with a board: before the first event since then. `seq`: of the board. */
  startOn(key: BoardKey, { starts_at }: Webhook, { epoch, seq }: Position): Position {
    const first = this.#firstSince.get(key, starts_at) ?? null;
    return { epoch, seq: first === null ? seq : first - 1 };
  }

  /** Whether events of a removed board are still to be delivered. */
  isHeld(key: BoardKey): boolean {
    return this.#openFeed.get(key) !== undefined;
  }

  /** Before the board is removed. Returns whether its last event is to be delivered, and so must be kept. */
  boardIsLeaving(key: BoardKey, boardId: Uuid, before: Position): boolean {
    const running = [...this.list(key), ...this.list(null)].filter(isRunning);
    for (const webhook of running) {
      if (this.feed(key, webhook.id) !== null) continue;
      const start = this.startOn(key, webhook, before);
      const { generation, id: webhook_id } = webhook;
      this.putFeed(key, { ...start, webhook_id, board_id: boardId, generation, attempt: 0, failing_since: null, next_at: null });
    }
    return running.length > 0;
  }

  /** The last rows of a removed board go. */
  forgetBoard(key: BoardKey): void {
    this.#paused = null;
    const removed = this.#forgetWebhooks(key).changes + this.#forgetFeeds(key).changes;
    if (removed > 0) this.#journal.note({ op: 'webhook.forget', key });
  }

  /** Repeats a write of the owner's commit. */
  execute(write: WebhookWrite): void {
    switch (write.op) {
      case 'webhook.put':
        return this.put(write.webhook);
      case 'webhook.remove':
        return this.remove(write.key, write.id);
      case 'webhook.feed':
        return this.putFeed(write.key, write.feed);
      case 'webhook.unfeed':
        return this.removeFeed(write.key, write.id);
      case 'webhook.restart':
        return this.removeFeedsOf(write.id);
      case 'webhook.recent':
        return this.setRecent(write.key, write.id, write.recent);
      case 'webhook.forget':
        return this.forgetBoard(write.key);
    }
  }
}

function keyOf({ id, board_id }: Webhook): BoardKey {
  return board_id === null ? ALL_BOARDS : boardKeyOf(id);
}

/** Columns that are not given keep their values. */
function upsert(table: string, columns: readonly string[], key: string): string {
  const assignments = columns.map((name) => `${name} = excluded.${name}`).join(', ');
  return `INSERT INTO ${table} (board_key, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})
    ON CONFLICT (board_key, ${key}) DO UPDATE SET ${assignments}`;
}
