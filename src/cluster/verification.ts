/**
 * Compares the copies of all live instances. The chain over all records up to one is equal on two copies exactly if they
 * have the same history, so the chain in a heartbeat is compared with the own copy's chain at the same record.
 */
import type { PartitionName } from '../partitions/messages.js';
import type { CopyReport, OtherInstance } from './replicas.js';

export interface ComparedCopy {
  readonly partition: PartitionName;
  /** The id of the other instance. */
  readonly instance: string;
  readonly result: 'equal' | 'different' | 'not compared';
  /** The record at which they were compared, or the last of the other copy. */
  readonly at: number;
  /** Why they were not compared. */
  readonly reason?: string;
}

export interface VerificationOptions {
  readonly partitions: readonly PartitionName[];
  /** All live instances, this one first. */
  readonly copies: () => readonly OtherInstance[];
  /** The chains over the latest records of this instance's copy. */
  readonly chains: (partition: PartitionName) => Promise<ReadonlyMap<number, string>>;
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** A copy that lags has this long to catch up. */
const PATIENCE_MS = 10_000;
/** Heartbeats come at this pace. */
const STEP_MS = 250;

export async function verifyCopies(options: VerificationOptions): Promise<ComparedCopy[]> {
  const { partitions, copies, chains, now, pause } = options;
  const results = new Map<string, ComparedCopy>();
  for (const end = now() + PATIENCE_MS; ; await pause(STEP_MS)) {
    const [own, ...others] = copies();
    for (const partition of partitions) {
      const known = await chains(partition);
      for (const { id, copies: reports } of others) {
        const key = `${partition} ${id}`;
        if ((results.get(key)?.result ?? 'not compared') !== 'not compared') continue;
        results.set(
          key,
          compare(
            partition,
            id,
            reportOf(own, partition),
            reports.find((each) => each.partition === partition),
            known,
          ),
        );
      }
    }
    const isOpen = [...results.values()].some(({ result }) => result === 'not compared');
    if (!isOpen || now() >= end) return [...results.values()];
  }
}

function reportOf(instance: OtherInstance | undefined, partition: PartitionName): CopyReport | undefined {
  return instance?.copies.find((copy) => copy.partition === partition);
}

function compare(
  partition: PartitionName,
  instance: string,
  own: CopyReport | undefined,
  other: CopyReport | undefined,
  known: ReadonlyMap<number, string>,
): ComparedCopy {
  if (other === undefined) return { partition, instance, result: 'not compared', at: 0, reason: 'it reports no copy' };
  const { applied: at, chain } = other;
  const expected = known.get(at);
  if (expected !== undefined) return { partition, instance, result: expected === chain ? 'equal' : 'different', at };
  const isAhead = at > (own?.applied ?? 0);
  const reason =
    haltOf('it has halted', other) ??
    haltOf('the copy of this machine has halted', own) ??
    (isAhead ? 'the copy of this machine is behind' : 'it is behind');
  return { partition, instance, result: 'not compared', at, reason };
}

function haltOf(what: string, copy: CopyReport | undefined): string | null {
  return copy?.state === 'halted' ? `${what}: ${copy.reason ?? 'no reason is known'}` : null;
}
