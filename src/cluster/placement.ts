/**
 * Decides which instance should own which partition. Each instance knows from heartbeats what the others own, and
 * computes alone what to take or give. Two instances that disagree do no harm: the operating system's lock decides who
 * owns a partition.
 */
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceState } from '../partitions/ownership.js';

export interface PlacementStep {
  readonly take: readonly PartitionName[];
  readonly give: readonly PartitionName[];
}

/** The next step of instance `self`. `instances` are the live ones, including `self`. */
export function planPlacement(
  self: string,
  instances: readonly InstanceState[],
  partitions: readonly PartitionName[],
): PlacementStep {
  const staying = instances.filter(({ leaving, drained }) => !leaving && drained !== true).sort((a, b) => (a.id < b.id ? -1 : 1));
  const own = instances.find(({ id }) => id === self)?.partitions ?? [];
  if (!staying.some(({ id }) => id === self)) return { take: [], give: own };
  const loadsOf = (some: readonly InstanceState[]): Map<string, number> => new Map(some.map(({ id, partitions: { length } }) => [id, length]));
  // A partition that is given to an instance which cannot take it yet would be out of reach meanwhile.
  const ready = staying.filter(({ id, joining }) => joining !== true || id === self);
  return { take: takenBy(self, instances, partitions, loadsOf(staying)), give: givenBy(self, own, partitions.length, loadsOf(ready)) };
}

/** Assigns each partition without an owner to the instance with the fewest. Every instance computes the same result. */
function takenBy(
  self: string,
  instances: readonly InstanceState[],
  partitions: readonly PartitionName[],
  loads: Map<string, number>,
): PartitionName[] {
  const owned = new Set(instances.flatMap((instance) => instance.partitions));
  const taken: PartitionName[] = [];
  for (const partition of partitions) {
    if (owned.has(partition)) continue;
    const [least] = [...loads].sort(([idA, a], [idB, b]) => a - b || (idA < idB ? -1 : 1));
    if (least === undefined) break;
    loads.set(least[0], least[1] + 1);
    if (least[0] === self) taken.push(partition);
  }
  return taken;
}

/**
 * An instance above its fair share gives the surplus away; then the one with the most gives one if another is below its
 * share.
 */
function givenBy(
  self: string,
  own: readonly PartitionName[],
  total: number,
  loads: ReadonlyMap<string, number>,
): readonly PartitionName[] {
  const fair = total / loads.size;
  const surplus = own.length - Math.ceil(fair);
  if (surplus > 0) return own.slice(-surplus);
  const isSomeoneShort = [...loads.values()].some((load) => load < Math.floor(fair));
  const [richest] = [...loads].sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1));
  return isSomeoneShort && richest?.[0] === self && own.length > Math.floor(fair) ? own.slice(-1) : [];
}
