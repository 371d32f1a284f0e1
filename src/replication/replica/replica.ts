/**
 * One replicated partition in its store thread: a copy that follows its log, and has a partition while owned. A copy that
 * has nothing yet, or that the log cannot bring forward, is replaced by a snapshot first.
 */
import { InUse, NotStored } from '../../domain/errors.js';
import { machineNow } from '../../domain/machineClock.js';
import { LOG_START, type Claim, type CopyFile, type OwnedLog } from '../../domain/ports/partitionLog.js';
import type { LogStream } from '../../log/logStream.js';
import { PartitionLog, type LogCounter } from '../../log/partitionLog.js';
import { PurgedLog } from '../../log/recordReader.js';
import type { Leases } from '../../partitions/leases.js';
import type { CopyState, PartitionName } from '../../partitions/messages.js';
import type { DeposablePartition, Partition, PartitionHost } from '../../partitions/runtime/partition.js';
import { currentSchema } from '../../store/folder/dataFolder.js';
import { Superseded } from '../../store/sqlite/logPosition.js';
import { CopyReporter } from './copyReporter.js';

/** The open file of a copy. */
export interface Copy extends CopyFile {
  follow(log: OwnedLog): void;
  close(): void;
}

/** Where a copy gets its beginning from. */
export interface Snapshots {
  exist(name: PartitionName): Promise<boolean>;
  /** Fetches the newest that verifies, beside the file of the copy. Rejects if there is none. */
  fetch(name: PartitionName): Promise<void>;
  /** Puts what was fetched in the place of the file, which is closed. `superseded`: the generation of that file, if it is kept. */
  install(name: PartitionName, superseded: number | null): void;
}

export interface ReplicaOptions<Kind extends Copy> {
  readonly name: PartitionName;
  readonly instance: string;
  readonly folder: string;
  readonly leaseMs: number;
  readonly leases: Leases;
  readonly streamOf: (name: PartitionName) => LogStream;
  readonly snapshots: Snapshots;
  readonly openCopy: (name: PartitionName, onError: (error: unknown) => void) => Kind;
  readonly openPartition: (name: PartitionName, copy: Kind, term: OwnTerm) => DeposablePartition;
  readonly count: (what: LogCounter) => void;
  readonly onAppended: (milliseconds: number) => void;
  readonly report: (copy: CopyState) => void;
  readonly onError: (error: unknown) => void;
}

/** The time in which this instance owns a partition. */
export interface OwnTerm {
  readonly host: PartitionHost;
  /** Commits must be readable for programs that know this schema. */
  readonly schema: number;
  /** Gets the cause if the file could not store what the log has. */
  readonly onDeposed: (cause: unknown) => void;
}

interface Following<Kind extends Copy> {
  readonly copy: Kind;
  readonly log: PartitionLog;
}

/** After a snapshot could not be fetched or installed: servers may be away, or a backup reads the file. */
const RETRY_MS = 5_000;

export class Replica<Kind extends Copy> {
  readonly #options: ReplicaOptions<Kind>;
  readonly #reporter: CopyReporter;
  #following: Following<Kind> | null = null;
  #partition: DeposablePartition | null = null;
  #onFree: (() => void) | null = null;
  /** Why there is no copy to follow the log. */
  #trouble: Error | null = null;
  /** Whether the log is being read for the first time: then its reader looks at the reason of a halt itself. */
  #isStarting = false;
  #isClosed = false;

  constructor(options: ReplicaOptions<Kind>) {
    this.#options = options;
    const ownership = (): string => `${this.#state().state} ${this.#state().term}`;
    this.#reporter = new CopyReporter(() => options.report(this.#state()), ownership);
  }

  /** Resolves when the copy has what its log had. After a rejection for want of a snapshot it is tried again. */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      if (!(error instanceof NoSnapshot)) {
        // A file that cannot be used is shown like a copy that halted.
        this.#trouble = error instanceof Error ? error : new Error(String(error));
        this.#reporter.now();
        throw error;
      }
      // The caller reports it.
      this.#trouble = error.cause;
      this.#retry(error);
      throw error.cause;
    }
    const reason = this.#following?.log.haltReason ?? null;
    if (reason !== null) throw reason;
  }

  /** Of the latest records. */
  get chains(): ReadonlyMap<number, string> {
    return this.#following?.log.chains ?? new Map();
  }

  /** Until then the file may lack the position of the latest records. */
  async storePosition(): Promise<void> {
    await this.#following?.log.storePosition();
  }

  noteRecords(applied: number): void {
    this.#following?.log.noteRecords(applied);
  }

  noteReconnection(): void {
    this.#following?.log.noteReconnection();
  }

  /** Rejects with `InUse` if another instance owns the partition. */
  async claim(host: PartitionHost, claim: Claim): Promise<Partition> {
    const { name, openPartition } = this.#options;
    const following = this.#following;
    const leased = { ...claim, leaseMs: this.#options.leaseMs };
    if (following === null || !(await following.log.claim(leased))) throw new InUse(`the ${name} was claimed by another instance`);
    const { copy, log } = following;
    try {
      const onDeposed = (cause: unknown): void => {
        this.#free();
        if (cause instanceof Error) log.halt(cause);
      };
      const partition = openPartition(name, copy, { host, schema: claim.schema, onDeposed });
      this.#partition = partition;
      return {
        take: (asks, done) => partition.take(asks, done),
        stats: () => partition.stats(),
        probe: () => partition.probe(),
        close: (closed) =>
          partition.close(() => {
            this.#free();
            log.release().catch(host.onError).finally(closed);
          }),
      };
    } catch (error) {
      await log.release();
      throw error;
    }
  }

  /** The partition is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#closeCopy();
  }

  async #open(): Promise<void> {
    const { name, snapshots } = this.#options;
    let copy: Kind;
    try {
      copy = this.#openCopy();
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
      await this.#replace(error.generation);
      copy = this.#openCopy();
    }
    if (copy.position.applied === 0) {
      copy.close();
      if (await this.#orNoSnapshot(() => snapshots.exist(name))) await this.#replace(null);
      copy = this.#openCopy();
    }
    if (this.#isClosed) return copy.close();
    await this.#follow(copy);
    if (this.#isPurged()) await this.#catchUp();
  }

  async #follow(copy: Kind): Promise<void> {
    const { name, instance, folder, leaseMs, leases, streamOf, onError, count, onAppended } = this.#options;
    const log = new PartitionLog({
      stream: streamOf(name),
      file: copy,
      instance,
      folder,
      leaseMs,
      schema: schemaKnown(name),
      now: machineNow,
      pause,
      onLease: (endsAt) => leases.set(name, endsAt),
      onChange: () => this.#reporter.note(),
      onDeposed: () => this.#partition?.depose(),
      onHalted: (reason) => this.#halted(reason),
      onError,
      count,
      onAppended,
    });
    copy.follow(log);
    this.#following = { copy, log };
    this.#trouble = null;
    this.#isStarting = true;
    await log.start();
    this.#isStarting = false;
    this.#reporter.now();
  }

  #halted(reason: Error): void {
    const { name, onError } = this.#options;
    this.#partition?.depose();
    if (!(reason instanceof PurgedLog)) return onError(new Error(`the copy of the ${name} has halted`, { cause: reason }));
    if (!this.#isStarting) this.#recover();
  }

  #isPurged(): boolean {
    return this.#following?.log.haltReason instanceof PurgedLog;
  }

  /** The log has gone on without the copy: a snapshot takes its place. */
  async #catchUp(): Promise<void> {
    await this.#freed();
    await this.#replace(null);
    if (this.#isClosed) return;
    await this.#follow(this.#openCopy());
    if (this.#isPurged()) await this.#catchUp();
  }

  #recover(): void {
    const again = this.#following === null ? this.#open() : this.#catchUp();
    again.catch((error: unknown) => {
      if (error instanceof NoSnapshot) return this.#retry(error);
      this.#trouble = error instanceof Error ? error : new Error(String(error));
      this.#reporter.now();
      this.#options.onError(error);
    });
  }

  #retry({ cause }: NoSnapshot): void {
    if (this.#isClosed) return;
    if (this.#trouble?.message !== cause.message) this.#options.onError(cause);
    this.#trouble = cause;
    this.#reporter.now();
    setTimeout(() => {
      if (!this.#isClosed) this.#recover();
    }, RETRY_MS).unref();
  }

  /** The old copy stays until the new one is here. */
  async #replace(superseded: number | null): Promise<void> {
    const { name, snapshots } = this.#options;
    await this.#orNoSnapshot(async () => {
      await snapshots.fetch(name);
      if (this.#isClosed) return;
      await this.#closeCopy();
      snapshots.install(name, superseded);
    });
  }

  /** A failure is not for ever. */
  async #orNoSnapshot<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw new NoSnapshot(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #openCopy(): Kind {
    const { name, openCopy, onError } = this.#options;
    return openCopy(name, onError);
  }

  async #closeCopy(): Promise<void> {
    const following = this.#following;
    if (following === null) return;
    await following.log.stop();
    this.#following = null;
    following.copy.close();
  }

  #free(): void {
    this.#partition = null;
    this.#onFree?.();
    this.#onFree = null;
  }

  /** Resolves when no partition uses the copy: one that was deposed ends its commit first. */
  #freed(): Promise<void> {
    if (this.#partition === null) return Promise.resolve();
    return new Promise((resolve) => (this.#onFree = resolve));
  }

  #state(): CopyState {
    const { name: partition } = this.#options;
    const schema = schemaKnown(partition);
    const log = this.#following?.log;
    if (log === undefined) {
      const reason = this.#trouble === null ? 'it has nothing yet' : textOf(this.#trouble);
      return { partition, state: 'halted', ...LOG_START, schema, seenAt: machineNow(), reason };
    }
    const state = { partition, state: log.state, ...log.reported, schema, seenAt: log.seenAt };
    const reason = this.#trouble ?? log.haltReason;
    return reason === null ? state : { ...state, reason: textOf(reason) };
  }
}

/** For operators, who need the cause that clients do not see. */
function textOf(reason: Error): string {
  if (!(reason instanceof NotStored)) return reason.message;
  return `its file could not be written: ${reason.cause instanceof Error ? reason.cause.message : 'no cause is known'}`;
}

/** The copy cannot begin, or go on, until there is a snapshot. */
class NoSnapshot extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

function schemaKnown(partition: PartitionName): number {
  return currentSchema(partition === 'directory' ? 'directory' : 'shard');
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
