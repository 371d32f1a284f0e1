/**
 * What is wrong with the copies and logs of replicated partitions, as heartbeats and the leaders of the logs say. Each
 * problem names the partitions, the machine, the cause and what to do next.
 */
import type { PartitionName } from '../messages.js';
import type { InstanceInfo } from '../ownership.js';
import { namesOf } from '../partitionNames.js';
import type { CopyOverview, PartitionOverview } from './replicationOverview.js';

/** `halted`, `copies`: of a copy. `servers`, `quorum`: of a log. */
export interface ReplicationProblem {
  readonly kind: 'halted' | 'copies' | 'servers' | 'quorum';
  readonly text: string;
}

export interface ReplicationView {
  readonly partitions: readonly PartitionOverview[];
  /** All that live. */
  readonly instances: ReadonlyArray<Pick<InstanceInfo, 'id' | 'host'>>;
  /** As many machines have a log, and should have a copy. */
  readonly replicas: number;
}

export function replicationProblems(view: ReplicationView): ReplicationProblem[] {
  const { partitions, instances, replicas } = view;
  const hostOf = (id: string): string => instances.find((instance) => instance.id === id)?.host ?? 'an unknown machine';
  const groups = new Groups();
  for (const { partition, copies, log } of partitions) {
    for (const { instance, reason = 'no reason is known' } of copies.filter(({ state }) => state === 'halted')) {
      const advice = adviceOn(reason);
      groups.add('halted', partition, `the copy on ${hostOf(instance)} (${instance}) has halted: ${reason}. ${advice}`);
    }
    if (copies.length < replicas) {
      const hosts = copies.map(({ instance }) => hostOf(instance)).join(', ') || 'none';
      groups.add(
        'copies',
        partition,
        `of ${replicas} machines ${copies.length} report a copy: ${hosts}. Start the instances that are away: \`systemctl start switchboard\` there. If they run, this machine cannot hear them: look at the network between them`,
      );
    }
    if (!log.hasQuorum) {
      groups.add(
        'quorum',
        partition,
        'the log has no leader with a majority of its NATS servers. An election takes up to ten seconds; after that, start the servers that are away. If all run, restart them: `systemctl restart nats-cluster` there',
      );
    }
    for (const { name } of log.servers.filter(({ isCurrent }) => !isCurrent)) {
      groups.add(
        'servers',
        partition,
        `the NATS server ${name} is away or lacks records of the log. Wait a minute until it has caught up, or start it again: \`systemctl restart nats-cluster\` there`,
      );
    }
  }
  return groups.problems();
}

/** How many copies and how many servers of logs are missing, for each partition together. */
export function missingReserve({ partitions, replicas }: Pick<ReplicationView, 'partitions' | 'replicas'>): {
  readonly copies: number;
  readonly servers: number;
} {
  const sum = (missing: (overview: PartitionOverview) => number): number =>
    partitions.reduce((total, overview) => total + Math.max(0, missing(overview)), 0);
  return {
    copies: sum(({ copies }) => replicas - soundOf(copies).length),
    servers: sum(({ log }) => replicas - log.servers.filter(({ isCurrent }) => isCurrent).length),
  };
}

function soundOf(copies: readonly CopyOverview[]): CopyOverview[] {
  return copies.filter(({ state }) => state !== 'halted');
}

/** By the messages of `recordReader.ts`, `partitionLog.ts`, `fetchSnapshot.ts` and `logPosition.ts`. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/upgrade it/, 'Upgrade the program on that machine, and restart it'],
  [/it has nothing yet/, 'Wait: it fetches its copy'],
  [/restart the instance|follows generation/, 'Run `systemctl restart switchboard` there'],
  [/no snapshot of the|the log begins/, 'Run `switchboard cluster snapshot` on another machine'],
  [/the log ends at record|was lost and made anew/, 'Run `switchboard cluster doctor`: it says whether records are lost, or a NATS server is away'],
  [
    /another history|another one before|does not follow|cannot be read|a commit/,
    'Run `switchboard cluster verify`: if other copies are equal, move the data folder of that machine away and restart it',
  ],
  [/full|ENOSPC|no space|could not be written|cannot be written|I\/O error/i, 'Make room on its disk, and run `systemctl restart switchboard` there'],
];

/** What to do about a copy that halted for this reason. */
export function adviceOn(reason: string): string {
  return ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Look at the log of the service on that machine, and restart it';
}

/** Partitions with the same problem share a line. */
class Groups {
  readonly #groups = new Map<string, { readonly kind: ReplicationProblem['kind']; readonly text: string; readonly partitions: PartitionName[] }>();

  add(kind: ReplicationProblem['kind'], partition: PartitionName, text: string): void {
    const key = `${kind} ${text}`;
    const group = this.#groups.get(key) ?? { kind, text, partitions: [] };
    group.partitions.push(partition);
    this.#groups.set(key, group);
  }

  problems(): ReplicationProblem[] {
    return [...this.#groups.values()].map(({ kind, text, partitions }) => ({ kind, text: `${namesOf(partitions)}: ${text}` }));
  }
}
