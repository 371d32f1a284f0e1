/** Whether the logs have all records: those that copies have, and on every server those that another server has. */
import { boundsOf } from '../../../log/jetStreamLog.js';
import type { LogBounds } from '../../../log/logStream.js';
import { streamName } from '../../../log/logNames.js';
import type { PartitionName } from '../../../partitions/messages.js';
import { namesOf } from '../../../partitions/partitionNames.js';
import { notProven, ok, operandOf, problem, type Finding } from './finding.js';
import type { BestCopy, FoundLogs } from './logs.js';
import type { ServerReport, SystemView } from './system.js';

export interface RecordsContext {
  readonly prefix: string;
  readonly replicas: number;
  readonly found: FoundLogs;
  /** Null without a system user. */
  readonly system: SystemView | null;
  readonly copies: ReadonlyMap<PartitionName, BestCopy>;
  /** The servers of the settings that do not answer. Their replicas may have what the others lack. */
  readonly away: readonly string[];
}

export function checkRecords(context: RecordsContext): Finding[] {
  return [checkLost(context), checkReplicas(context)];
}

/** A log is lost, or has lost records, only if no server that could have them is away. */
function checkLost(context: RecordsContext): Finding {
  const { found, copies, replicas, system } = context;
  const lost = [...found].flatMap(([partition, log]) => {
    const best = copies.get(partition);
    const bounds = typeof log === 'object' ? boundsOf(log) : null;
    if (log === 'silent' || (bounds !== null && bounds.last >= (best?.applied ?? 0))) return [];
    return [{ partition, best, last: Math.max(bounds?.last ?? 0, ...lastsOf(context, partition)), isMissing: log === 'missing' }];
  });
  const silent = [...found].filter(([, log]) => log === 'silent').map(([partition]) => partition);
  if (lost.length === 0) {
    return silent.length > 0
      ? notProven('logs', `${namesOf(silent)}: the log does not answer. See quorum`)
      : ok('logs', `all ${found.size} exist, with the records of every copy`);
  }
  const names = namesOf(lost.map(({ partition }) => partition));
  if (lost.every(({ best, isMissing }) => isMissing && best === undefined)) {
    return problem(
      'logs',
      `${names}: NATS has no log, and no copy is known here. Before the first start run \`switchboard cluster init\` once; else ask again on a machine with copies`,
    );
  }
  const away = awayFrom(context);
  if (away.length > 0) {
    return problem(
      'logs',
      `${names}: the servers that answer lack records, and ${away.join(', ')} may have them. Start it: \`systemctl start nats-cluster\` there, and ask again before anything else`,
    );
  }
  if (system === null || system.after.length < replicas) {
    return problem('logs', `${names}: the log lacks records of a copy. Set NATS_SYSTEM_URL and ask again: it shows whether a server has them`);
  }
  const kept = lost.find(({ best, last }) => last >= (best?.applied ?? 0));
  if (kept !== undefined) {
    return problem(
      'logs',
      `${namesOf([kept.partition])}: a server that does not lead the log has more records. Wait until one of these leads, and ask again`,
    );
  }
  const steps = lost.map(({ partition, best, last, isMissing }) => {
    const state = isMissing ? 'its log is lost' : `its log ends at record ${last}`;
    return (
      `${partition}: ${state} on every server, and the copy on ${best?.host ?? 'no machine'} has record ${best?.applied ?? 0}. ` +
      `Stop the service on ${best?.host ?? 'that machine'} and run \`switchboard cluster reseed ${operandOf(partition)}\` there`
    );
  });
  return problem('logs', steps.join('. '));
}

/** Servers of which it is not known what they have: those that do not answer, and those that have switched JetStream off. */
function awayFrom({ away, system, replicas, found }: RecordsContext): string[] {
  const off = (system?.after ?? []).filter(({ isDisabled }) => isDisabled).map(({ name }) => name);
  const known = new Set((system?.after ?? []).map(({ name }) => name));
  const members = [...found.values()].flatMap((log) => (typeof log === 'object' ? (log.cluster?.replicas ?? []).map(({ name }) => name) : []));
  const silent = system === null || known.size >= replicas ? [] : [...new Set(members)].filter((name) => !known.has(name));
  return [...new Set([...away, ...off, ...silent])];
}

function lastsOf({ prefix, system }: RecordsContext, partition: PartitionName): number[] {
  return (system?.after ?? []).flatMap(({ logs }) => logs.get(streamName(prefix, partition))?.last ?? []);
}

/** Compares the first and the last record of every replica. What is on its way at the first look has arrived at the second. */
function checkReplicas({ prefix, found, system }: RecordsContext): Finding {
  if (system === null) return notProven('records', 'set NATS_SYSTEM_URL: only its user sees what each server has');
  const faults = [...found.keys()].flatMap((partition) => faultsOf(partition, streamName(prefix, partition), system));
  if (faults.length > 0) return problem('records', faults.join('. '));
  const servers = system.after.filter(({ isDisabled }) => !isDisabled).length;
  return ok('records', `${servers} servers have the same first and last records`);
}

function faultsOf(partition: PartitionName, stream: string, { before, after }: SystemView): string[] {
  const boundsIn = (reports: readonly ServerReport[]): Array<{ name: string } & LogBounds> =>
    reports.flatMap(({ name, logs }) => {
      const bounds = logs.get(stream);
      return bounds === undefined ? [] : [{ name, ...bounds }];
    });
  const [earlier, later] = [boundsIn(before), boundsIn(after)];
  const keptFrom = Math.min(...later.map(({ first }) => first));
  const storedTo = Math.max(0, ...earlier.map(({ last }) => last));
  const begins = earlier.filter(({ first }) => first > keptFrom).map(({ name, first }) => `${name} begins at record ${first}`);
  const ends = later.filter(({ last }) => last < storedTo).map(({ name, last }) => `${name} ends at record ${last}`);
  return [
    ...(begins.length === 0
      ? []
      : [
          `${partition}: ${begins.join(', ')}, and another server has record ${keptFrom}: it has lost its beginning. Run \`switchboard cluster snapshot ${operandOf(partition)}\`, which replaces it`,
        ]),
    ...(ends.length === 0
      ? []
      : [
          `${partition}: ${ends.join(', ')}, and another server has record ${storedTo}. Wait until it has caught up; if it does not, run \`systemctl restart nats-cluster\` there`,
        ]),
  ];
}
