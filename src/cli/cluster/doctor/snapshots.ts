/** Whether a machine with an empty folder can begin: each log has its first record, or a snapshot that goes on where it begins. */
import { findLog } from '../../../log/clusterStreams.js';
import type { JetStream } from '../../../log/jetStream.js';
import { boundsOf } from '../../../log/jetStreamLog.js';
import { streamName } from '../../../log/logNames.js';
import type { LogBounds } from '../../../log/logStream.js';
import { SnapshotStream } from '../../../log/snapshotStream.js';
import { withDeadline } from '../../../partitions/deadline.js';
import type { PartitionName } from '../../../partitions/messages.js';
import { snapshotsOf } from '../../../replication/takeSnapshot.js';
import { notProven, ok, operandOf, problem, type Finding } from './finding.js';
import type { SystemView } from './system.js';

const PATIENCE_MS = 10_000;

export interface NewestSnapshot {
  readonly partition: PartitionName;
  /** As the leader has it. */
  readonly log: LogBounds;
  /** The last record in the newest snapshot that is complete; null if there is none. */
  readonly seq: number | null;
}

/** Null if they cannot be read. */
export async function findSnapshots(server: JetStream, prefix: string, partitions: readonly PartitionName[]): Promise<NewestSnapshot[] | null> {
  const asked = Promise.all(partitions.map((partition) => newestOf(server, prefix, partition)));
  // Without a leader of their stream nothing is known. The logs say more about that.
  return withDeadline(asked, PATIENCE_MS).then(
    (all) => all.flatMap((each) => each ?? []),
    () => null,
  );
}

async function newestOf(server: JetStream, prefix: string, partition: PartitionName): Promise<NewestSnapshot | null> {
  const stream = new SnapshotStream(server, prefix, partition);
  const log = await findLog(server, prefix, partition);
  if (log === null) return null;
  const [newest] = snapshotsOf(await stream.list(), log.identity);
  const isComplete = newest !== undefined && (await stream.isComplete(newest));
  return { partition, log: boundsOf(log.info), seq: isComplete ? newest.seq : null };
}

/** `system`: a log begins where the server begins that has lost most of its beginning: each may lead it next. */
export function checkSnapshots(newest: readonly NewestSnapshot[] | null, prefix: string, system: SystemView | null): Finding {
  if (newest === null) return notProven('snapshots', 'their stream does not answer. Ask again');
  const faults = newest.flatMap(({ partition, log, seq }) => {
    const replicas = (system?.after ?? []).flatMap(({ name, logs }) => {
      const bounds = logs.get(streamName(prefix, partition));
      return bounds === undefined ? [] : [{ name, first: bounds.first }];
    });
    const late = [{ name: 'its leader', first: log.first }, ...replicas].filter(({ first }) => first > Math.max(1, (seq ?? 0) + 1));
    const [worst] = late.sort((a, b) => b.first - a.first);
    if (worst !== undefined) {
      const snapshot = seq === null ? 'there is no snapshot' : `the newest snapshot ends at record ${seq}`;
      return [
        `${partition}: ${snapshot}, and the log of ${worst.name} begins at record ${worst.first}, so a new machine gets no copy. Run \`switchboard cluster snapshot ${operandOf(partition)}\` on a machine with a sound copy`,
      ];
    }
    if (seq !== null && seq > log.last) {
      return [`${partition}: the newest snapshot has record ${seq}, and the log ends at ${log.last}: it has lost records. See logs`];
    }
    return [];
  });
  return faults.length > 0
    ? problem('snapshots', faults.join('. '))
    : ok('snapshots', 'each log can be followed from its beginning, or from its newest snapshot');
}
