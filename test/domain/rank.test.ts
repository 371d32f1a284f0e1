import fc from 'fast-check';
import t from 'tap';
import { Order, type Entry } from '../../src/domain/board/order/order.js';
import { place, RANK_LIMIT, type Placing } from '../../src/domain/board/order/rank.js';
import { RANK_GAP } from '../../src/domain/content/defaults.js';

/** Siblings with these ranks, named by their position. */
function placeAmong(ranks: readonly number[], position: number, mover: number | null = null): Placing {
  return place(Order.from(ranks.map((rank, index) => ({ id: String(index), rank }))), position, mover);
}

t.test('the first entry has rank 65,536, an end is one gap away, and between two entries is the middle', async (t) => {
  t.strictSame(placeAmong([], 0), { rank: 65_536, shifted: [] });
  t.strictSame(placeAmong([65_536], 1), { rank: 131_072, shifted: [] });
  t.strictSame(placeAmong([65_536], 0), { rank: 0, shifted: [] });
  t.strictSame(placeAmong([0, 65_536], 1), { rank: 32_768, shifted: [] });
  t.strictSame(placeAmong([3, 5], 1), { rank: 4, shifted: [] });
});

t.test('without an integer between two siblings, the nearest hole decides who moves', async (t) => {
  const oneToTheLeft = placeAmong([0, 100, 101, 102, 103], 2);
  t.strictSame(oneToTheLeft, { rank: 67, shifted: [{ id: '1', rank: 33 }] });
  const oneToTheRight = placeAmong([97, 98, 99, 100, 200], 3);
  t.strictSame(oneToTheRight, { rank: 132, shifted: [{ id: '3', rank: 166 }] });
  const twoToTheLeft = placeAmong([80, 98, 99, 100, 101, 102, 103, 104, 105, 106], 3);
  const shifted = [
    { id: '1', rank: 85 },
    { id: '2', rank: 90 },
  ];
  t.strictSame(twoToTheLeft, { rank: 95, shifted }, 'rather than the long row to the right');
});

t.test('of two equally small windows the roomier one is used', async (t) => {
  t.strictSame(placeAmong([0, 10, 11, 1000], 2).shifted, [{ id: '2', rank: 670 }]);
  t.strictSame(placeAmong([-1000, 10, 11, 20], 2).shifted, [{ id: '1', rank: -663 }]);
});

t.test('a window with gaps narrower than its number of entries is extended', async (t) => {
  t.strictSame(placeAmong([0, 20, 24, 25, 26, 27, 28, 29], 3), {
    rank: 18,
    shifted: [
      { id: '1', rank: 6 },
      { id: '2', rank: 12 },
    ],
  });
});

t.test('an open end grows by the gap', async (t) => {
  t.strictSame(placeAmong([1, 2, 9, 10], 1), {
    rank: 2 - RANK_GAP,
    shifted: [{ id: '0', rank: 2 - 2 * RANK_GAP }],
  });
  t.strictSame(placeAmong([1, 7, 8], 2), { rank: 7 + RANK_GAP, shifted: [{ id: '2', rank: 7 + 2 * RANK_GAP }] });
});

t.test('RANK8 at the limits of rank the ends are closed and the list still accepts entries', async (t) => {
  t.strictSame(placeAmong([RANK_LIMIT - 1], 1), { rank: RANK_LIMIT, shifted: [] });
  const last = placeAmong([5, RANK_LIMIT], 2);
  t.ok(last.rank <= RANK_LIMIT && last.rank > (last.shifted[0]?.rank ?? RANK_LIMIT));
  const first = placeAmong([-RANK_LIMIT, 0], 0);
  t.ok(first.rank >= -RANK_LIMIT && first.rank < (first.shifted[0]?.rank ?? -RANK_LIMIT));
});

const crowdedRanks = fc
  .record({
    start: fc.constantFrom(0, -3, RANK_LIMIT - 200, -RANK_LIMIT),
    steps: fc.array(fc.constantFrom(1, 1, 1, 1, 2, 3, 50, 65_536), { maxLength: 40 }),
  })
  .map(({ start, steps }) => {
    const ranks = [start];
    for (const step of steps) ranks.push((ranks.at(-1) ?? start) + step);
    return ranks.filter((rank) => rank <= RANK_LIMIT);
  });

const cases = fc.record({ ranks: crowdedRanks, spot: fc.nat() }).map(({ ranks, spot }) => {
  return { ranks, position: spot % (ranks.length + 1) };
});

t.test('RANK8 a new entry stands at its position, and all ranks are distinct, safe integers in order', async (t) => {
  fc.assert(
    fc.property(cases, ({ ranks, position }) => {
      const { rank, shifted } = placeAmong(ranks, position);
      const after = [...ranks];
      for (const sibling of shifted) after[Number(sibling.id)] = sibling.rank;
      after.splice(position, 0, rank);
      return after.every((value, index) => {
        const next = after[index + 1] ?? Infinity;
        return Number.isSafeInteger(value) && Math.abs(value) <= RANK_LIMIT && value < next;
      });
    }),
    { numRuns: 2000 },
  );
  t.pass('held for every list');
});

t.test('RANK8 siblings move one by one without changing places', async (t) => {
  fc.assert(
    fc.property(cases, ({ ranks, position }) => {
      const current = [...ranks];
      return placeAmong(ranks, position).shifted.every(({ id, rank }) => {
        const moved = current[Number(id)] !== rank;
        current[Number(id)] = rank;
        return moved && current.every((value, index) => value < (current[index + 1] ?? Infinity));
      });
    }),
    { numRuns: 2000 },
  );
  t.pass('held for every list');
});

t.test('RANK8 no more siblings move than up to the nearest roomy place on one side', async (t) => {
  const gapWith = (ranks: readonly number[], from: number, to: number): number => {
    if (from === 0 || to === ranks.length) return RANK_GAP;
    return Math.floor(((ranks[to] ?? 0) - (ranks[from - 1] ?? 0)) / (to - from + 2));
  };
  const nearestRoom = (ranks: readonly number[], position: number): number => {
    let reach = 0;
    const enough = (from: number, to: number): boolean => from >= 0 && to <= ranks.length && gapWith(ranks, from, to) > reach;
    while (!enough(position - reach, position) && !enough(position, position + reach)) reach += 1;
    return reach;
  };
  const away = cases.filter(({ ranks }) => ranks.every((rank) => Math.abs(rank) < RANK_LIMIT / 2));
  fc.assert(
    fc.property(away, ({ ranks, position }) => {
      return placeAmong(ranks, position).shifted.length <= nearestRoom(ranks, position);
    }),
    { numRuns: 2000 },
  );
  t.pass('held for every list');
});

t.test('RANK8 however many entries go to one position, each moves few siblings on average', async (t) => {
  const entries = Array.from({ length: 1000 }, (_, n) => ({ id: `${n}`, rank: (n + 1) * RANK_GAP }));
  const goTo500 = (placingOf: (order: Order, mover: Entry) => Placing): number => {
    let order = Order.from(entries);
    const ranks = new Map(entries.map(({ id, rank }) => [id, rank]));
    const set = ({ id, rank }: Entry): void => {
      order = order.remove({ id, rank: ranks.get(id) ?? 0 }).insert({ id, rank });
      ranks.set(id, rank);
    };
    let shifts = 0;
    for (let n = 1; n <= 2000; n++) {
      const id = `${(n * 7919) % 1000}`;
      const { rank, shifted } = placingOf(order, { id, rank: ranks.get(id) ?? 0 });
      for (const sibling of shifted) set(sibling);
      set({ id, rank });
      shifts += shifted.length;
    }
    return shifts / 2000;
  };
  const taken = goTo500((order, mover) => place(order.remove(mover), 500));
  t.ok(taken > 0 && taken < 6, `${taken} siblings for each that comes from elsewhere`);
  const moved = goTo500((order, mover) => {
    const from = order.positionOf(mover);
    return place(order, from < 500 ? 501 : 500, from);
  });
  t.ok(moved > 0 && moved < 6, `${moved} siblings for each that moves within the list`);
});

const moves = fc.record({ ranks: crowdedRanks, spot: fc.nat(), pick: fc.nat() }).map(({ ranks, spot, pick }) => {
  return { ranks, position: spot % (ranks.length + 1), mover: pick % ranks.length };
});

t.test('RANK8 siblings make room without passing the moved entry, which keeps its rank', async (t) => {
  const away = moves.filter(({ ranks }) => ranks.every((rank) => Math.abs(rank) < RANK_LIMIT / 2));
  fc.assert(
    fc.property(away, ({ ranks, position, mover }) => {
      const current = [...ranks];
      return placeAmong(ranks, position, mover).shifted.every(({ id, rank }) => {
        current[Number(id)] = rank;
        return Number(id) !== mover && current.every((value, index) => value < (current[index + 1] ?? Infinity));
      });
    }),
    { numRuns: 2000 },
  );
  t.strictSame(placeAmong([10, 20, 21, 22, 900], 2, 3), { rank: 17, shifted: [{ id: '1', rank: 13 }] });
  t.strictSame(placeAmong([10, 20, 21, 30], 2, 3), { rank: 23, shifted: [{ id: '2', rank: 26 }] }, 'up to the wall');
});

t.test('RANK8 at a limit the moved entry makes room too, without changing places', async (t) => {
  const [low, high] = [-RANK_LIMIT, RANK_LIMIT];
  t.ok(placeAmong([low, low + 1, low + 2], 0, 2).shifted.some(({ id }) => id === '2'));
  t.ok(placeAmong([high - 2, high - 1, high], 3, 0).shifted.some(({ id }) => id === '0'));
  fc.assert(
    fc.property(moves, ({ ranks, position, mover }) => {
      const current = [...ranks];
      const { rank, shifted } = placeAmong(ranks, position, mover);
      const steps = shifted.every((sibling) => {
        current[Number(sibling.id)] = sibling.rank;
        return current.every((value, index) => value < (current[index + 1] ?? Infinity));
      });
      const between = (current[position - 1] ?? -Infinity) < rank && rank < (current[position] ?? Infinity);
      return steps && between && Math.abs(rank) <= RANK_LIMIT;
    }),
    { numRuns: 2000 },
  );
  t.pass('held for every list');
});
