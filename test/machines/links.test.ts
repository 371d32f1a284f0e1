import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { Relay } from '../support/cluster/relay.js';
import { TestStream } from '../support/cluster/testStream.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();
const skip = skipWithout(nats);

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('a cut link carries nothing and closes nothing, and brings what was sent when it heals', async (t) => {
  const echo = await startEcho(t);
  const [link, other] = [await Relay.open(t, echo), await Relay.open(t, echo)];
  const [client, witness] = [await open(t, link), await open(t, other)];
  t.equal(await client.ask('one'), 'one');

  link.cut();
  client.socket.write('two');
  const late = await open(t, link);
  late.socket.write('held');
  late.socket.end();
  t.equal(await witness.ask('meanwhile'), 'meanwhile', 'another link works');
  t.equal(client.received(), 'one', 'nothing passed');
  t.equal(late.received(), '', 'nor by a new connection');
  t.notOk(client.socket.readableEnded || late.socket.readableEnded, 'and no connection ended');

  link.heal();
  await once(late.socket, 'end');
  t.equal(late.received(), 'held');
  t.equal(await client.ask('three'), 'onetwothree');
});

t.test('MACHINE1 a server cut off stores nothing, the others go on, and then all have one content', { skip }, async (t) => {
  const cluster = await NatsCluster.start(t, pathOf(nats));
  const stream = await TestStream.create(cluster, 3);
  await stream.append(0, 'before');
  const isolated = await cluster.leaderOf(stream.name);
  const other = (isolated + 1) % 3;

  cluster.links.isolate(isolated);
  // A leader that has noticed that it is alone steps down, and nobody takes messages there (503).
  await t.rejects(stream.appendOnce(isolated, 'cut off'), { code: /TIMEOUT|503/ }, 'without a quorum nothing is acknowledged');
  await stream.append(other, 'meanwhile');
  t.not(await cluster.leaderOf(stream.name, other), isolated, 'the others have elected a leader');

  cluster.links.heal();
  await stream.append(isolated, 'healed');
  await stream.untilCopiesAgree();
  for (const server of [0, 1, 2]) {
    t.strictSame(await stream.contentOf(server), ['before', 'meanwhile', 'healed'], `server ${server}`);
  }
});

interface Client {
  readonly socket: Socket;
  received(): string;
  /** Resolves with everything received, once that ends with the text. */
  ask(text: string): Promise<string>;
}

async function open(t: Test, relay: Relay): Promise<Client> {
  const socket = connect({ port: relay.port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    ask: async (text) => {
      socket.write(text);
      while (!received.endsWith(text)) await once(socket, 'data');
      return received;
    },
  };
}

async function startEcho(t: Test): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.pipe(socket);
  });
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
