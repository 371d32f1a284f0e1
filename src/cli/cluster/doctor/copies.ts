/** The copies on all machines, as the instance on this one sees them. */
import type { Overview } from '../../../operator/commands.js';
import type { PartitionName } from '../../../partitions/messages.js';
import { replicationProblems } from '../../../partitions/health/replicationProblems.js';
import type { FollowedFile } from '../../../store/folder/followedFiles.js';
import { notProven, ok, problem, type Finding } from './finding.js';
import { fileOf, type BestCopy } from './logs.js';

/** Null if no instance runs on this machine. */
export function checkCopies(overview: Overview | null, replicas: number): Finding[] {
  if (overview?.replicated === undefined) return [notProven('copies', 'no instance runs on this machine. Start it, and ask again')];
  const problems = replicationProblems({ partitions: overview.replicated, instances: overview.instances, replicas });
  // NATS is asked for the replicas of logs.
  const faults = problems.filter(({ kind }) => kind === 'halted' || kind === 'copies');
  if (faults.length === 0) return [ok('copies', `each partition has a sound copy on ${replicas} machines`)];
  return faults.map(({ text }) => problem('copies', text));
}

/** The copies with the most records; without an instance, the copies in this machine's files. */
export function bestCopies(
  overview: Overview | null,
  partitions: readonly PartitionName[],
  files: readonly FollowedFile[],
): Map<PartitionName, BestCopy> {
  const best = new Map<PartitionName, BestCopy>();
  for (const partition of partitions) {
    const reported = (overview?.replicated ?? []).find((each) => each.partition === partition)?.copies ?? [];
    const [copy] = [...reported].sort((a, b) => b.applied - a.applied);
    const host = overview?.instances.find(({ id }) => id === copy?.instance)?.host;
    const file = fileOf(partition, files);
    if (copy !== undefined && copy.applied > 0) best.set(partition, { applied: copy.applied, host: host ?? copy.instance });
    else if (file !== undefined && file.applied > 0) best.set(partition, { applied: file.applied, host: 'this machine' });
  }
  return best;
}
