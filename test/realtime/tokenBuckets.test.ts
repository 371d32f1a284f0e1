import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { BoundedMap } from '../../src/flow/boundedMap.js';
import { TokenBuckets } from '../../src/flow/tokenBuckets.js';
import { OwnerCounts } from '../../src/flow/ownerCounts.js';
import { range } from '../support/realtime/realtimeBoard.js';

t.test('SHARE21 a limiter allows a burst and then a steady rate, for each user, and forgets those who waited', async (t) => {
  let now = 0;
  const limiter = new TokenBuckets({ burst: 3, perSecond: 2 }, { now: () => now });
  const takes = (user: string, count: number): number[] => range(1, count).map(() => limiter.take(user));
  t.strictSame(takes('ann', 5), [0, 0, 0, 0.5, 0.5]);
  t.equal(limiter.take('bob'), 0);
  now += 250;
  t.equal(limiter.take('ann'), 0.25, 'a refusal costs nothing');
  now += 250;
  t.strictSame(takes('ann', 2), [0, 0.5]);
  now += 1_000;
  limiter.sweep();
  t.strictSame(takes('ann', 3), [0, 0, 0.5], 'a sweep changes nothing');
  now += 60_000;
  limiter.sweep();
  t.strictSame(takes('ann', 4), [0, 0, 0, 0.5], 'nor gives a long wait more than the burst');
});

t.test('SHARE21 in no time are more allowed than the burst and the rate, and who waits as told is allowed', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 50 }), fc.array(fc.nat({ max: 400 })), (burst, perSecond, waits) => {
      let now = 0;
      const limiter = new TokenBuckets({ burst, perSecond }, { now: () => now });
      const taken: number[] = [];
      for (const [index, wait] of waits.entries()) {
        now += wait;
        if (index % 7 === 0) limiter.sweep();
        const retryAfter = limiter.take('ann');
        if (retryAfter === 0) taken.push(now);
        for (const from of taken) {
          const count = taken.filter((at) => at >= from).length;
          assert.ok(count <= burst + ((now - from) / 1000) * perSecond + 1e-6);
        }
        if (retryAfter === 0) continue;
        // A little later than told, because of rounding.
        now += retryAfter * 1000 + 1e-6;
        assert.equal(limiter.take('ann'), 0);
        taken.push(now);
      }
    }),
  );
});

t.test('SHARE19 a counts counts for each owner, and keeps nothing of those with none', async (t) => {
  const counts = new OwnerCounts<string>();
  counts.add('ann', 2);
  counts.add('bob', 1);
  counts.add('ann', -1);
  t.strictSame([counts.of('ann'), counts.of('bob'), counts.of('cy')], [1, 1, 0]);
  counts.add('ann', -1);
  t.strictSame([counts.has('ann'), counts.ids()], [false, ['bob']]);
  counts.add('cy', 0);
  t.strictSame(counts.ids(), ['bob']);
  counts.clear();
  t.strictSame(counts.ids(), []);
});

t.test('a bounded map drops what was set longest ago, and token buckets start anew for it', async (t) => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  t.strictSame([map.get('a'), map.has('b'), map.get('c')], [3, false, 4]);
  map.delete('a');
  t.strictSame([...map.entries()], [['c', 4]]);
  const limiter = new TokenBuckets({ burst: 1, perSecond: 1 }, { now: () => 0, maxOwners: 2 });
  t.strictSame(
    ['ann', 'bob', 'ann', 'bob', 'cy', 'bob', 'ann'].map((owner) => limiter.take(owner)),
    [0, 0, 1, 1, 0, 1, 0],
  );
  limiter.spend('cy');
  t.equal(limiter.wait('cy'), 1, 'nothing is owed beyond an empty bucket');
});
