import { pino } from 'pino';
import t from 'tap';
import { BrokenLinks } from '../../src/cluster/brokenLinks.js';
import { Peers, SILENCE_MS, type HeardInstance, type Heartbeat, type Listener } from '../../src/cluster/peers.js';
import { planPlacement } from '../../src/cluster/placement.js';
import type { PartitionName } from '../../src/partitions/messages.js';

const PARTITIONS: PartitionName[] = ['directory', 'shard 0', 'shard 1'];

function heard(id: string, ...partitions: PartitionName[]): HeardInstance {
  return { id, url: `http://${id}`, partitions };
}

function setUp() {
  const clock = { now: 1_000 };
  const links = new BrokenLinks('one', pino({ level: 'silent' }), () => clock.now);
  const compareFor = (milliseconds: number, others: readonly Listener[]): void => {
    for (const end = clock.now + milliseconds; clock.now <= end; clock.now += 250) links.compare(others);
  };
  return { clock, links, compareFor };
}

const hub: Listener = { id: 'three', heard: [heard('one', 'directory'), heard('two', 'shard 0')] };
const healed: readonly Listener[] = [hub, { id: 'two', heard: [heard('one'), heard('three')] }];

t.test('PLACE11 an instance that a third one hears keeps its partitions, and the two without a link leave the service to the third', async (t) => {
  const { links, compareFor } = setUp();
  compareFor(0, [hub]);
  t.ok(links.owns('shard 0'), 'at once');
  t.equal(links.isolation, null, 'an instance that has just started is not heard by all at the same time');
  const unheard = links.unheard.map((instance) => ({ ...instance, leaving: false, unable: new Set(PARTITIONS) }));
  const instances = [{ id: 'one', leaving: false, partitions: ['directory'] as const }, { id: 'three', leaving: false, partitions: [] }, ...unheard];
  t.strictSame(planPlacement('one', instances, PARTITIONS).take, [], 'shard 1 is for the third, and shard 0 has its owner');
  t.strictSame(planPlacement('three', instances, PARTITIONS).take, ['shard 1']);
  compareFor(SILENCE_MS, [hub]);
  t.equal(links.isolation, 'cannot reach http://two, which another instance reaches');
});

t.test('PLACE11 a link must hold for some seconds before it counts again', async (t) => {
  const { links, compareFor } = setUp();
  compareFor(SILENCE_MS, [hub]);
  compareFor(4_000, healed);
  t.not(links.isolation, null);
  t.notOk(links.owns('shard 0'));
  compareFor(0, [hub]);
  compareFor(4_500, healed);
  t.not(links.isolation, null, 'it broke again meanwhile');
  compareFor(1_000, healed);
  t.equal(links.isolation, null);
});

t.test('PLACE11 without an instance that hears all, and beside older programs, everyone goes on', async (t) => {
  const { links, compareFor } = setUp();
  const partial: Listener = { id: 'three', heard: [heard('two', 'shard 0')] };
  compareFor(60_000, [partial]);
  t.equal(links.isolation, null, 'the third does not hear this one');
  t.ok(links.owns('shard 0'));
  compareFor(60_000, [{ id: 'three', heard: null }]);
  t.equal(links.isolation, null);
  t.strictSame(links.unheard, []);
});

t.test('PLACE11 a dead instance is not kept alive by what others say of it', async (t) => {
  const clock = { now: 1_000 };
  const peers = new Peers(() => clock.now);
  const info = { id: 'two', leaving: false, partitions: [], host: '', pid: 1, url: 'http://two', version: '', startedAt: '', sockets: 0 };
  const heartbeat: Heartbeat = { info, number: 1, connections: 1, clock: 0, copies: [] };
  peers.receive(heartbeat);
  t.strictSame(peers.heard, [heard('two')]);
  clock.now += SILENCE_MS / 2;
  t.strictSame(peers.heard, [], 'it is reported for less time than it takes to count as dead');
  t.equal(peers.all.length, 1);
});
