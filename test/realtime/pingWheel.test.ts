import t, { type Test } from 'tap';
import { mock } from 'node:test';
import { PingWheel } from '../../src/realtime/socket/pingWheel.js';

interface Beat {
  readonly at: number;
  readonly what: 'ping' | 'check';
  readonly item: number;
}

/** A wheel that is turned by hand, and what it did when. */
function wheel(t: Test, intervalMs: number, pongTimeoutMs: number) {
  mock.timers.enable({ apis: ['setInterval'] });
  const beats: Beat[] = [];
  let at = 0;
  const note = (what: Beat['what']) => (items: readonly number[]) => {
    for (const item of items) beats.push({ at, what, item });
  };
  const heartbeat = new PingWheel<number>({
    intervalMs,
    pongTimeoutMs,
    numberOf: (item) => item,
    onPing: note('ping'),
    onCheck: note('check'),
  });
  t.teardown(() => {
    heartbeat.stop();
    mock.timers.reset();
  });
  const pass = (milliseconds: number): void => {
    for (const end = at + milliseconds; at < end;) {
      at += 1;
      mock.timers.tick(1);
    }
  };
  return { heartbeat, beats, pass };
}

t.test('pings are spread evenly over an interval of any length', async (t) => {
  for (const intervalMs of [30_000, 740, 1_480, 2_220, 100, 10]) {
    await t.test(`${intervalMs} ms`, async (t) => {
      const { heartbeat, beats, pass } = wheel(t, intervalMs, 10);
      const count = 1_000;
      for (let item = 0; item < count; item += 1) heartbeat.add(item);
      pass(intervalMs);
      const pings = beats.filter(({ what }) => what === 'ping');
      t.equal(new Set(pings.map(({ item }) => item)).size, count, 'everyone once');
      t.equal(pings.length, count, 'and only once');
      const perTurn = new Map<number, number>();
      for (const { at } of pings) perTurn.set(at, (perTurn.get(at) ?? 0) + 1);
      const turns = [...perTurn.values()];
      t.ok(Math.max(...turns) - Math.min(...turns) <= 1, `${turns.length} turns of ${Math.min(...turns)} or one more`);
      t.equal(turns.length, Math.max(1, Math.min(120, Math.floor(intervalMs / 20))));
    });
  }
});

t.test('BEAT1 every client is pinged once an interval and checked when its pong is due', async (t) => {
  const { heartbeat, beats, pass } = wheel(t, 30_000, 10_000);
  heartbeat.add(1);
  heartbeat.add(2);
  pass(90_000);
  for (const item of [1, 2]) {
    const times = (what: Beat['what']): number[] => beats.filter((beat) => beat.item === item && beat.what === what).map(({ at }) => at);
    const [first = 0, second = 0, third = 0] = times('ping');
    t.strictSame([second - first, third - second], [30_000, 30_000]);
    t.ok(times('check').includes(first + 10_000), 'ten seconds after the ping');
  }
});

t.test('BEAT1 a client that left is not pinged', async (t) => {
  const { heartbeat, beats, pass } = wheel(t, 1_000, 200);
  heartbeat.add(1);
  heartbeat.add(2);
  heartbeat.remove(1);
  heartbeat.remove(1);
  pass(1_000);
  t.strictSame(new Set(beats.map(({ item }) => item)), new Set([2]));
  heartbeat.stop();
  const count = beats.length;
  pass(2_000);
  t.equal(beats.length, count, 'nor is a client after the stop');
});
