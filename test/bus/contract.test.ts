/** The contract of a bus, run against each implementation; with NATS, publisher and subscriber are two connections. */
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { BoardMessage, Bus } from '../../src/bus/bus.js';
import type { SessionMessage } from '../../src/domain/account/session.js';
import { LocalBus } from '../../src/bus/localBus.js';
import { NatsBus } from '../../src/bus/natsBus.js';
import { PeerRefusals } from '../../src/wire/peerRefusals.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { NatsProcess } from '../support/cluster/natsProcess.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { publicUser } from '../support/publicUser.js';
import { until } from '../support/until.js';

const BOARD = '11111111-2222-4333-8444-555555555555';
/** Of more than one part of a message. */
const LONG_NAME = 'user '.repeat(800_000);
const OTHER = '99999999-2222-4333-8444-555555555555';

interface Ends {
  readonly publisher: Bus;
  readonly subscriber: Bus;
  /** How often a connection was lost and replaced. What was under way then is lost, and a starved machine can cause it. */
  reconnects(): number;
}

const nats = await findNatsServer();
const natsTest = { skip: skipWithout(nats) };

contract('LocalBus', false, async () => {
  const bus = new LocalBus();
  return { publisher: bus, subscriber: bus, reconnects: () => 0 };
});

contract('NatsBus', natsTest.skip, async (t) => {
  const { url } = await NatsProcess.start(t, pathOf(nats));
  const [publisher, subscriber] = await Promise.all([connected(t, url, 'a'), connected(t, url, 'b')]);
  let reconnects = 0;
  for (const bus of [publisher, subscriber]) bus.onConnect(() => (reconnects += 1));
  return { publisher, subscriber, reconnects: () => reconnects };
});

function contract(name: string, skip: string | false, make: (t: Test) => Promise<Ends>): void {
  t.test(`CLUSTER13 ${name}: a message about a board reaches all its subscribers, in order`, { skip }, async (t) => {
    const { publisher, subscriber, reconnects } = await make(t);
    let attempts = 0;
    const send = async (): Promise<{ sent: string[]; received: string[][] } | null> => {
      const [before, both] = [reconnects(), [new Subscriber(), new Subscriber()]];
      // What an attempt before a lost connection left under way may arrive now, or never.
      const attempt = `attempt ${(attempts += 1)}`;
      const names = Array.from({ length: 300 }, (_, index) => (index % 50 === 0 ? `${attempt} ${index} ${LONG_NAME}` : `${attempt} ${index}`));
      const receivedBy = ({ received }: Subscriber): string[] => received.flatMap(namesIn).filter((name) => name.startsWith(`${attempt} `));
      const subscriptions = both.map((each) => each.subscribe(subscriber, BOARD));
      await settled(publisher, subscriber);
      for (const name of names) publisher.publishToBoard(BOARD, left(name));
      const counts = (): number[] => both.map((each) => receivedBy(each).length);
      await until(() => counts().every((count) => count >= names.length) || reconnects() > before, counts);
      for (const subscription of subscriptions) subscription.stop();
      return reconnects() > before ? null : { sent: names.map(summary), received: both.map((each) => receivedBy(each).map(summary)) };
    };
    const { sent, received } = await until(send);
    for (const each of received) t.strictSame(each, sent);
  });

  t.test(`CLUSTER13 ${name}: a subscriber gets nothing about other boards or after unsubscribing`, { skip }, async (t) => {
    const { publisher, subscriber } = await make(t);
    const [one, two] = [new Subscriber(), new Subscriber()];
    const subscription = one.subscribe(subscriber, BOARD);
    two.subscribe(subscriber, BOARD);
    await settled(publisher, subscriber);
    publisher.publishToBoard(OTHER, left('of another board'));
    publisher.publishToBoard(BOARD, left('first'));
    await Promise.all([one.take(1), two.take(1)]);
    subscription.stop();
    subscription.stop();
    publisher.publishToBoard(BOARD, left('second'));
    t.strictSame(await two.take(2), [left('first'), left('second')], 'stopping twice does not stop another');
    t.strictSame(one.received, [left('first')]);
  });

  t.test(`CLUSTER15 ${name}: a changed user is published to every instance`, { skip }, async (t) => {
    const { publisher, subscriber } = await make(t);
    const user = publicUser('ann');
    const received = [publisher, subscriber].map((bus) => new Promise((resolve) => bus.subscribeToUsers(resolve)));
    await settled(publisher, subscriber);
    publisher.publishUser(user);
    t.strictSame(await Promise.all(received), [user, user]);
  });

  t.test(`CLUSTER15 ${name}: ends and renewals of sessions are published to every instance`, { skip }, async (t) => {
    const { publisher, subscriber } = await make(t);
    const [user_id, id, time] = [BOARD, OTHER, '2030-01-01T00:00:00.000Z'];
    const sent: SessionMessage[] = [
      { kind: 'renewed', user_id, session: { id, refreshed_at: time, expires_at: time } },
      { kind: 'ended', user_id, ids: [id], revoked_at: time },
      { kind: 'ended', user_id, ids: [], revoked_at: null },
    ];
    const received = [publisher, subscriber].map((bus) => {
      const messages: SessionMessage[] = [];
      return new Promise((resolve) => {
        bus.subscribeToSessions((message) => {
          if (messages.push(message) === sent.length) resolve(messages);
        });
      });
    });
    await settled(publisher, subscriber);
    for (const message of sent) publisher.publishSessions(message);
    t.strictSame(await Promise.all(received), [sent, sent]);
  });
}

t.test('CLUSTER40 without NATS local subscribers still get messages, and the status says so', natsTest, async (t) => {
  const server = await NatsProcess.prepare(t, pathOf(nats));
  const bus = openBus(t, server.url, 'a');
  const subscriber = new Subscriber();
  subscriber.subscribe(bus, BOARD);
  t.equal(bus.status(), 'disconnected');
  bus.publishToBoard(BOARD, left('alone'));
  t.strictSame(subscriber.received, [left('alone')]);
  const connecting = new Promise<void>((resolve) => bus.onConnect(resolve));
  await server.start();
  await connecting;
  t.equal(bus.status(), 'connected', 'it connects when NATS comes');
  const other = await connected(t, server.url, 'b');
  await settled(other, bus);
  other.publishToBoard(BOARD, left('from elsewhere'));
  t.strictSame(await subscriber.take(2), [left('alone'), left('from elsewhere')], 'and earlier subscriptions are in effect');
});

t.test('a request may be answered in several pieces', natsTest, async (t) => {
  const { url } = await NatsProcess.start(t, pathOf(nats));
  const [asking, serving] = await Promise.all([connected(t, url, 'a'), connected(t, url, 'b')]);
  const question = Buffer.alloc(1_500_000, 'q');
  serving.serve((bytes, answer) => {
    t.ok(question.equals(bytes), 'a large question arrives complete');
    answer(Buffer.from('one'));
    answer(Buffer.alloc(3_000_000, 'two'));
  });
  await settled(asking, serving);
  const answers: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const request = asking.request('b', question, {
      answer: (bytes) => {
        if (answers.push(Buffer.from(bytes)) < 2) return;
        request.cancel();
        resolve();
      },
      notServed: () => t.fail('the instance serves'),
      lost: () => t.fail('nothing was lost'),
    });
  });
  t.strictSame(answers, [Buffer.from('one'), Buffer.alloc(3_000_000, 'two')]);
});

t.test('a requester learns that the instance is not there, or that the connection was lost', natsTest, async (t) => {
  const server = await NatsProcess.start(t, pathOf(nats));
  const [asking, serving] = await Promise.all([connected(t, server.url, 'a'), connected(t, server.url, 'b')]);
  t.equal(await outcome(asking, 'c'), 'not served');
  const received = new EventEmitter();
  serving.serve(() => received.emit('received'));
  await settled(asking, serving);
  const [pending] = [outcome(asking, 'b'), await once(received, 'received')];
  await server.kill();
  t.equal(await pending, 'lost');
  t.equal(await outcome(asking, 'b'), 'not served', 'without a connection no instance is asked');
});

t.test('a request reaches the instance that it names, and no other', natsTest, async (t) => {
  const { url } = await NatsProcess.start(t, pathOf(nats));
  const [asking, one, two] = await Promise.all([connected(t, url, 'a'), connected(t, url, 'b'), connected(t, url, 'c')]);
  const received: string[] = [];
  for (const [name, bus] of [
    ['b', one],
    ['c', two],
  ] as const) {
    bus.serve((bytes, answer) => {
      received.push(name);
      answer(bytes);
    });
  }
  await until(async () => (await outcome(asking, 'b')) === 'answered' && (await outcome(asking, 'c')) === 'answered');
  received.length = 0;
  for (let n = 0; n < 50; n += 1) t.equal(await outcome(asking, 'c'), 'answered');
  t.strictSame(received, Array<string>(50).fill('c'));
  await two.close();
  await until(async () => (await outcome(asking, 'c')) !== 'lost');
  t.equal(await outcome(asking, 'c'), 'not served', 'nor a successor');
});

t.test('CLUSTER40 after NATS was frozen for long, every message still arrives once', natsTest, async (t) => {
  const server = await NatsProcess.start(t, pathOf(nats));
  const [asking, serving] = await Promise.all([connected(t, server.url, 'a'), connected(t, server.url, 'b')]);
  const received: string[] = [];
  serving.serve((bytes, answer) => {
    received.push(String(bytes));
    answer(bytes);
  });
  await settled(asking, serving);
  const returns = [asking, serving].map((bus) => new Promise<void>((resolve) => bus.onConnect(resolve)));
  server.freeze();
  // Until the connection is found dead and one attempt to replace it has failed.
  await new Promise((resolve) => setTimeout(resolve, 4_500));
  server.resume();
  await Promise.all(returns);
  // Until the server has dropped the unfinished attempts.
  const sent: string[] = [];
  for (const end = performance.now() + 3_000; performance.now() < end || sent.length <= 50;) {
    const question = `question ${sent.length}`;
    if ((await outcome(asking, 'b', question)) === 'answered') sent.push(question);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  t.strictSame(received, sent);
});

/** Subscribes to one board, and lets a test wait for messages. */
class Subscriber {
  readonly received: BoardMessage[] = [];
  readonly #arrivals = new EventEmitter();

  subscribe(bus: Bus, boardId: string): { stop(): void } {
    return bus.subscribeToBoard(boardId, (message) => {
      this.received.push(message);
      this.#arrivals.emit('received');
    });
  }

  /** All messages, once there are this many. */
  async take(count: number): Promise<readonly BoardMessage[]> {
    while (this.received.length < count) await once(this.#arrivals, 'received');
    return this.received;
  }
}

function left(name: string): BoardMessage {
  return { kind: 'left', user_ids: [name] };
}

function namesIn(message: BoardMessage): readonly string[] {
  return message.kind === 'left' ? message.user_ids : [];
}

/** Two lists of megabytes that differ would be compared for minutes. */
function summary(name: string): string {
  return name.length < 100 ? name : `${name.slice(0, 30)} … ${name.length} characters, ${createHash('sha256').update(name).digest('hex')}`;
}

function openBus(t: Test, url: string, instanceId: string): NatsBus {
  const log = pino({ level: 'silent' });
  const bus = new NatsBus({
    urls: [url],
    prefix: 'test',
    instanceId,
    key: Buffer.from('shared'),
    refusals: new PeerRefusals(log),
    log,
  });
  t.teardown(() => bus.close());
  return bus;
}

async function connected(t: Test, url: string, instanceId: string): Promise<NatsBus> {
  const bus = openBus(t, url, instanceId);
  await new Promise<void>((resolve) => bus.onConnect(resolve));
  return bus;
}

/** When a message of one end arrives at a new subscription of the other, earlier subscriptions are in effect. */
async function settled(publisher: Bus, subscriber: Bus): Promise<void> {
  if (!(publisher instanceof NatsBus) || !(subscriber instanceof NatsBus)) return;
  const arrivals = new EventEmitter();
  const arrived = once(arrivals, 'arrived');
  subscriber.subscribeToPeers(
    () => arrivals.emit('arrived'),
    () => undefined,
  );
  const publishing = setInterval(() => publisher.publishToPeers(Buffer.from('settled?')), 5);
  await arrived;
  clearInterval(publishing);
}

function outcome(bus: NatsBus, instance: string, question = 'question'): Promise<'answered' | 'not served' | 'lost'> {
  return new Promise((resolve) => {
    bus.request(instance, Buffer.from(question), {
      answer: () => resolve('answered'),
      notServed: () => resolve('not served'),
      lost: () => resolve('lost'),
    });
  });
}
