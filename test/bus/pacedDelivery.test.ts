import t from 'tap';
import { PacedDelivery } from '../../src/bus/pacedDelivery.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Every message takes a millisecond of a manual clock. */
function setUp() {
  const clock = { now: 0 };
  const delivered: number[] = [];
  let dropped = 0;
  const paced = new PacedDelivery(
    () => void (dropped += 1),
    () => clock.now,
  );
  const add = (n: number, bytes = 100): void =>
    paced.add(bytes, () => {
      clock.now += 1;
      delivered.push(n);
    });
  return { paced, delivered, add, dropped: () => dropped };
}

t.test('CLUSTER53 messages that arrive faster than they are handled leave time for requests and keep their order', async (t) => {
  const { paced, delivered, add } = setUp();
  const all = Array.from({ length: 100 }, (_, n) => n);
  for (const n of all) add(n);
  t.ok(delivered.length > 0 && delivered.length <= 3, `${delivered.length} at once`);
  let longest = 0;
  while (delivered.length < all.length) {
    const before = delivered.length;
    await turn();
    longest = Math.max(longest, delivered.length - before);
  }
  t.ok(longest <= 4, `at most ${longest} in a turn`);
  await paced.idle();
  t.strictSame(delivered, all);
});

t.test('CLUSTER53 a single message is handled at once', async (t) => {
  const { delivered, add } = setUp();
  add(1);
  t.strictSame(delivered, [1]);
  await turn();
  add(2);
  t.strictSame(delivered, [1, 2]);
});

t.test('CLUSTER53 waiting for queued messages waits for all of them, and for no later one', async (t) => {
  const { paced, delivered, add } = setUp();
  for (let n = 0; n < 20; n += 1) add(n);
  const idle = paced.idle();
  for (let n = 20; n < 60; n += 1) add(n);
  await idle;
  t.ok(delivered.length >= 20 && delivered.length < 30, `${delivered.length} by then`);
});

t.test('CLUSTER53 queued messages take bounded memory, and dropped ones are counted', async (t) => {
  const { paced, delivered, add, dropped } = setUp();
  for (let n = 0; n < 100; n += 1) add(n, 1024 * 1024);
  t.ok(dropped() > 30, `${dropped()} were dropped`);
  await paced.idle();
  t.equal(delivered.length + dropped(), 100);
});
