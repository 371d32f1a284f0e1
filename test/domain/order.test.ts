import fc from 'fast-check';
import t from 'tap';
import { Order, type Entry } from '../../src/domain/board/order/order.js';

const byRank = (a: Entry, b: Entry): number => a.rank - b.rank || (a.id < b.id ? -1 : 1);

const entries = (count: number): Entry[] => Array.from({ length: count }, (_, index) => ({ id: `id${index}`, rank: index * 10 }));

t.test('RANK8 an order lists its entries by rank, independent of the order of insertion', async (t) => {
  const order = Order.from([
    { id: 'c', rank: 3 },
    { id: 'a', rank: -1 },
    { id: 'b', rank: 2 },
  ]);
  t.strictSame(
    [...order].map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  t.equal(order.size, 3);
});

t.test('RANK8 equal ranks are ordered by id, so that every load gives the same order', async (t) => {
  const order = Order.empty.insert({ id: 'z', rank: 1 }).insert({ id: 'a', rank: 1 });
  t.strictSame(
    [...order].map(({ id }) => id),
    ['a', 'z'],
  );
});

t.test('positions and ranks inside the list are found, and nothing outside it', async (t) => {
  const all = entries(1000);
  const order = Order.from(all);
  t.strictSame(
    all.map((_entry, index) => order.at(index)),
    all,
  );
  t.strictSame(
    all.map((entry) => order.positionOf(entry)),
    [...all.keys()],
  );
  t.equal(order.at(-1), undefined);
  t.equal(order.at(1000), undefined);
  t.equal(order.positionOf({ id: 'id5', rank: 51 }), -1);
  t.equal(order.positionOf({ id: 'other', rank: 50 }), -1);
  t.equal(Order.empty.at(0), undefined);
  t.equal(Order.empty.positionOf({ id: 'a', rank: 1 }), -1);
});

t.test('a write leaves the original order unchanged', async (t) => {
  const all = entries(500);
  const order = Order.from(all);
  const grown = order.insert({ id: 'new', rank: 55 });
  const shrunk = order.remove({ id: 'id7', rank: 70 });
  t.strictSame([...order], all);
  t.equal(grown.positionOf({ id: 'new', rank: 55 }), 6);
  t.equal(shrunk.size, 499);
  t.equal(shrunk.at(7)?.id, 'id8');
});

t.test('removing a missing entry throws', async (t) => {
  t.throws(() => Order.from(entries(3)).remove({ id: 'id1', rank: 11 }), /not at rank 11/);
});

t.test('RANK8 any series of writes gives the same order as sorting a plain list', async (t) => {
  const write = fc.record({ remove: fc.boolean(), pick: fc.nat(), rank: fc.integer({ min: -500, max: 500 }) });
  fc.assert(
    fc.property(fc.nat(400), fc.array(write, { maxLength: 300 }), (start, writes) => {
      const model = entries(start);
      let order = Order.from(model);
      for (const [n, { remove, pick, rank }] of writes.entries()) {
        if (remove && model.length > 0) {
          const [gone] = model.splice(pick % model.length, 1);
          if (gone !== undefined) order = order.remove(gone);
        } else {
          const entry = { id: `new${n}`, rank };
          model.push(entry);
          order = order.insert(entry);
        }
      }
      model.sort(byRank);
      return (
        order.size === model.length &&
        model.every((entry, index) => order.at(index) === entry && order.positionOf(entry) === index) &&
        [...order].every((entry, index) => entry === model[index])
      );
    }),
  );
  t.pass('held for every series');
});
