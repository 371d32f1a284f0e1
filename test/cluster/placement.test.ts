import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { PartitionName } from '../../src/partitions/messages.js';
import { planPlacement, type Candidate } from '../../src/cluster/placement.js';
import type { InstanceState } from '../../src/partitions/ownership.js';

interface Layout {
  readonly partitions: readonly PartitionName[];
  readonly instances: readonly Candidate[];
}

/** Any number of instances, some of them leaving, and partitions with any owner or none. */
const layouts: fc.Arbitrary<Layout> = fc
  .record({
    instances: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
    owners: fc.array(fc.nat(7), { minLength: 1, maxLength: 24 }),
  })
  .map(({ instances, owners }) => {
    const partitions = owners.map((_owner, index): PartitionName => (index === 0 ? 'directory' : `shard ${index - 1}`));
    return {
      partitions,
      instances: instances.map((leaving, place) => ({
        id: `instance ${place}`,
        leaving,
        partitions: partitions.filter((_partition, index) => owners[index] === place),
      })),
    };
  });

function staying({ instances }: Layout): readonly InstanceState[] {
  return instances.filter(({ leaving }) => !leaving);
}

function ownerless({ partitions, instances }: Layout): PartitionName[] {
  return partitions.filter((partition) => !instances.some((instance) => instance.partitions.includes(partition)));
}

/** Each instance carries out its plan: takes all, and gives the first. */
function step({ partitions, instances }: Layout): Layout {
  return {
    partitions,
    instances: instances.map((instance) => {
      const { take, give } = planPlacement(instance.id, instances, partitions);
      const kept = instance.partitions.filter((partition) => partition !== give[0]);
      return { ...instance, partitions: [...kept, ...take] };
    }),
  };
}

function isSettled({ instances, partitions }: Layout): boolean {
  return instances.every(({ id }) => {
    const { take, give } = planPlacement(id, instances, partitions);
    return take.length + give.length === 0;
  });
}

t.test('PLACE1 from any start every partition gets one owner, and the load becomes even', async () => {
  fc.assert(
    fc.property(layouts, (start) => {
      let layout = start;
      for (let steps = 0; !isSettled(layout); steps += 1) {
        if (steps > 3 * start.partitions.length) throw new Error('the placement does not become stable');
        layout = step(layout);
      }
      const loads = staying(layout).map(({ partitions }) => partitions.length);
      const owned = layout.instances.flatMap(({ partitions }) => partitions);
      assert.equal(new Set(owned).size, owned.length, 'nothing has two owners');
      if (loads.length === 0) return;
      assert.deepEqual([...owned].sort(), [...layout.partitions].sort(), 'everything has an owner');
      assert.ok(Math.max(...loads) - Math.min(...loads) <= 1, 'no instance has two more than another');
    }),
  );
});

t.test('PLACE1 instances with the same view take every partition without an owner, and none twice', async () => {
  fc.assert(
    fc.property(layouts, (layout) => {
      const takes = layout.instances.flatMap(({ id }) => planPlacement(id, layout.instances, layout.partitions).take);
      const expected = staying(layout).length === 0 ? [] : ownerless(layout);
      assert.deepEqual([...takes].sort(), [...expected].sort());
    }),
  );
});

t.test('PLACE1 an even load is left alone, also while the partitions of a dead instance are taken', async () => {
  fc.assert(
    fc.property(layouts, fc.nat(5), (start, victim) => {
      let layout: Layout = { ...start, instances: start.instances.map((each) => ({ ...each, leaving: false })) };
      while (!isSettled(layout)) layout = step(layout);
      const dead = layout.instances[victim % layout.instances.length]?.id;
      const instances = layout.instances.filter(({ id }) => id !== dead);
      for (const { id } of instances) assert.deepEqual(planPlacement(id, instances, layout.partitions).give, []);
    }),
  );
});

t.test('PLACE1 a leaving instance gives everything away and takes nothing', async () => {
  fc.assert(
    fc.property(layouts, ({ partitions, instances }) => {
      for (const { id, leaving, partitions: own } of instances) {
        if (leaving) assert.deepEqual(planPlacement(id, instances, partitions), { take: [], give: own });
      }
    }),
  );
});

t.test('PLACE1 a new instance gets its share from those with more, and nothing else moves', async (t) => {
  const partitions = Array.from({ length: 9 }, (_, shard): PartitionName => `shard ${shard}`);
  const instances: InstanceState[] = [
    { id: 'a', leaving: false, partitions: partitions.slice(0, 5) },
    { id: 'b', leaving: false, partitions: partitions.slice(5) },
    { id: 'c', leaving: false, partitions: [] },
  ];
  t.strictSame(planPlacement('a', instances, partitions), { take: [], give: ['shard 3', 'shard 4'] });
  t.strictSame(planPlacement('b', instances, partitions), { take: [], give: ['shard 8'] });
  t.strictSame(planPlacement('c', instances, partitions), { take: [], give: [] });
});

t.test('PLACE10 a partition is given only where it can be taken, and the placement becomes stable', async (t) => {
  const partitions = ['directory', 'shard 0', 'shard 1', 'shard 2'] as const;
  const instances = (unable: readonly PartitionName[]): Candidate[] => [
    { id: 'a', leaving: false, partitions },
    { id: 'b', leaving: false, partitions: [], unable: new Set(unable) },
  ];
  t.strictSame(planPlacement('a', instances(['shard 2']), partitions), { take: [], give: ['shard 0', 'shard 1'] });
  t.strictSame(planPlacement('a', instances(partitions), partitions), { take: [], give: [] });
  t.strictSame(
    planPlacement('b', [{ id: 'a', leaving: false, partitions: [] }, ...instances(['shard 2']).slice(1)], partitions),
    {
      take: ['shard 0'],
      give: [],
    },
    'what another one must take is not taken',
  );

  fc.assert(
    fc.property(layouts, fc.array(fc.array(fc.nat(23), { maxLength: 24 }), { minLength: 6, maxLength: 6 }), (start, halted) => {
      const unableAt = (place: number): Set<PartitionName> => new Set((halted[place] ?? []).flatMap((index) => start.partitions[index] ?? []));
      let layout: Layout = {
        ...start,
        instances: start.instances.map((each, place) => {
          const unable = unableAt(place);
          return { ...each, unable, partitions: each.partitions.filter((partition) => !unable.has(partition)) };
        }),
      };
      for (let steps = 0; !isSettled(layout); steps += 1) {
        if (steps > 3 * start.partitions.length) throw new Error('the placement does not become stable');
        layout = step(layout);
      }
      for (const { partitions: owned, unable } of layout.instances as Candidate[]) {
        assert.ok(
          owned.every((partition) => unable?.has(partition) !== true),
          'no copy that halted owns its partition',
        );
      }
      for (const partition of ownerless(layout)) {
        const isAble = ({ leaving, unable }: Candidate): boolean => !leaving && unable?.has(partition) !== true;
        assert.ok(!layout.instances.some(isAble), 'what can be taken has an owner');
      }
    }),
  );
});

t.test('PLACE10 an instance that has just started is given nothing until it can take partitions', async (t) => {
  const partitions = ['directory', 'shard 0', 'shard 1'] as const;
  const instances = (joining: boolean): InstanceState[] => [
    { id: 'a', leaving: false, partitions },
    { id: 'b', leaving: false, partitions: [], ...(joining ? { joining } : {}) },
  ];
  t.strictSame(planPlacement('a', instances(true), partitions), { take: [], give: [] });
  t.strictSame(planPlacement('a', instances(false), partitions), { take: [], give: ['shard 1'] });
});
