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

export interface Candidate extends InstanceState {
  /** The partitions that it cannot take, because its copies of them have halted or are missing. */
  readonly unable?: ReadonlySet<PartitionName>;
}

/** The next step of instance `self`. `instances` are the live ones, including `self`. */
export function planPlacement(self: string, instances: readonly Candidate[], partitions: readonly PartitionName[]): PlacementStep {
  const staying = instances.filter(({ leaving, drained }) => !leaving && drained !== true).sort((a, b) => (a.id < b.id ? -1 : 1));
  const { partitions: own = [], leaving = true } = instances.find(({ id }) => id === self) ?? {};
  if (leaving) return { take: [], give: own };
  // What no other instance can take stays with one that an operator took out of service.
  if (!staying.some(({ id }) => id === self)) {
    return { take: [], give: own.filter((partition) => staying.some((each) => canTake(each, partition))) };
  }
  // A partition that is given to an instance which cannot take it yet would be out of reach meanwhile.
  const ready = staying.filter(({ id, joining }) => joining !== true || id === self);
  return { take: takenBy(self, instances, partitions, staying), give: givenBy(self, own, partitions, ready) };
}

/** Assigns each partition without an owner to the able instance with the fewest. Every instance computes the same result. */
function takenBy(
  self: string,
  instances: readonly Candidate[],
  partitions: readonly PartitionName[],
  staying: readonly Candidate[],
): PartitionName[] {
  const owned = new Set(instances.flatMap((instance) => instance.partitions));
  const loads = loadsOf(staying);
  const loadOf = ({ id }: Candidate): number => loads.get(id) ?? 0;
  const taken: PartitionName[] = [];
  for (const partition of partitions) {
    if (owned.has(partition)) continue;
    const [least] = staying.filter((each) => canTake(each, partition)).sort((a, b) => loadOf(a) - loadOf(b) || (a.id < b.id ? -1 : 1));
    if (least === undefined) continue;
    loads.set(least.id, loadOf(least) + 1);
    if (least.id === self) taken.push(partition);
  }
  return taken;
}

/**
 * An instance above its fair share gives the surplus away; then the one with the most gives one if another is below its
 * share. Each only if an instance with fewer can take it: a partition that none of them can take would come back, and be
 * out of reach again and again.
 */
function givenBy(
  self: string,
  own: readonly PartitionName[],
  partitions: readonly PartitionName[],
  ready: readonly Candidate[],
): readonly PartitionName[] {
  const able = ready.filter((each) => each.id === self || partitions.some((partition) => canTake(each, partition)));
  const fair = partitions.length / able.length;
  const receivers = able.filter((each) => each.id !== self && each.partitions.length + 1 < own.length);
  const movable = own.filter((partition) => receivers.some((each) => canTake(each, partition)));
  const surplus = own.length - Math.ceil(fair);
  if (surplus > 0) return movable.slice(-surplus);
  const isSomeoneShort = able.some((each) => each.partitions.length < Math.floor(fair));
  const [richest] = [...loadsOf(able)].sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1));
  return isSomeoneShort && richest?.[0] === self && own.length > Math.floor(fair) ? movable.slice(-1) : [];
}

function canTake({ unable }: Candidate, partition: PartitionName): boolean {
  return unable?.has(partition) !== true;
}

function loadsOf(instances: readonly Candidate[]): Map<string, number> {
  return new Map(instances.map(({ id, partitions: { length } }) => [id, length]));
}
