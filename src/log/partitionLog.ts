/**
 * One partition's copy and its log. The copy follows the log until this instance claims the partition; then it appends
 * its own commits, each at an expected place. A record of another process at that place ends the ownership.
 */
import { Deposed } from '../domain/errors.js';
import { hasLeaseEnded, leaseOf } from '../domain/readLease.js';
import { appendExactly, type Appended } from './exactAppend.js';
import { Lease } from './lease.js';
import type { LogStream, StoredRecord } from './logStream.js';
import type { CopyFile, LeasedClaim, LogPosition, OwnedLog } from '../domain/ports/partitionLog.js';
import { BrokenLog, PurgedLog, RecordReader } from './recordReader.js';
import { encodeRecord, piecesOf, type RecordKind } from './records.js';

export interface PartitionLogOptions {
  readonly stream: LogStream;
  readonly file: CopyFile;
  /** The incarnation of this instance. */
  readonly instance: string;
  /** The id of its data folder. */
  readonly folder: string;
  /** Of this instance. A successor waits for the owner's. */
  readonly leaseMs: number;
  /** The newest schema of the file that this program knows. */
  readonly schema: number;
  /** Monotonic, in milliseconds, and the same in all threads. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** The lease ends then; 0 when this instance does not own the partition. */
  readonly onLease?: (endsAt: number) => void;
  /** The position or the state has changed. */
  readonly onChange?: () => void;
  /** Another instance owns the partition now. Not called when an append says so. */
  readonly onDeposed?: () => void;
  readonly onHalted?: (reason: Error) => void;
  readonly onError: (error: unknown) => void;
  readonly count?: (what: LogCounter) => void;
  /** Gets the time that the log took for a record. */
  readonly onAppended?: (milliseconds: number) => void;
}

export type LogCounter = 'claimed' | 'fenced' | 'resolved by reading' | 'unknown';

export type LogState = 'following' | 'claiming' | 'owning' | 'halted' | 'stopped';

/** Records that are applied in one transaction, so that other partitions of the thread do not wait long. */
const APPLY_RECORDS = 64;
const APPLY_BYTES = 2 * 1024 * 1024;
/** Records without a commit after which the position is stored all the same: a restart reads them again. */
const STORE_POSITION_AFTER = 256;
/** Records that are kept while others are read or appended; each has at most half a mebibyte. */
const MAX_HEARD = 64;
const RETRY_READ_MS = 250;
/** How long the log must be behind a copy. A server that lags may say so for a while. */
const BEHIND_MS = 10_000;
const NO_CONTENT = new Uint8Array();

export class PartitionLog implements OwnedLog {
  readonly #options: PartitionLogOptions;
  readonly #reader: RecordReader;
  readonly #lease: Lease;
  readonly #now: () => number;
  #state: LogState = 'following';
  #seenAt: number;
  /** Records that were heard of and not read yet. */
  #heard: StoredRecord[] = [];
  #isReadScheduled = false;
  /** Reads what was not heard, until nothing more is there. */
  #reading: Promise<void> | null = null;
  #mustReadAgain = false;
  #unstored = 0;
  #isAppending = false;
  /** The appends of an owner, one after another. */
  #tail: Promise<unknown> = Promise.resolve();
  #listening: { stop(): void } | null = null;
  #behindSince: number | null = null;
  #haltReason: Error | null = null;
  /** What the file of a halted copy has. */
  #haltedAt: LogPosition | null = null;

  constructor(options: PartitionLogOptions) {
    this.#options = options;
    this.#now = options.now;
    this.#reader = new RecordReader(options.file.position, options.schema);
    this.#lease = new Lease(options.onLease);
    this.#seenAt = options.now();
  }

  get state(): LogState {
    return this.#state;
  }

  get position(): LogPosition {
    return this.#reader.position;
  }

  /** What operators see: of a halted copy the position in its file, which is what `cluster reseed` begins with. */
  get reported(): LogPosition {
    return this.#haltedAt ?? this.position;
  }

  /** Over the latest records, by the number of the record. */
  get chains(): ReadonlyMap<number, string> {
    return this.#reader.chains;
  }

  get haltReason(): Error | null {
    return this.#haltReason;
  }

  /** When the last record was seen. */
  get seenAt(): number {
    return this.#seenAt;
  }

  /** Resolves when the copy has what the log had at the start, or has halted. */
  async start(): Promise<void> {
    this.#listening = this.#options.stream.listen((record) => this.#hear(record));
    while (this.#state === 'following') {
      try {
        const { first, last } = await this.#options.stream.bounds();
        if (first > this.position.applied + 1) throw new PurgedLog(first, this.position.applied);
        await this.#readOn();
        if (this.position.applied >= last) return;
      } catch (error) {
        if (error instanceof BrokenLog) return this.halt(error);
        this.#options.onError(error);
      }
      await this.#options.pause(RETRY_READ_MS);
    }
  }

  /** Another copy has this many records: those beyond ours are in the log. */
  noteRecords(applied: number): void {
    if (applied > this.position.applied && !this.#isAppending) void this.#readOn();
  }

  /** The connection to the log is back: records may have been missed. */
  noteReconnection(): void {
    void this.#readOn();
  }

  /**
   * Takes the partition, if the last known owner is of this term and its lease has ended. False if it does not get it.
   * A process that holds the locks of the owner's folder knows that the owner is dead.
   */
  async claim({ term, schema, leaseMs }: LeasedClaim): Promise<boolean> {
    await this.#reading;
    const { position } = this;
    if (this.#state !== 'following' || this.#reading !== null || this.#isAppending || position.term !== term) return false;
    const { owner } = position;
    const { folder, leaseMs: ownLeaseMs } = this.#options;
    const isFree = owner === null || owner.folder === folder;
    if (!isFree && !hasLeaseEnded(leaseOf(owner, ownLeaseMs), this.#seenAt, this.#now())) return false;
    if (!(await this.#endsAsLog(position)) || this.#state !== 'following' || this.#reading !== null || this.position !== position) return false;
    this.#setState('claiming');
    const appended = await this.#append({ type: 'own', folder, schema, leaseMs }, NO_CONTENT, term + 1);
    if (!this.#is('claiming')) return false;
    this.#setState(appended === 'stored' ? 'owning' : 'following');
    if (appended === 'stored') this.#options.count?.('claimed');
    this.#scheduleRead();
    if (appended !== 'stored') void this.#readOn();
    return appended === 'stored';
  }

  append(content: Uint8Array, settled: (error: Deposed | null) => void): void {
    this.#enqueue(async () => {
      const pieces = piecesOf(content);
      for (const [index, piece] of pieces.entries()) {
        const isLast = index === pieces.length - 1;
        const kind: RecordKind = isLast ? { type: 'commit', pieces: pieces.length } : { type: 'piece', piece: index + 1 };
        const error = await this.#appendOwned(kind, piece);
        if (error !== null || isLast) return this.#settle(settled, error);
      }
    });
  }

  confirm(settled: (error: Deposed | null) => void): void {
    const now = this.#now();
    if (this.#state === 'owning' && this.#lease.holds(now)) {
      if (this.#lease.isShort(now) && !this.#isAppending) this.#renew();
      return settled(null);
    }
    this.#enqueue(async () => this.#settle(settled, await this.#appendOwned({ type: 'commit', pieces: 1 }, NO_CONTENT)));
  }

  /** Gives the partition up: a successor need not wait. The caller has stopped to write. */
  async release(): Promise<void> {
    this.#enqueue(async () => {
      if (!this.#is('owning')) return;
      this.#lease.end();
      // Before the append: without servers that takes longer than a stopping process waits.
      this.#storeOrReport();
      await this.#append({ type: 'release' }, NO_CONTENT, this.position.term);
      if (this.#is('owning')) this.#setState('following');
      void this.#readOn();
    });
    await this.#tail;
  }

  /** Stores the position, which is otherwise stored with commits. Waits for the owner's open transaction. */
  async storePosition(): Promise<void> {
    do await this.#tail;
    while (this.#isAppending && !this.#isOver());
    if (!this.#isOver()) this.#storePosition();
  }

  /** The copy is not what the log says, or cannot be written. It stays as it is until an operator looks. */
  halt(reason: Error): void {
    if (this.#state === 'halted' || this.#state === 'stopped') return;
    // If the log is at fault the file has everything up to here. A commit under way would be lost with the position.
    if (reason instanceof BrokenLog && !this.#isAppending) this.#storeOrReport();
    this.#haltedAt = this.#fileOrReport();
    this.#haltReason = reason;
    this.#lease.end();
    this.#setState('halted');
    this.#listening?.stop();
    this.#options.onHalted?.(reason);
  }

  /** The file is closed next. */
  async stop(): Promise<void> {
    await this.release();
    this.#listening?.stop();
    if (this.#state !== 'halted') {
      this.#setState('stopped');
      this.#storePosition();
    }
  }

  #storeOrReport(): void {
    try {
      this.#storePosition();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Null if the file cannot be read. */
  #fileOrReport(): LogPosition | null {
    try {
      return this.#options.file.position;
    } catch (error) {
      this.#options.onError(error);
      return null;
    }
  }

  #storePosition(): void {
    const { storable } = this.#reader;
    if (storable.applied <= this.#options.file.position.applied) return;
    this.#options.file.apply([], storable);
    this.#unstored = 0;
  }

  #renew(): void {
    this.#enqueue(async () => {
      if ((await this.#appendOwned({ type: 'commit', pieces: 1 }, NO_CONTENT)) !== null) this.#options.onDeposed?.();
    });
  }

  #enqueue(work: () => Promise<void>): void {
    this.#isAppending = true;
    const run = this.#tail.then(work).catch((error: unknown) => this.#options.onError(error));
    this.#tail = run.finally(() => {
      if (this.#tail !== last) return;
      this.#isAppending = false;
      this.#scheduleRead();
    });
    const last = this.#tail;
  }

  async #appendOwned(kind: RecordKind, content: Uint8Array): Promise<Deposed | null> {
    if (!this.#is('owning')) return new Deposed('no');
    const appended = await this.#append(kind, content, this.position.term);
    if (appended === 'stored') return this.#is('owning') ? null : new Deposed('unknown');
    this.#options.count?.(appended);
    if (this.#is('owning')) this.#stepDown();
    void this.#readOn();
    return new Deposed(appended === 'fenced' ? 'no' : 'unknown');
  }

  async #append(kind: RecordKind, content: Uint8Array, term: number): Promise<Appended> {
    const { stream, instance, now, pause, count } = this.#options;
    const { applied, chain } = this.position;
    const body = encodeRecord({ by: instance, term, after: chain, kind, content });
    const sentAt = now();
    const onResolved = (): void => count?.('resolved by reading');
    const appended = await appendExactly({ stream, now, pause, onResolved }, body, applied);
    this.#options.onAppended?.(now() - sentAt);
    if (appended === 'stored' && this.position.applied === applied) {
      this.#reader.take(applied + 1, body);
      this.#seenAt = now();
      this.#unstored += 1;
      // A record without an owner, such as a release, grants nothing.
      if (this.position.owner !== null) this.#lease.renew(sentAt, this.position.owner.leaseMs ?? 0);
      this.#options.onChange?.();
    }
    return appended;
  }

  /** A fault of the caller must not end the log. */
  #settle(settled: (error: Deposed | null) => void, error: Deposed | null): void {
    try {
      if (error === null) this.#unstored = 0;
      settled(error);
    } catch (fault) {
      this.#options.onError(fault);
    }
  }

  #stepDown(): void {
    this.#lease.end();
    this.#setState('following');
  }

  #setState(state: LogState): void {
    this.#state = state;
    if (state !== 'owning') this.#lease.end();
    this.#options.onChange?.();
  }

  /** A method, because the state changes during an await and TypeScript would narrow the field. */
  #is(state: LogState): boolean {
    return this.#state === state;
  }

  #hear(record: StoredRecord): void {
    // Those that are not kept are read later: heartbeats say that they exist.
    if (this.#isOver() || this.#heard.length >= MAX_HEARD) return;
    this.#heard.push(record);
    this.#scheduleRead();
  }

  #scheduleRead(): void {
    if (this.#isReadScheduled || this.#heard.length === 0) return;
    this.#isReadScheduled = true;
    setImmediate(() => {
      this.#isReadScheduled = false;
      this.#readHeard();
    });
  }

  /** While an append is under way its record is on its way back: everything waits for the answer. */
  #readHeard(): void {
    if (this.#isAppending || this.#reading !== null || this.#state === 'claiming') return;
    const heard = this.#heard.sort((a, b) => a.seq - b.seq);
    this.#heard = [];
    this.#guarded(() => {
      const { applied } = this.position;
      const other = heard.find(({ seq, body }) => seq <= applied && this.#reader.differs(seq, body));
      if (other !== undefined) void this.#verify(other.seq);
      const fresh = heard.filter(({ seq }) => seq > applied);
      if (fresh.length === 0) return;
      this.#leaveToSuccessor();
      if (fresh[0]?.seq === applied + 1 && !fresh.some(isContradicted)) this.#apply(fresh);
      if ((fresh.at(-1)?.seq ?? 0) > this.position.applied) void this.#readOn();
    });
  }

  /** Another record was heard than the copy has. It may never have been stored: the log itself decides. */
  async #verify(seq: number): Promise<void> {
    try {
      await this.#tail;
      const record = await this.#options.stream.read(seq);
      if (record !== null && !this.#isOver()) this.#reader.compare(seq, record.body);
    } catch (error) {
      if (error instanceof BrokenLog) this.halt(error);
      else this.#options.onError(error);
    }
  }

  /** Whether the last record of the copy is in the log: one that was only heard must not become the history of all. */
  async #endsAsLog({ applied }: LogPosition): Promise<boolean> {
    const { stream } = this.#options;
    try {
      const record = applied === 0 ? null : await stream.read(applied);
      if (record === null) return applied === 0 || (await stream.bounds()).first > applied;
      this.#reader.compare(applied, record.body);
      return true;
    } catch (error) {
      if (error instanceof BrokenLog) this.halt(error);
      else this.#options.onError(error);
      return false;
    }
  }

  /** A record that this owner did not write. */
  #leaveToSuccessor(): void {
    if (!this.#is('owning')) return;
    this.#stepDown();
    this.#options.onDeposed?.();
  }

  /** Records in order. Stops at a gap. */
  #apply(records: readonly StoredRecord[]): void {
    let commits: Uint8Array[] = [];
    let bytes = 0;
    let failure: unknown = null;
    const store = (): void => {
      if (commits.length === 0 && this.#unstored < STORE_POSITION_AFTER) return;
      this.#options.file.apply(commits, this.#reader.storable);
      commits = [];
      bytes = 0;
      this.#unstored = 0;
    };
    for (const { seq, body } of records) {
      if (seq > this.position.applied + 1) break;
      try {
        if (seq <= this.position.applied) {
          this.#reader.compare(seq, body);
          continue;
        }
        const { commit } = this.#reader.take(seq, body);
        this.#unstored += 1;
        if (commit !== null) commits.push(commit);
      } catch (error) {
        failure = error;
        break;
      }
      bytes += body.length;
      if (commits.length >= APPLY_RECORDS || bytes >= APPLY_BYTES) store();
    }
    // Also what comes before a broken record: the position has moved past it.
    store();
    if (failure !== null) throw failure;
    this.#seenAt = this.#now();
    this.#options.onChange?.();
  }

  #readOn(): Promise<void> {
    this.#mustReadAgain = true;
    this.#reading ??= this.#readUntilDone().finally(() => {
      this.#reading = null;
      this.#behindSince = null;
      this.#scheduleRead();
    });
    return this.#reading;
  }

  async #readUntilDone(): Promise<void> {
    try {
      while (this.#mustReadAgain && !this.#isOver()) {
        this.#mustReadAgain = false;
        await this.#tail;
        await this.#readToEnd();
      }
    } catch (error) {
      if (error instanceof BrokenLog) this.halt(error);
      else this.#options.onError(error);
    }
  }

  async #readToEnd(): Promise<void> {
    while (!this.#isOver() && this.#state !== 'claiming') {
      const { applied } = this.position;
      const records = await this.#options.stream.readFrom(applied + 1);
      // An owner has appended meanwhile: what was read may be its own.
      if (this.#isAppending || this.position.applied !== applied) {
        this.#behindSince = null;
        return;
      }
      if (records.length === 0) return this.#checkEnd();
      this.#behindSince = null;
      this.#leaveToSuccessor();
      this.#guarded(() => this.#apply(records));
    }
  }

  /** A log that ends before its copy has lost acknowledged records: writing to it would make a second history. */
  async #checkEnd(): Promise<void> {
    const { first, last } = await this.#options.stream.bounds();
    const { applied } = this.position;
    if (first > applied + 1) throw new PurgedLog(first, applied);
    if (last >= applied) {
      this.#behindSince = null;
      return;
    }
    this.#behindSince ??= this.#now();
    if (this.#now() - this.#behindSince > BEHIND_MS) throw new BrokenLog(`the log ends at record ${last}, and this copy at ${applied}`);
    await this.#options.pause(RETRY_READ_MS);
    this.#mustReadAgain = true;
  }

  #isOver(): boolean {
    return this.#state === 'halted' || this.#state === 'stopped';
  }

  /** A copy that cannot be brought forward must not go on as if it were current. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.halt(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Of records in order: whether another one was heard for the same place. */
function isContradicted({ seq, body }: StoredRecord, index: number, records: readonly StoredRecord[]): boolean {
  const before = records[index - 1];
  return before?.seq === seq && Buffer.compare(before.body, body) !== 0;
}
