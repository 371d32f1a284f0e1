import t from 'tap';
import { AppError } from '../../src/domain/errors.js';
import { FakeRoom, type FakeClient } from '../support/realtime/fakeRoom.js';
import { until } from '../support/until.js';

const LATEST = { kind: 'latest' } as const;
const UNNUMBERED = { kind: 'unnumbered' } as const;

/** A room with two clients, and a log that cannot be read until the test allows it. */
async function setUp() {
  const fake = new FakeRoom();
  fake.publish(fake.write());
  const clients = [await fake.connect(LATEST), await fake.connect(UNNUMBERED)];
  let away = true;
  fake.onRead = () => {
    if (away) throw new AppError('unavailable', 'the shard is being moved');
  };
  return { fake, clients, comeBack: () => (away = false) };
}

async function receives(client: FakeClient, count: number): Promise<void> {
  await until(() => client.seqs.length >= count);
}

/** Numbers from 2 on: the first was written before any client connected. */
function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 2);
}

t.test('CLUSTER24 clients wait for a board that is out of reach, and miss nothing', async (t) => {
  const { fake, clients, comeBack } = await setUp();
  fake.write(3);
  fake.room.check();
  fake.publish(fake.write());
  await until(() => fake.reads >= 2);
  comeBack();
  for (const client of clients) {
    await receives(client, 4);
    t.strictSame(client.seqs, numbers(4));
    t.equal(client.closedWith, null);
  }
  t.strictSame(fake.errors, []);
});

t.test('CLUSTER24 events that arrive meanwhile take bounded memory and are sent in order', async (t) => {
  const { fake, clients, comeBack } = await setUp();
  fake.room.check();
  for (let n = 0; n < 2_500; n += 1) fake.publish(fake.write());
  comeBack();
  for (const client of clients) {
    await receives(client, 2_500);
    t.strictSame(client.seqs, numbers(2_500));
  }
});

t.test('CLUSTER24 events that are lost while the log is read are found too', async (t) => {
  const { fake, clients, comeBack } = await setUp();
  comeBack();
  fake.write();
  fake.room.check();
  // The answer is on its way: it does not include this event, which is never published.
  await Promise.resolve();
  fake.write();
  fake.room.check();
  for (const client of clients) {
    await receives(client, 2);
    t.strictSame(client.seqs, numbers(2));
  }
});

t.test('CLUSTER24 a board whose deletion was missed closes its sockets like any deleted board', async (t) => {
  const { fake, clients, comeBack } = await setUp();
  comeBack();
  fake.log.length = 0;
  fake.room.check();
  await until(() => clients.every(({ closedWith }) => closedWith !== null));
  t.strictSame(
    clients.map(({ closedWith }) => closedWith),
    [4410, 4410],
  );
});
