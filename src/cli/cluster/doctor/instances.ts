/** The instances, as the one on this machine sees them: their clocks, their secrets and their settings. */
import type { Diagnosis, InstanceDiagnosis } from '../../../cluster/diagnosis.js';
import type { UnreadablePeer } from '../../../cluster/unreadablePeers.js';
import { notProven, ok, problem, type Finding } from './finding.js';

/** A successor waits a tenth longer than a lease. Half of that is left for other errors. */
const MAX_DEVIATION = 0.05;
const PERCENT = 100;
/** A third of the difference at which instances refuse each other's messages. */
const MAX_AHEAD_MS = 10_000;
const SECOND_MS = 1_000;

/** Null if no instance runs on this machine. */
export function checkInstances(diagnosis: Diagnosis | null): Finding[] {
  const checks = ['clocks', 'time of day', 'CLUSTER_SECRET', 'JWT_SECRET', 'settings'];
  if (diagnosis === null) return checks.map((check) => notProven(check, 'no instance runs on this machine. Start it, and ask again'));
  const { instances, strangers: unreadable } = diagnosis;
  const strange = unreadable.map(checkUnreadable);
  if (instances.length === 0) {
    const compared = checks.filter((check) => !strange.some((finding) => finding.check === check));
    return [...strange, ...compared.map((check) => notProven(check, 'there is no other instance to compare with'))];
  }
  const others = `${instances.length} other${instances.length === 1 ? '' : 's'}`;
  return [
    ...strange,
    checkClocks(instances, others),
    checkTimes(instances, others),
    ...(unreadable.some(({ reason }) => reason === 'sealed') ? [] : [ok('CLUSTER_SECRET', `the same as on ${others}`)]),
    checkTokens(instances, others),
    checkSettings(diagnosis.differingSettings, others),
  ];
}

function checkClocks(instances: readonly InstanceDiagnosis[], others: string): Finding {
  const rates = instances.map(({ clockRate, ...rest }) => ({ ...rest, deviation: clockRate === null ? null : Math.abs(clockRate - 1) }));
  const silent = rates.filter(({ deviation }) => deviation === null);
  if (silent.length > 0) return notProven('clocks', `${names(silent)} stopped sending heartbeats. Ask again`);
  const wrong = rates.filter(({ deviation }) => (deviation ?? 0) > MAX_DEVIATION);
  const worst = (Math.max(...rates.map(({ deviation }) => deviation ?? 0)) * PERCENT).toFixed(2);
  if (wrong.length === 0) return ok('clocks', `${others} run within ${worst} % of this one`);
  return problem(
    'clocks',
    `${names(wrong)} runs faster or slower than here by ${worst} %, so reads may be stale. Mend the clock of the machine, or set READ_LEASE_MS=0`,
  );
}

function checkTimes(instances: readonly InstanceDiagnosis[], others: string): Finding {
  const times = instances.map(({ aheadMs, ...rest }) => ({ ...rest, apartMs: Math.abs(aheadMs ?? Infinity) }));
  const silent = times.filter(({ apartMs }) => apartMs === Infinity);
  if (silent.length > 0) return notProven('time of day', `${names(silent)} does not say it: an older program`);
  const worst = Math.round(Math.max(...times.map(({ apartMs }) => apartMs)) / SECOND_MS);
  const wrong = times.filter(({ apartMs }) => apartMs > MAX_AHEAD_MS);
  if (wrong.length === 0) return ok('time of day', `${others} show the time of this one within ${worst + 1} s`);
  return problem(
    'time of day',
    `${names(wrong)} shows another time than here, by ${worst} s. Above 30 s instances that start cannot join the others. Set the clocks by NTP on all machines`,
  );
}

function checkSettings(differing: readonly string[] | undefined, others: string): Finding {
  if (differing === undefined) return notProven('settings', 'the instance on this machine is an older program. Restart it, and ask again');
  // Secrets have checks of their own.
  const names = differing.filter((name) => !name.endsWith('_SECRET'));
  if (names.length === 0) return ok('settings', `those that must be equal are equal on ${others}`);
  return problem('settings', `another instance has another ${names.join(', ')}. Set the same value on all machines, and restart`);
}

function checkUnreadable({ id, reason }: UnreadablePeer): Finding {
  switch (reason) {
    case 'sealed':
      return problem('CLUSTER_SECRET', `not the same on ${id}. Set the same value on all machines, and restart`);
    case 'version':
      return problem('version', 'an instance of another version runs, and they cannot work together. Upgrade all machines');
    case 'clock':
      return problem(
        'time of day',
        `that of ${id} differs by more than 30 s, so it cannot take part. Set the clocks by NTP on all machines, and restart it`,
      );
  }
}

function checkTokens(instances: readonly InstanceDiagnosis[], others: string): Finding {
  const other = instances.filter(({ hasTokenSecret }) => !hasTokenSecret);
  if (other.length === 0) return ok('JWT_SECRET', `the same as on ${others}, with its algorithm and audience`);
  return problem('JWT_SECRET', `not the same on ${names(other)}. Set the same value on all machines, and restart`);
}

function names(instances: ReadonlyArray<{ readonly id: string; readonly host: string }>): string {
  return instances.map(({ id, host }) => `${id} on ${host}`).join(', ');
}
