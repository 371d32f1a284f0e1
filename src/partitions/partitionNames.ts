import { AppError } from '../domain/errors.js';
import type { PartitionName, ShardName } from './messages.js';

/** The directory, then the shards. */
export function partitionNames(shards: number): PartitionName[] {
  return ['directory', ...shardNames(shards)];
}

export function shardNames(count: number): ShardName[] {
  return Array.from({ length: count }, (_, shard): ShardName => `shard ${shard}`);
}

/** Of the name of a shard. */
export function shardNumber(name: PartitionName): number {
  if (name === 'directory') throw new Error('the directory is no shard');
  return Number(name.slice('shard '.length));
}

/** As an operator types it: `directory`, `shard 3` or `shard-3`. */
export function parsePartition(text: string, partitions: readonly PartitionName[]): PartitionName {
  const found = partitions.find((partition) => partition === text || partition.replace(' ', '-') === text);
  if (found === undefined) throw new AppError('invalid', `There is no partition "${text}": name the directory, or a shard as in shard-0.`);
  return found;
}

/** For example `directory, shards 0-3 7`. */
export function namesOf(partitions: readonly PartitionName[]): string {
  const shards = partitions
    .filter((partition) => partition !== 'directory')
    .map((partition) => shardNumber(partition))
    .sort((a, b) => a - b);
  const names = partitions.includes('directory') ? ['directory'] : [];
  if (shards.length > 0) names.push(`${shards.length === 1 ? 'shard' : 'shards'} ${runsOf(shards).join(' ')}`);
  return names.length === 0 ? 'nothing' : names.join(', ');
}

/** Joins consecutive numbers to ranges. */
function runsOf(numbers: readonly number[]): string[] {
  const runs: Array<{ from: number; to: number }> = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last.to === number - 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
}
