import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { StationName } from '../../src/partitions/messages.js';
import { planPlacement } from '../../src/cluster/placement.js';
import type { InstanceState } from '../../src/partitions/ownership.js';

interface Layout {
  readonly stations: readonly StationName[];
  readonly instances: readonly InstanceState[];
}

/** Any number of instances, some of them leaving, and stations with any owner or none. */
const layouts: fc.Arbitrary<Layout> = fc
  .record({
    instances: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    owners: fc.array(fc.nat(7), { minLength: 1, maxLength: 24 }),
  })
  .map(({ instances, owners }) => {
    const stations = owners.map((_owner, index): StationName => (index === 0 ? 'directory' : `shard ${index - 1}`));
    return {
      stations,
      instances: instances.map((leaving, place) => ({
        id: `instance ${place}`,
        leaving,
        stations: stations.filter((_station, index) => owners[index] === place),
      })),
    };
  });

function staying({ instances }: Layout): readonly InstanceState[] {
  return instances.filter(({ leaving }) => !leaving);
}

function ownerless({ stations, instances }: Layout): StationName[] {
  return stations.filter((station) => !instances.some((instance) => instance.stations.includes(station)));
}

/** Everyone does what they plan, as an instance does it: takes all, and gives the first. */
function step({ stations, instances }: Layout): Layout {
  return {
    stations,
    instances: instances.map((instance) => {
      const { take, give } = planPlacement(instance.id, instances, stations);
      const kept = instance.stations.filter((station) => station !== give[0]);
      return { ...instance, stations: [...kept, ...take] };
    }),
  };
}

function isSettled({ instances, stations }: Layout): boolean {
  return instances.every(({ id }) => {
    const { take, give } = planPlacement(id, instances, stations);
    return take.length + give.length === 0;
  });
}

t.test('PLACE1 whatever the start, every station gets one owner and the load is even', async () => {
  fc.assert(
    fc.property(layouts, (start) => {
      let layout = start;
      for (let steps = 0; !isSettled(layout); steps += 1) {
        if (steps > 3 * start.stations.length) throw new Error('it does not settle');
        layout = step(layout);
      }
      const loads = staying(layout).map(({ stations }) => stations.length);
      const owned = layout.instances.flatMap(({ stations }) => stations);
      assert.equal(new Set(owned).size, owned.length, 'nothing has two owners');
      if (loads.length === 0) return;
      assert.deepEqual([...owned].sort(), [...layout.stations].sort(), 'everything has an owner');
      assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, 'nobody has two more than another');
    }),
  );
});

t.test('PLACE2 those who see the same take the same: all that has no owner, and nothing twice', async () => {
  fc.assert(
    fc.property(layouts, (layout) => {
      const takes = layout.instances.flatMap(({ id }) => planPlacement(id, layout.instances, layout.stations).take);
      const expected = staying(layout).length === 0 ? [] : ownerless(layout);
      assert.deepEqual([...takes].sort(), [...expected].sort());
    }),
  );
});

t.test('PLACE3 an even load is left alone, also while the stations of one that died are being taken', async () => {
  fc.assert(
    fc.property(layouts, fc.nat(5), (start, victim) => {
      let layout: Layout = { ...start, instances: start.instances.map((each) => ({ ...each, leaving: false })) };
      while (!isSettled(layout)) layout = step(layout);
      const dead = layout.instances[victim % layout.instances.length]?.id;
      const instances = layout.instances.filter(({ id }) => id !== dead);
      for (const { id } of instances) assert.deepEqual(planPlacement(id, instances, layout.stations).give, []);
    }),
  );
});

t.test('PLACE4 an instance that leaves gives everything away and takes nothing', async () => {
  fc.assert(
    fc.property(layouts, ({ stations, instances }) => {
      for (const { id, leaving, stations: own } of instances) {
        if (leaving) assert.deepEqual(planPlacement(id, instances, stations), { take: [], give: own });
      }
    }),
  );
});

t.test('PLACE5 a newcomer is given its share by those who have more, and nothing else moves', async (t) => {
  const stations = Array.from({ length: 9 }, (_, shard): StationName => `shard ${shard}`);
  const instances: InstanceState[] = [
    { id: 'a', leaving: false, stations: stations.slice(0, 5) },
    { id: 'b', leaving: false, stations: stations.slice(5) },
    { id: 'c', leaving: false, stations: [] },
  ];
  t.strictSame(planPlacement('a', instances, stations), { take: [], give: ['shard 3', 'shard 4'] });
  t.strictSame(planPlacement('b', instances, stations), { take: [], give: ['shard 8'] });
  t.strictSame(planPlacement('c', instances, stations), { take: [], give: [] });
});
