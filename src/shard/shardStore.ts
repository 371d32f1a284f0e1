/** What a shard's actors need of the disk. */
import type { BoardEvent } from '../domain/events.js';
import type { BoardKey, Uuid } from '../domain/ids.js';
import type { Change } from '../domain/model.js';
import type { LoadedBoard } from '../domain/board/board.js';
import type { Removal } from '../domain/board/removals.js';

/**
 * Reads may come at any time. Everything that changes something comes between `begin` and `commit`; when one of these
 * or anything between them throws, `rollback` follows and nothing of it was.
 */
export interface ShardStore {
  /** Null when there is no such board. */
  loadBoard(key: BoardKey): LoadedBoard | null;
  /** The same, pausing after every slice of it. Nobody may write to that board before it ends. */
  readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** The same without what makes a board large. */
  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null>;
  /** Null when there is no such board. */
  idOf(key: BoardKey): Uuid | null;
  hasMember(key: BoardKey, user: Uuid): boolean;

  /** The number of a board's latest event; null when there is no such board. */
  seqOf(key: BoardKey): number | null;

  begin(): void;
  commit(): void;
  rollback(): void;

  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string): void;
  /** Rows of a board that is still being imported, or from which the rest of a removal goes. */
  writeRows(key: BoardKey, changes: readonly Change[], now: string): void;
  /** Boards whose rows are no board's: imports that are not complete, and what is left of deleted boards. */
  readonly loose: {
    add(key: BoardKey, now: string): void;
    adopt(key: BoardKey): void;
    has(key: BoardKey): boolean;
    sweep(isImported: (key: BoardKey) => boolean, now: string): void;
    isSwept(isImported: (key: BoardKey) => boolean): boolean;
  };
  readonly removals: {
    /** The last of an unfinished removal was written. */
    finish(key: BoardKey, removal: Removal): void;
  };
  readonly events: {
    since(key: BoardKey, seq: number, limit: number, maxCharacters?: number): BoardEvent[];
    oldestSeq(key: BoardKey): number | null;
    prune(key: BoardKey, keepFromSeq: number): void;
    pruneToBytes(key: BoardKey, bytes: number): void;
    pruneOlderThan(at: string, limit: number): number;
  };
  readonly outbox: {
    add(key: BoardKey, payload: string): number;
    list(afterId: number, limit: number): ReadonlyArray<{ readonly id: number; readonly payload: string }>;
    remove(ids: readonly number[]): void;
  };
  readonly content: {
    startUpload(id: Uuid, now: string): void;
    /** Whether the upload exists and lacks the chunk before this one. */
    lacksChunkBefore(id: Uuid, n: number): boolean;
    appendChunk(id: Uuid, n: number, bytes: Uint8Array): boolean;
    dropUpload(id: Uuid): void;
    /** Uploads whose sender vanished without a word. */
    dropUploadsBefore(time: string): number;
    read(id: Uuid, from: number, to: number): Uint8Array[];
  };
  /** Writes something and changes nothing. Throws when nothing can be stored. */
  probe(): void;
  close(): void;
}
