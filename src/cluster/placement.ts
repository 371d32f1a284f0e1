/**
 * Which instance should own which station. Instances tell each other by heartbeats what they own; from that each works
 * out by itself what it should take or give. Two that disagree do no harm: the operating system's lock decides, and
 * heartbeats only say who should try.
 */
import type { StationName } from '../partitions/messages.js';
import type { InstanceState } from '../partitions/ownership.js';

export interface PlacementStep {
  readonly take: readonly StationName[];
  readonly give: readonly StationName[];
}

/** What instance `self` should do now. `instances` are those that live, `self` among them. */
export function planPlacement(
  self: string,
  instances: readonly InstanceState[],
  stations: readonly StationName[],
): PlacementStep {
  const staying = instances.filter(({ leaving }) => !leaving).sort((a, b) => (a.id < b.id ? -1 : 1));
  const own = instances.find(({ id }) => id === self)?.stations ?? [];
  if (!staying.some(({ id }) => id === self)) return { take: [], give: own };
  const loads = new Map(staying.map((instance) => [instance.id, instance.stations.length]));
  return { take: takenBy(self, instances, stations, loads), give: givenBy(self, own, stations.length, loads) };
}

/** Stations without an owner go, one after the other, to whoever has least. Everyone works out the same. */
function takenBy(
  self: string,
  instances: readonly InstanceState[],
  stations: readonly StationName[],
  loads: Map<string, number>,
): StationName[] {
  const owned = new Set(instances.flatMap((instance) => instance.stations));
  const taken: StationName[] = [];
  for (const station of stations) {
    if (owned.has(station)) continue;
    const [least] = [...loads].sort(([idA, a], [idB, b]) => a - b || (idA < idB ? -1 : 1));
    if (least === undefined) break;
    loads.set(least[0], least[1] + 1);
    if (least[0] === self) taken.push(station);
  }
  return taken;
}

/** Who has more than a fair share gives the rest away; then who has most gives one to whoever is short of theirs. */
function givenBy(
  self: string,
  own: readonly StationName[],
  total: number,
  loads: ReadonlyMap<string, number>,
): readonly StationName[] {
  const fair = total / loads.size;
  const surplus = own.length - Math.ceil(fair);
  if (surplus > 0) return own.slice(-surplus);
  const isSomeoneShort = [...loads.values()].some((load) => load < Math.floor(fair));
  const [richest] = [...loads].sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1));
  return isSomeoneShort && richest?.[0] === self && own.length > Math.floor(fair) ? own.slice(-1) : [];
}
