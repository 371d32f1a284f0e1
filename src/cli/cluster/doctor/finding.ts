/** The result of one check of `cluster doctor`. */
import { namesOf } from '../../../partitions/partitionNames.js';
import type { PartitionName } from '../../../partitions/messages.js';

/** `not proven`: what it needs is not there, and nothing is known to be wrong. */
export interface Finding {
  readonly verdict: 'ok' | 'problem' | 'not proven';
  readonly check: string;
  /** Of a problem: what is wrong, and what to do. */
  readonly detail: string;
}

export function ok(check: string, detail: string): Finding {
  return { verdict: 'ok', check, detail };
}

export function problem(check: string, detail: string): Finding {
  return { verdict: 'problem', check, detail };
}

export function notProven(check: string, detail: string): Finding {
  return { verdict: 'not proven', check, detail };
}

/** The way a command names a partition. */
export function operandOf(partition: PartitionName): string {
  return partition.replace(' ', '-');
}

/** A problem with the partitions that have it, or else ok. */
export function verdictOn(check: string, faulty: readonly PartitionName[], wrong: string, right: string): Finding {
  return faulty.length === 0 ? ok(check, right) : problem(check, `${namesOf(faulty)}: ${wrong}`);
}
