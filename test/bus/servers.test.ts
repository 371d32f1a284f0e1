import { pino } from 'pino';
import t, { type Test } from 'tap';
import { NatsBus } from '../../src/bus/natsBus.js';
import { NatsServers } from '../../src/nats/natsServers.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findNatsServer();
const natsTest = { skip: skipWithout(nats) };

t.test('BUS17 servers are tried in turn, those of the settings first', async (t) => {
  const servers = new NatsServers(['nats://ann:secret@one:4222', 'nats://two:4222']);
  servers.learn('nats://ann:secret@one:4222', ['one:4222', 'three:4333', '[::1]:4222']);
  const tried = Array.from({ length: 5 }, () => servers.next());
  t.strictSame(tried, [
    'nats://ann:secret@one:4222',
    'nats://two:4222',
    'nats://ann:secret@three:4333',
    'nats://ann:secret@[::1]:4222',
    'nats://ann:secret@one:4222',
  ]);
  servers.learn(
    'nats://two:4222',
    Array.from({ length: 1_000 }, (_, n) => `host${n}:4222`),
  );
  t.equal(new Set(Array.from({ length: 500 }, () => servers.next())).size, 64, 'a bounded number is remembered');
});

t.test('BUS17 with a list of servers the loss of one is healed by the next', natsTest, async (t) => {
  const [first, second] = [await NatsProcess.prepare(t, pathOf(nats)), await NatsProcess.start(t, pathOf(nats))];
  const bus = openBus(t, [first.url, second.url]);
  await nextConnection(bus);
  await first.start();
  const again = nextConnection(bus);
  await second.kill();
  await again;
  t.equal(bus.status(), 'connected');
});

t.test('BUS17 a server of the cluster that only NATS named takes over when the one in the settings dies', natsTest, async (t) => {
  const [first, second] = await NatsProcess.startPair(t, pathOf(nats));
  const witness = openBus(t, [second.url]);
  await nextConnection(witness);
  const bus = openBus(t, [first.url]);
  await nextConnection(bus);
  const heard = new Promise((resolve) => witness.subscribeToPeers(resolve, () => undefined));
  const publishing = setInterval(() => bus.publishToPeers(Buffer.from('here')), 50);
  t.teardown(() => clearInterval(publishing));
  await heard;
  const again = nextConnection(bus);
  await first.kill();
  await again;
  t.equal(bus.status(), 'connected', 'it was told of no other server');
});

function openBus(t: Test, urls: readonly string[]): NatsBus {
  const log = pino({ level: 'silent' });
  const options = { prefix: 'test', key: Buffer.from('shared'), refusals: new PeerRefusals(log), log };
  const bus = new NatsBus({ ...options, urls, instanceId: String(urls.length) + urls[0]?.slice(-5) });
  t.teardown(() => bus.close());
  return bus;
}

function nextConnection(bus: NatsBus): Promise<void> {
  return new Promise((resolve) => bus.onConnect(resolve));
}
