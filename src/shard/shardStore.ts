/** What a shard needs from the disk. */
import type { BoardEvent } from '../domain/events.js';
import type { AnswerToKeep, KeptAnswer } from '../domain/idempotency.js';
import type { BoardKey, Uuid } from '../domain/ids.js';
import type { Change } from '../domain/model.js';
import type { LoadedBoard } from '../domain/board/board.js';
import type { Position } from '../domain/position.js';
import type { Removal } from '../domain/board/removals.js';

/**
 * Writes are made between `begin` and `commitTogether`; if one of these or a write throws or fails, `rollback` must
 * follow. Reads are allowed at any time. Until a commit is settled they see what it wrote, although it may still fail.
 */
export interface ShardStore {
  /** Null if there is no such board. */
  loadBoard(key: BoardKey): LoadedBoard | null;
  /** The same, pausing after every slice. The board must not be written before it ends. */
  readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** The same without the kinds that make a board large. */
  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** Null if there is no such board. */
  idOf(key: BoardKey): Uuid | null;
  hasMember(key: BoardKey, user: Uuid): boolean;

  /** The number of a board's latest event; null if there is no such board. */
  positionOf(key: BoardKey): Position | null;

  begin(): void;
  /**
   * Calls `settled` with null when the writes are stored for good, otherwise with the error, now or later. Never throws.
   * Until then nothing can be written. After any error but `Deposed` nothing was stored. If there were no writes, the
   * same as `confirm`: the batch may have read.
   */
  commitTogether(settled: (error: unknown) => void): void;
  /**
   * For a batch that only read: calls `settled` with null when what it read is known to be current, otherwise with the
   * error, now or later. Never throws.
   */
  confirm(settled: (error: unknown) => void): void;
  rollback(): void;

  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string): void;
  /** Rows of a board that is still being imported, or changes of an unfinished removal. */
  writeRows(key: BoardKey, changes: readonly Change[], now: string): void;
  /** Keys whose rows belong to no board: unfinished imports and deleted boards. */
  readonly orphans: {
    add(key: BoardKey, now: string): void;
    remove(key: BoardKey): void;
    has(key: BoardKey): boolean;
    sweep(isImported: (key: BoardKey) => boolean, now: string): void;
    isSwept(isImported: (key: BoardKey) => boolean): boolean;
  };
  readonly removals: {
    /** The last row of an unfinished removal was written. */
    finish(key: BoardKey, removal: Removal): void;
  };
  readonly events: {
    since(key: BoardKey, seq: number, limit: number, maxCharacters?: number): BoardEvent[];
    oldestSeq(key: BoardKey): number | null;
    prune(key: BoardKey, keepFromSeq: number): void;
    pruneToBytes(key: BoardKey, bytes: number): void;
    pruneOlderThan(at: string, limit: number): number;
    /** Deletes the oldest events up to this number, at most `limit`. Returns whether others are left. */
    forget(key: BoardKey, upTo: number, limit: number): boolean;
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
  };
  /** Ids of removed records. */
  readonly usedIds: {
    has(key: BoardKey, id: Uuid): boolean;
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
  /** Writes a page without changing data. Throws if nothing can be stored. */
  probe(): void;
  close(): void;
}
