/**
 * A shard's store whose disk fails on demand, whose commits can be held until the test settles them, and which counts
 * its calls. Everything else is real.
 */
import type { OwnMinutes } from '../../../src/domain/board/timers/reminders.js';
import type { LoadedBoard } from '../../../src/domain/board/board.js';
import type { Activity } from '../../../src/domain/board/activity/facts.js';
import type { BoardOnDisk } from '../../../src/domain/board/board.js';
import type { BoardEvent } from '../../../src/domain/events.js';
import type { BoardKey, Uuid } from '../../../src/domain/ids.js';
import type { Position } from '../../../src/domain/position.js';
import type { Card, Change, Member, Watch } from '../../../src/domain/model.js';
import type { Shard } from '../../../src/store/shard/shard.js';
import type { ShardStore } from '../../../src/shard/shardStore.js';

/** `readSlice` is every slice of a `readBoard` after the first. */
export type Step = 'loadBoard' | 'readBoard' | 'readSlice' | 'begin' | 'write' | 'commit';

export interface Fault {
  readonly at: Step;
  readonly error: Error;
  /** How often it fails. Default: always. */
  readonly times?: number;
  /** Fails only for this board. */
  readonly board?: BoardKey;
  /** Fails only if this returns true for the writes of the open transaction so far. */
  readonly when?: (written: readonly Change[]) => boolean;
}

/** A commit, or the confirmation of a read, that the test settles. */
export interface Pending {
  readonly kind: 'commit' | 'confirm';
  /** As the real store does. */
  settle(): void;
  /** Nothing is stored. */
  fail(error: Error): void;
}

/** For tests that make commits of their own. */
type RealStore = ShardStore & Pick<Shard, 'commit'>;

interface Planted extends Fault {
  left: number;
}

export class FaultyStore implements ShardStore {
  readonly events: ShardStore['events'];
  readonly activity: ShardStore['activity'];
  readonly outbox: ShardStore['outbox'];
  readonly content: ShardStore['content'];
  readonly answers: ShardStore['answers'];
  readonly usedIds: ShardStore['usedIds'];
  readonly orphans: ShardStore['orphans'];
  readonly removals: ShardStore['removals'];
  readonly trashedBoards: ShardStore['trashedBoards'];
  readonly webhooks: ShardStore['webhooks'];
  readonly timers: ShardStore['timers'];
  readonly #store: RealStore;
  readonly #pending: Pending[] = [];
  #isHolding = false;
  readonly #calls = new Map<Step, number>();
  #faults: Planted[] = [];
  #written: Change[] = [];

  constructor(store: RealStore) {
    this.#store = store;
    this.events = store.events;
    this.activity = store.activity;
    this.usedIds = store.usedIds;
    this.outbox = store.outbox;
    this.content = store.content;
    this.answers = store.answers;
    this.orphans = store.orphans;
    this.removals = store.removals;
    this.trashedBoards = store.trashedBoards;
    this.webhooks = store.webhooks;
    this.timers = store.timers;
  }

  plant(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? Infinity });
  }

  repair(): void {
    this.#faults = [];
  }

  /** From now on commits and confirmations wait for the test. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Later ones settle by themselves again. */
  letGo(): void {
    this.#isHolding = false;
    for (const pending of this.#pending.splice(0)) pending.settle();
  }

  /** Those that wait: one at most, or the partition is at fault. */
  get waiting(): readonly Pending['kind'][] {
    return this.#pending.map(({ kind }) => kind);
  }

  /** The one that waits. */
  takePending(): Pending {
    const pending = this.#pending.shift();
    if (pending === undefined || this.#pending.length > 0) throw new Error('not exactly one commit is under way');
    return pending;
  }

  /** How often a step was tried since the last call. */
  countOf(step: Step): number {
    const count = this.#calls.get(step) ?? 0;
    this.#calls.delete(step);
    return count;
  }

  expireVersions(before: string, now: string, limit: number): void {
    this.#store.expireVersions(before, now, limit);
  }

  expireMoves(before: string, now: string, limit: number): void {
    this.#store.expireMoves(before, now, limit);
  }

  pruneVersions(key: BoardKey, bytes: number, now: string): void {
    this.#store.pruneVersions(key, bytes, now);
  }

  expireTrash(before: string, now: string, limit: number): void {
    this.#store.expireTrash(before, now, limit);
  }

  writeRows(key: BoardKey, changes: readonly Change[], now: string): void {
    this.#meet('write', key);
    this.#store.writeRows(key, changes, now);
  }

  loadBoard(key: BoardKey): LoadedBoard | null {
    this.#meet('loadBoard', key);
    return this.#store.loadBoard(key);
  }

  readTrashed(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#store.readTrashed(key);
  }

  trashBoard(key: BoardKey, boardId: Uuid, events: readonly BoardEvent[], seq: number, now: string): void {
    this.#store.trashBoard(key, boardId, events, seq, now);
    this.#meet('write', key);
  }

  *readBoard(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    this.#meet('readBoard', key);
    const reading = this.#store.readBoard(key);
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done) return step.value;
      yield undefined;
      this.#meet('readSlice', key);
    }
  }

  readAssigned(key: BoardKey, user: Uuid): Generator<undefined, LoadedBoard | null> {
    return this.#store.readAssigned(key, user);
  }

  readSummary(key: BoardKey): Generator<undefined, LoadedBoard | null> {
    return this.#store.readSummary(key);
  }

  onDiskOf(key: BoardKey): BoardOnDisk {
    return this.#store.onDiskOf(key);
  }

  idOf(key: BoardKey): Uuid | null {
    return this.#store.idOf(key);
  }

  memberOf(key: BoardKey, user: Uuid): Member | null {
    return this.#store.memberOf(key, user);
  }

  ownMinutesOf(key: BoardKey): OwnMinutes {
    return this.#store.ownMinutesOf(key);
  }

  cardOf(key: BoardKey, id: Uuid): Card | null {
    return this.#store.cardOf(key, id);
  }

  watchesOf(key: BoardKey, targets: readonly Uuid[]): Watch[] {
    return this.#store.watchesOf(key, targets);
  }

  titleOf(key: BoardKey): string | null {
    return this.#store.titleOf(key);
  }

  positionOf(key: BoardKey): Position | null {
    return this.#store.positionOf(key);
  }

  begin(): void {
    this.#written = [];
    this.#meet('begin');
    this.#store.begin();
  }

  /** A commit that fails has stored nothing. */
  commit(): void {
    this.#meet('commit');
    this.#store.commit();
  }

  commitTogether(settled: (error: unknown) => void): void {
    try {
      this.#meet('commit');
    } catch (error) {
      return settled(error);
    }
    this.#settle('commit', settled, () => this.#store.commitTogether(settled));
  }

  confirm(settled: (error: unknown) => void): void {
    this.#settle('confirm', settled, () => this.#store.confirm(settled));
  }

  rollback(): void {
    this.#store.rollback();
  }

  /** A write that fails has been half done. */
  write(key: BoardKey, changes: readonly Change[], events: readonly BoardEvent[], seq: number, now: string, activity?: Activity | null): void {
    this.#written.push(...changes);
    this.#store.write(key, changes, events, seq, now, activity);
    this.#meet('write', key);
  }

  probe(): void {
    this.#meet('begin');
    this.#meet('commit');
    this.#store.probe();
  }

  close(): void {
    this.#store.close();
  }

  #settle(kind: Pending['kind'], settled: (error: unknown) => void, settle: () => void): void {
    if (!this.#isHolding) return settle();
    this.#pending.push({ kind, settle, fail: settled });
  }

  #meet(step: Step, key?: BoardKey): void {
    this.#calls.set(step, (this.#calls.get(step) ?? 0) + 1);
    const fault = this.#faults.find(
      ({ at, left, board, when }) => at === step && left > 0 && (board ?? key) === key && (when?.(this.#written) ?? true),
    );
    if (fault === undefined) return;
    fault.left -= 1;
    throw fault.error;
  }
}
