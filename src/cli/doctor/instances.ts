/** The instances, as the one on this machine sees them: their clocks and their secrets. */
import type { Diagnosis, InstanceDiagnosis } from '../../cluster/diagnosis.js';
import { notProven, ok, problem, type Finding } from './finding.js';

/** A successor waits a tenth longer than a lease. Half of that is left for other errors. */
const MAX_DEVIATION = 0.05;
const PERCENT = 100;

/** Null if no instance runs on this machine. */
export function checkInstances(diagnosis: Diagnosis | null): Finding[] {
  const checks = ['clocks', 'CLUSTER_SECRET', 'JWT_SECRET'];
  if (diagnosis === null) return checks.map((check) => notProven(check, 'no instance runs on this machine. Start it, and ask again'));
  const { instances } = diagnosis;
  if (instances.length === 0) return checks.map((check) => notProven(check, 'there is no other instance to compare with'));
  const others = `${instances.length} other${instances.length === 1 ? '' : 's'}`;
  return [
    checkClocks(instances, others),
    differing('CLUSTER_SECRET', instances.filter(({ hasClusterSecret }) => !hasClusterSecret), `the same as on ${others}`),
    instances.some(({ hasTokenSecret }) => hasTokenSecret === null)
      ? notProven('JWT_SECRET', 'it can be compared when CLUSTER_SECRET is the same on all')
      : differing('JWT_SECRET', instances.filter(({ hasTokenSecret }) => hasTokenSecret === false), `the same as on ${others}, with its algorithm and audience`),
  ];
}

function checkClocks(instances: readonly InstanceDiagnosis[], others: string): Finding {
  const rates = instances.map(({ clockRate, ...rest }) => ({ ...rest, deviation: clockRate === null ? null : Math.abs(clockRate - 1) }));
  const silent = rates.filter(({ deviation }) => deviation === null);
  if (silent.length > 0) return notProven('clocks', `${names(silent)} stopped sending heartbeats. Ask again`);
  const wrong = rates.filter(({ deviation }) => (deviation ?? 0) > MAX_DEVIATION);
  const worst = (Math.max(...rates.map(({ deviation }) => deviation ?? 0)) * PERCENT).toFixed(2);
  if (wrong.length === 0) return ok('clocks', `${others} run within ${worst} % of this one`);
  return problem('clocks', `${names(wrong)} runs faster or slower than here by ${worst} %, so reads may be stale. Mend the clock of the machine, or set READ_LEASE_MS=0`);
}

function differing(check: string, faulty: readonly InstanceDiagnosis[], right: string): Finding {
  if (faulty.length === 0) return ok(check, right);
  return problem(check, `not the same on ${names(faulty)}. Set the same value on all machines, and restart`);
}

function names(instances: ReadonlyArray<{ readonly id: string; readonly host: string }>): string {
  return instances.map(({ id, host }) => `${id} on ${host}`).join(', ');
}
