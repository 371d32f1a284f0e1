/** What a shard needs from the disk. */
import type { BoardEvent } from '../domain/events.js';
import type { AnswerToKeep, KeptAnswer, KeyedCreate } from '../domain/idempotency.js';
import type { BoardKey, Uuid } from '../domain/ids.js';
import type { Card, Change, Member, Watch } from '../domain/model.js';
import type { LoadedBoard } from '../domain/board/board.js';
import type { Activity } from '../domain/board/activity/facts.js';
import type { BoardOnDisk } from '../domain/board/board.js';
import type { Dated, OwnMinutes } from '../domain/board/timers/reminders.js';
import type { Timer, TimerChange } from '../domain/board/timers/timers.js';
import type { Position } from '../domain/position.js';
import type { Removal } from '../domain/board/removals.js';
import type { Batch, Job, Jobs, PartitionStore } from '../partitions/runtime/commits.js';
import type { Delivery, Webhook, WebhookFeed } from '../domain/webhook/webhook.js';
import type { FeedName } from '../domain/webhook/webhookCommands.js';

/** Reads are allowed at any time. Until a commit is settled they see what it wrote, although it may still fail. */
export interface ShardStore extends PartitionStore {
  /** Null if there is no such board. */
  loadBoard(key: BoardKey): LoadedBoard | null;
  /** The same, pausing after every slice. The board must not be written before it ends. */
  readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** The same of a board in the trash. */
  readTrashed(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** The same without the kinds that make a board large. */
  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** The same with the columns, and the cards on which this user has work left. */
  readAssigned(key: BoardKey, user: Uuid): Generator<undefined, LoadedBoard | null>;
  onDiskOf(key: BoardKey): BoardOnDisk;
  /** Null if there is no such board. */
  idOf(key: BoardKey): Uuid | null;
  memberOf(key: BoardKey, user: Uuid): Member | null;
  cardOf(key: BoardKey, id: Uuid): Card | null;
  /** Also of a board that is not in memory. */
  ownMinutesOf(key: BoardKey): OwnMinutes;
  /** What users chose about these boards, columns and cards. */
  watchesOf(key: BoardKey, targets: readonly Uuid[]): Watch[];
  /** Null if there is no such board. */
  titleOf(key: BoardKey): string | null;

  /** The number of a board's latest event; null if there is no such board. */
  positionOf(key: BoardKey): Position | null;

  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string, activity?: Activity | null): void;
  /** Moves the board to the trash, with its last events. */
  trashBoard(key: BoardKey, boardId: Uuid, events: readonly BoardEvent[], seq: number, now: string): void;
  /** Rows of a board that is still being imported, or changes of an unfinished removal. */
  writeRows(key: BoardKey, changes: readonly Change[], now: string): void;
  /** Removes some rows of the trash that were deleted before this time. */
  expireTrash(before: string, now: string, limit: number): void;
  /** Removes some versions of texts that were replaced before this time. */
  expireVersions(before: string, now: string, limit: number): void;
  /** Forgets some cards that moved to other boards before this time. */
  expireMoves(before: string, now: string, limit: number): void;
  /** Removes some of the oldest versions of a board with more bytes than these. */
  pruneVersions(key: BoardKey, bytes: number, now: string): void;
  /** Keys whose rows belong to no board: unfinished imports and deleted boards. */
  readonly orphans: {
    add(key: BoardKey, now: string): void;
    remove(key: BoardKey): void;
    has(key: BoardKey): boolean;
    sweep(isImported: (key: BoardKey) => boolean, now: string): void;
    isSwept(isImported: (key: BoardKey) => boolean): boolean;
  };
  /** Deleted boards that can be restored: for every other reader they are gone. */
  readonly trashedBoards: {
    keep(key: BoardKey, at: string): void;
    restore(key: BoardKey): void;
    discard(key: BoardKey): void;
    /** Null if the board is not in the trash. */
    deletedAt(key: BoardKey): string | null;
    /** Some that were deleted before this time. */
    expired(before: string, limit: number): ReadonlyArray<{ readonly key: BoardKey; readonly id: Uuid }>;
  };
  readonly removals: {
    /** The last row of an unfinished removal was written. */
    finish(key: BoardKey, removal: Removal): void;
  };
  readonly events: {
    since(key: BoardKey, seq: number, limit: number, maxCharacters?: number): BoardEvent[];
    oldestSeq(key: BoardKey): number | null;
    /** Null if none is kept. */
    latestSeq(key: BoardKey): number | null;
    prune(key: BoardKey, keepFromSeq: number): void;
    pruneToBytes(key: BoardKey, bytes: number): void;
    pruneOlderThan(at: string, limit: number): number;
    /** Deletes the oldest events up to this number, at most `limit`. Returns whether others are left. */
    forget(key: BoardKey, upTo: number, limit: number): boolean;
  };
  readonly activity: {
    pruneToBytes(key: BoardKey, bytes: number, limit: number): void;
    pruneOlderThan(at: string, limit: number): void;
  };
  readonly outbox: {
    add(key: BoardKey, payload: string): number;
    list(afterId: number, limit: number): ReadonlyArray<{ readonly id: number; readonly payload: string }>;
    remove(id: number): void;
  };
  /** The first answers to requests with a key. */
  readonly answers: {
    find(scope: string, key: string, now: string): KeptAnswer | null;
    keep(answer: AnswerToKeep, at: string): void;
    removeOlderThan(at: string, limit: number): number;
    removeSaying(scope: string, part: string): void;
  };
  /** The key is null for webhooks over all boards. */
  readonly webhooks: {
    list(key: BoardKey | null): Webhook[];
    find(key: BoardKey | null, id: Uuid): Webhook | null;
    put(webhook: Webhook): void;
    remove(key: BoardKey | null, id: Uuid): void;
    feed(key: BoardKey, webhookId: Uuid): WebhookFeed | null;
    putFeed(key: BoardKey, feed: WebhookFeed): void;
    removeFeed(key: BoardKey, webhookId: Uuid): void;
    removeFeedsOf(id: Uuid): void;
    recent(key: BoardKey | null, id: Uuid): Delivery[];
    setRecent(key: BoardKey | null, id: Uuid, recent: readonly Delivery[]): void;
    running(): FeedName[];
    /** Of boards. */
    countPaused(): number;
    changedBoards(webhook: Webhook, after: BoardKey, limit: number): ReadonlyArray<{ readonly key: BoardKey; readonly board_id: Uuid }>;
    startOn(key: BoardKey, webhook: Webhook, position: Position): Position;
  };
  readonly timers: {
    change(key: BoardKey, changes: readonly TimerChange[]): void;
    set(timers: readonly Timer[]): void;
    clear(timers: ReadonlyArray<Omit<Timer, 'due'>>): void;
    next(limit: number): Timer[];
    nextReplan(): Timer | null;
    /** `pending`: when the reminder of the card is due. */
    cardsAfter(
      key: BoardKey,
      id: Uuid,
      limit: number,
    ): ReadonlyArray<Pick<Timer, 'board_key'> & Dated & { readonly id: Uuid; readonly pending: number | null }>;
  };
  /** Ids of removed records. */
  readonly usedIds: {
    has(key: BoardKey, id: Uuid): boolean;
    /** What requests with a key made. */
    addCreates(key: BoardKey, creates: readonly KeyedCreate[]): void;
    findCreate(key: BoardKey, id: Uuid): KeyedCreate | null;
  };
  readonly content: {
    /** False if the id is in use, by an attachment or by content that is still to be deleted. */
    startUpload(id: Uuid, now: string): boolean;
    /** Whether the upload exists and lacks the chunk before this one. */
    lacksChunkBefore(id: Uuid, n: number): boolean;
    appendChunk(id: Uuid, n: number, bytes: Uint8Array): boolean;
    dropUpload(id: Uuid): void;
    /** Uploads whose sender is gone. */
    dropUploadsBefore(time: string): number;
    read(id: Uuid, from: number, to: number): Uint8Array[];
  };
}

export type ShardBatch = Batch<ShardStore>;
export type ShardJob = Job<ShardStore>;
export type ShardJobs = Pick<Jobs<ShardStore>, 'add'>;
