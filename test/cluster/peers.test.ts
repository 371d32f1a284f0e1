import t from 'tap';
import type { PartitionName } from '../../src/partitions/messages.js';
import { Peers, SILENCE_MS, type Heartbeat } from '../../src/cluster/peers.js';

function heartbeat(id: string, number: number, partitions: PartitionName[] = [], leaving = false): Heartbeat {
  const info = { id, leaving, partitions, host: '', pid: 1, url: '', version: '', startedAt: '', sockets: 0 };
  return { info, number, connections: 1, clock: 0, copies: [] };
}

function setUp() {
  const clock = { now: 1_000 };
  return { clock, peers: new Peers(() => clock.now) };
}

t.test('CLUSTER30 a silent instance is forgotten and reported once', async (t) => {
  const { clock, peers } = setUp();
  t.ok(peers.receive(heartbeat('a', 1, ['directory'])), 'it is new');
  t.notOk(peers.receive(heartbeat('a', 2, ['directory'])));
  t.equal(peers.ownerOf('directory')?.info.id, 'a');
  clock.now += SILENCE_MS - 1;
  t.strictSame(peers.removeSilent(), []);
  clock.now += 1;
  t.match(peers.removeSilent(), [{ id: 'a' }]);
  t.strictSame([peers.removeSilent(), peers.all, peers.ownerOf('directory')], [[], [], null]);
});

t.test('CLUSTER30 an instance that was frozen itself does not declare others dead', async (t) => {
  const { clock, peers } = setUp();
  peers.receive(heartbeat('a', 1));
  clock.now += 60_000;
  peers.excuseSilence();
  t.strictSame(peers.removeSilent(), []);
  clock.now += SILENCE_MS;
  t.match(peers.removeSilent(), [{ id: 'a' }], 'unless they stay silent');
});

t.test('a delayed heartbeat does not undo a newer one', async (t) => {
  const { peers } = setUp();
  peers.receive(heartbeat('a', 7, ['shard 1']));
  peers.receive(heartbeat('a', 6, ['shard 1', 'shard 2']));
  t.equal(peers.ownerOf('shard 2'), null);
  t.equal(peers.ownerOf('shard 1')?.number, 7);
});

t.test('PLACE1 a leaving instance counts until it has given everything away', async (t) => {
  const { peers } = setUp();
  peers.receive(heartbeat('a', 1, ['shard 1'], true));
  t.equal(peers.ownerOf('shard 1')?.info.id, 'a');
  peers.receive(heartbeat('a', 2, [], true));
  t.strictSame(peers.all, []);
});

t.test('OPERATE3 the time of day of another instance is compared when its heartbeat comes', async (t) => {
  const day = { now: 1_000_000 };
  const peers = new Peers(
    () => 0,
    () => day.now,
  );
  peers.receive({ ...heartbeat('late', 1), time: day.now - 40_000 });
  peers.receive(heartbeat('older', 1));
  day.now += 5_000;
  t.match(peers.readings, [
    { id: 'late', aheadMs: -40_000 },
    { id: 'older', aheadMs: null },
  ]);
});
