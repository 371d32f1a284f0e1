/** The replicated partitions of one store thread: each is a copy that follows its log, and has a partition while owned. */
import { InUse } from '../domain/errors.js';
import { machineNow } from '../domain/machineClock.js';
import { LOG_START, type CopyFile, type OwnedLog } from '../domain/ports/partitionLog.js';
import type { LogCounter, PartitionLog } from '../log/partitionLog.js';
import { PartitionLog as FollowedLog } from '../log/partitionLog.js';
import type { LogStream } from '../log/logStream.js';
import type { CopyState, PartitionName } from '../partitions/messages.js';
import type { Leases } from '../partitions/leases.js';
import type { DeposablePartition, Partition, PartitionHost } from '../partitions/threadServer.js';

/** The open file of a copy. */
export interface Copy extends CopyFile {
  follow(log: OwnedLog): void;
  close(): void;
}

export interface ReplicatedPartitionsOptions<Kind extends Copy> {
  readonly instance: string;
  readonly folder: string;
  readonly leaseMs: number;
  readonly leases: Leases;
  readonly streamOf: (name: PartitionName) => LogStream;
  readonly openCopy: (name: PartitionName, onError: (error: unknown) => void) => Kind;
  /** `onDeposed` gets the cause if the file could not store what the log has. */
  readonly openPartition: (name: PartitionName, copy: Kind, host: PartitionHost, onDeposed: (cause: unknown) => void) => DeposablePartition;
  readonly count: (what: LogCounter) => void;
  readonly onAppended: (milliseconds: number) => void;
}

interface Replica<Kind extends Copy> {
  readonly copy: Kind;
  readonly log: PartitionLog;
  partition: DeposablePartition | null;
}

/** New records are reported this often. Other instances hear of them by heartbeats, which are rarer. */
const REPORT_MS = 100;

export class ReplicatedPartitions<Kind extends Copy> {
  readonly #options: ReplicatedPartitionsOptions<Kind>;
  readonly #replicas = new Map<PartitionName, Replica<Kind>>();

  constructor(options: ReplicatedPartitionsOptions<Kind>) {
    this.#options = options;
  }

  /** Resolves when the copy has what its log had. */
  async follow(name: PartitionName, report: (copy: CopyState) => void, onError: (error: unknown) => void): Promise<void> {
    const { instance, folder, leaseMs, leases, streamOf, count, onAppended } = this.#options;
    const copy = this.#openCopy(name, report, onError);
    const reporter = new Reporter(() => report(stateOf(name, log)), () => `${log.state} ${log.position.term}`);
    const log = new FollowedLog({
      stream: streamOf(name),
      file: copy,
      instance,
      folder,
      leaseMs,
      now: machineNow,
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      onLease: (endsAt) => leases.set(name, endsAt),
      onChange: () => reporter.note(),
      onDeposed: () => replica.partition?.depose(),
      onHalted: (reason) => {
        onError(new Error(`the copy of the ${name} has halted`, { cause: reason }));
        replica.partition?.depose();
      },
      onError,
      count,
      onAppended,
    });
    copy.follow(log);
    const replica: Replica<Kind> = { copy, log, partition: null };
    this.#replicas.set(name, replica);
    await log.start();
    reporter.now();
    if (log.haltReason !== null) throw log.haltReason;
  }

  chains(name: PartitionName): ReadonlyMap<number, string> {
    return this.#replicas.get(name)?.log.chains ?? new Map();
  }

  noteRecords(name: PartitionName, applied: number): void {
    this.#replicas.get(name)?.log.noteRecords(applied);
  }

  /** The connection to the log is back. */
  noteReconnection(): void {
    for (const { log } of this.#replicas.values()) log.noteReconnection();
  }

  /** Rejects with `InUse` if another instance owns the partition. */
  async claim(name: PartitionName, host: PartitionHost, term: number): Promise<Partition> {
    const replica = this.#replicas.get(name);
    if (replica === undefined || !(await replica.log.claim(term))) throw new InUse(`the ${name} was claimed by another instance`);
    const { copy, log } = replica;
    try {
      const partition = this.#options.openPartition(name, copy, host, (cause) => {
        replica.partition = null;
        if (cause instanceof Error) log.halt(cause);
      });
      replica.partition = partition;
      return {
        take: (asks, done) => partition.take(asks, done),
        stats: () => partition.stats(),
        probe: () => partition.probe(),
        close: (closed) =>
          partition.close(() => {
            replica.partition = null;
            log.release().catch(host.onError).finally(closed);
          }),
      };
    } catch (error) {
      await log.release();
      throw error;
    }
  }

  /** All partitions are closed. */
  async close(): Promise<void> {
    for (const { log, copy } of this.#replicas.values()) {
      await log.stop();
      copy.close();
    }
    this.#replicas.clear();
  }

  /** A file that cannot be used is reported like a copy that halted. */
  #openCopy(name: PartitionName, report: (copy: CopyState) => void, onError: (error: unknown) => void): Kind {
    try {
      return this.#options.openCopy(name, onError);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report({ partition: name, state: 'halted', ...LOG_START, seenAt: machineNow(), reason });
      throw error;
    }
  }
}

function stateOf(partition: PartitionName, log: PartitionLog): CopyState {
  const { applied, chain, term, owner } = log.position;
  const state = { partition, state: log.state, applied, chain, term, owner, seenAt: log.seenAt };
  return log.haltReason === null ? state : { ...state, reason: log.haltReason.message };
}

/** Reports a change of the owner at once, and others after `REPORT_MS`. */
class Reporter {
  readonly #report: () => void;
  readonly #ownership: () => string;
  #reported = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(report: () => void, ownership: () => string) {
    this.#report = report;
    this.#ownership = ownership;
  }

  note(): void {
    if (this.#ownership() !== this.#reported) this.now();
    else this.#timer ??= setTimeout(() => this.now(), REPORT_MS);
  }

  now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#reported = this.#ownership();
    this.#report();
  }
}
