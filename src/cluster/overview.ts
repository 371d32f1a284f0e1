/** What the heartbeats say about the copies of replicated partitions. */
import type { PartitionName } from '../partitions/messages.js';
import type { LogOverview, PartitionOverview } from '../partitions/health/replicationOverview.js';
import type { OtherInstance } from './replicas.js';

/** `instances`: all that live, the answering one first. */
export function overviewOf(
  partitions: readonly PartitionName[],
  instances: readonly OtherInstance[],
  logOf: (partition: PartitionName) => LogOverview,
): PartitionOverview[] {
  return partitions.map((partition) => {
    const reports = instances.flatMap(({ id, copies }) => copies.filter((copy) => copy.partition === partition).map((copy) => ({ id, copy })));
    const last = Math.max(0, ...reports.map(({ copy }) => copy.applied));
    // One that was replaced may not know it yet.
    const [owner] = reports.filter(({ copy }) => copy.state === 'owning').sort((a, b) => b.copy.term - a.copy.term);
    return {
      partition,
      owner: owner?.id ?? null,
      term: Math.max(0, ...reports.map(({ copy }) => copy.term)),
      leaseLeftMs: owner === undefined ? null : (owner.copy.leaseLeftMs ?? 0),
      log: logOf(partition),
      copies: reports.map(({ id, copy: { state, applied, chain, term, reason } }) => ({
        instance: id,
        state,
        applied,
        chain,
        term,
        lag: last - applied,
        ...(reason === undefined ? {} : { reason }),
      })),
    };
  });
}
