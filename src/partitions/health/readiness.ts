/** Decides whether this instance can serve requests, and names what is missing. */
import type { PartitionName } from '../messages.js';
import type { Whereabouts } from '../ownership.js';
import { namesOf } from '../partitionNames.js';

export interface ReadinessFacts {
  readonly partitions: readonly PartitionName[];
  /** `elsewhere` includes only instances whose heartbeats arrive. */
  readonly locate: (partition: PartitionName) => Whereabouts;
  /** False while NATS is configured and away. */
  readonly isConnected: boolean;
  /** Partitions of this process whose writes fail. */
  readonly failing: ReadonlySet<PartitionName>;
  readonly isDiskFull: boolean;
  /** Why this instance cannot work with the others, or null. */
  readonly exclusion: string | null;
  /** Null if nothing is replicated; else the partitions whose log has had no quorum for a while. */
  readonly withoutQuorum: readonly PartitionName[] | null;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly detail: string;
}

/**
 * Not ready: a write fails here, the disk is full, the instance cannot work with the others, or the directory or every shard is out of reach. An instance that
 * cannot reach some shards stays ready: its peers cannot either, so a load balancer that took out all of them would turn
 * a small outage into a total one. For the same reason an instance without NATS stays ready while it owns anything.
 *
 * With replicated partitions an instance without NATS, or on the smaller side of a divided network, is not ready: it can
 * neither store changes nor answer reads for long, and instances on the other side can. A copy that halted does not matter
 * while another instance serves its partition.
 */
export function readinessOf(facts: ReadinessFacts): Readiness {
  const { partitions, locate, failing } = facts;
  const withoutQuorum = new Set(facts.withoutQuorum);
  const lost = partitions.filter((partition) => locate(partition) === 'out of reach' || withoutQuorum.has(partition));
  const isCutOff = facts.withoutQuorum === null && !facts.isConnected && lost.length < partitions.length;
  const missing: string[] = [];
  if (facts.isDiskFull) missing.push('the disk is full');
  if (facts.exclusion !== null) missing.push(facts.exclusion);
  if (failing.size > 0) missing.push(`cannot write ${namesOf([...failing])}`);
  const unreachable = `cannot reach ${namesOf(lost)}`;
  const isLost = lost.includes('directory') || lost.length >= partitions.length - 1;
  if (lost.length > 0 && isLost && !isCutOff) missing.push(unreachable);
  if (missing.length > 0) return { isReady: false, detail: `Not ready: ${missing.join('; ')}` };
  return { isReady: true, detail: lost.length === 0 ? 'Ready' : `Ready, but ${unreachable}` };
}
