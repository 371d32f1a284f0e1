/**
 * Commands whose commits a program with an older schema cannot read. While such a program lives, the owner of a partition
 * writes for its schema (`log/DESIGN.md`), and refuses these commands.
 */
import { FORMER_LEASE_MS } from '../../domain/readLease.js';
import type { Ask, Outcome, PartitionCommand, PartitionName } from '../../partitions/messages.js';

/** The first schema with kept answers. */
export const ANSWERS_SCHEMA = { directory: 10, shard: 9 } as const;

/** The first schema whose programs read the lease of an owner from its record. */
const LEASE_SCHEMA = { directory: 19, shard: 11 } as const;

/** An older instance is about to be upgraded, but not within a second. */
const RETRY_AFTER_SECONDS = 5;

export const REFUSED_BY_SCHEMA: Outcome = {
  ok: false,
  error: {
    code: 'unavailable',
    detail: 'Idempotency-Key: an older version of the service is still running. Try again, or without the key.',
    retryAfter: RETRY_AFTER_SECONDS,
  },
};

export interface SortedAsks {
  readonly allowed: readonly Ask[];
  readonly refused: readonly Ask[];
}

export function sortBySchema(partition: PartitionName, schema: number, asks: readonly Ask[]): SortedAsks {
  if (schema >= ANSWERS_SCHEMA[partition === 'directory' ? 'directory' : 'shard']) return { allowed: asks, refused: [] };
  return { allowed: asks.filter((ask) => !hasKey(ask.command)), refused: asks.filter((ask) => hasKey(ask.command)) };
}

/**
 * The lease that an owner with commits for this schema grants itself. An older program halts its copy at the record of a
 * newer schema, so it never succeeds an owner whose lease it cannot read.
 */
export function grantedLease(partition: PartitionName, schema: number, leaseMs: number): number {
  return schema >= LEASE_SCHEMA[partition === 'directory' ? 'directory' : 'shard'] ? leaseMs : Math.min(leaseMs, FORMER_LEASE_MS);
}

function hasKey(command: PartitionCommand): boolean {
  if ('op' in command) return command.op === 'once' || command.op === 'once.find';
  if (command.kind === 'import') return command.keep !== undefined;
  return command.kind === 'keyed' || command.kind === 'answer.find';
}
