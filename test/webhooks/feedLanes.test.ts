import t from 'tap';
import { FeedLanes, type LaneOwner } from '../../src/webhooks/feedLanes.js';

const [ANN, BEN, EVE] = ['ann', 'ben', 'eve'];

/** Feeds that end when the test says so. */
class Feeds {
  readonly lanes: FeedLanes;
  /** In the order of their start. */
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(all: number, perHost: number, perUser: number) {
    this.lanes = new FeedLanes({ all, perHost, perUser });
  }

  add(name: string, owner: LaneOwner): void {
    void this.lanes.run(owner, () => {
      this.started.push(name);
      return new Promise<void>((resolve) => this.#ends.set(name, resolve));
    });
  }

  /** What starts because this one ends. */
  async end(name: string): Promise<string[]> {
    const before = this.started.length;
    this.#ends.get(name)?.();
    await new Promise(setImmediate);
    return this.started.slice(before);
  }
}

t.test('HOOK2 of one host and of one user only so many are under way, and so many in all', async (t) => {
  const feeds = new Feeds(256, 4, 64);
  const countOf = (prefix: string): number => feeds.started.filter((name) => name.startsWith(prefix)).length;
  for (let n = 0; n < 10; n += 1) feeds.add(`same ${n}`, { user: ANN, host: 'slow.example' });
  t.equal(countOf('same'), 4);
  for (let n = 0; n < 300; n += 1) feeds.add(`many ${n}`, { user: ANN, host: `${n}.example` });
  t.equal(feeds.started.length, 64, 'of one user');
  for (const user of ['u1', 'u2', 'u3', 'u4']) for (let n = 0; n < 64; n += 1) feeds.add(`${user} ${n}`, { user, host: `${user}-${n}.example` });
  t.equal(feeds.started.length, 256, 'in all');
  t.strictSame(await feeds.end('u1 0'), ['u4 0'], 'of the user whose share is not used up');
});

t.test('HOOK2 users take turns, and the hosts of a user do', async (t) => {
  const feeds = new Feeds(2, 2, 2);
  for (const name of ['e1', 'e2', 'e3', 'e4']) feeds.add(name, { user: EVE, host: 'slow.example' });
  feeds.add('e5', { user: EVE, host: 'other.example' });
  feeds.add('a1', { user: ANN, host: 'ann.example' });
  feeds.add('b1', { user: BEN, host: 'ben.example' });
  t.strictSame(feeds.started, ['e1', 'e2']);
  t.strictSame(await feeds.end('e1'), ['e3']);
  t.strictSame(await feeds.end('e2'), ['a1'], 'not the same user again');
  t.strictSame(await feeds.end('e3'), ['b1']);
  t.strictSame(await feeds.end('a1'), ['e5'], 'not the same host again');
  t.strictSame(await feeds.end('b1'), ['e4']);
});

t.test('HOOK2 the end of one feed starts one of its user and one to its host', async (t) => {
  const feeds = new Feeds(9, 1, 2);
  feeds.add('e1', { user: EVE, host: 'shared.example' });
  feeds.add('e2', { user: EVE, host: 'two.example' });
  feeds.add('e3', { user: EVE, host: 'three.example' });
  feeds.add('a1', { user: ANN, host: 'shared.example' });
  t.strictSame(feeds.started, ['e1', 'e2']);
  t.strictSame(await feeds.end('e1'), ['e3', 'a1']);
});

t.test('HOOK2 a feed that fails frees its place', async (t) => {
  const lanes = new FeedLanes({ all: 1, perHost: 1, perUser: 1 });
  const owner = { user: ANN, host: 'a.example' };
  await t.rejects(
    lanes.run(owner, async () => {
      throw new Error('broken');
    }),
    { message: 'broken' },
  );
  t.equal(await lanes.run(owner, async () => 'good'), 'good');
});
