import t from 'tap';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FakeRoom, FakeSharedClient, type FakeClient, type FakeSocket } from '../support/realtime/fakeRoom.js';
import { range } from '../support/realtime/realtimeBoard.js';

const LATEST = { kind: 'latest' } as const;
const UNNUMBERED = { kind: 'unnumbered' } as const;
const MEBI = 1024 * 1024;
const after = (seq: number) => ({ kind: 'after', position: { epoch: '0', seq } }) as const;

t.test('CATCH6 events lost on the way to the instance are read from the log and sent in order', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(3));
  const clients = [await fake.connect(LATEST), await fake.connect(UNNUMBERED)];
  fake.write(1_200);
  const [last] = fake.write();
  fake.publish(last === undefined ? [] : [last]);
  // Messages that arrive meanwhile wait.
  fake.publish(fake.write());
  announce(fake);
  t.strictSame(
    clients.map(({ seqs }) => seqs),
    [[], []],
    'nothing is sent with a gap before it',
  );
  await nextTurn();
  for (const client of clients) {
    t.strictSame(client.seqs, range(4, 1_205));
    t.equal(client.others.at(-1), 'user_left');
    t.match(client.received.at(-1), /user_left/, 'the order is kept');
  }
});

t.test('RULE6 a client without numbers gets no change of a rule, and everything else in order, also of what came while it connected', async (t) => {
  const fake = new FakeRoom();
  const arriving = fake.enter(UNNUMBERED);
  const letIn = fake.letIn(arriving, UNNUMBERED);
  for (const type of ['label.created', 'rule.created', 'label.created'] as const) fake.publish(fake.write(1, type));
  await letIn;
  fake.publish(fake.write(1, 'rule.deleted'));
  fake.publish(fake.write());
  t.strictSame([arriving.seqs, arriving.closedWith], [[1, 3, 5], null]);
});

t.test('CATCH6 an event that is published twice is sent once', async (t) => {
  const fake = new FakeRoom();
  const client = await fake.connect(after(0));
  const [first = [], second = []] = [fake.write(2), fake.write(2)];
  fake.publish(first);
  fake.publish(first);
  fake.publish([...first, ...second]);
  fake.publish(second.slice(0, 1));
  t.strictSame(client.seqs, [1, 2, 3, 4]);
  t.equal(fake.reads, 0, 'without a read of the log');
});

t.test('CATCH11 if lost events are no longer kept, clients with numbers get resync and others are disconnected', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(2));
  const numbered = await fake.connect(LATEST);
  const plain = await fake.connect(UNNUMBERED);
  const arriving = fake.enter(after(1));
  fake.write(10);
  fake.kept = 8;
  const later = fake.write();
  fake.publish(later);
  await nextTurn();
  t.strictSame([numbered.seqs, numbered.others.at(-1)], [[], 'resync']);
  t.equal(JSON.parse(numbered.received.at(-1) ?? '{}').seq, 13);
  t.equal(plain.closedWith, 1013, 'it could not know which events it lacks');
  t.equal(arriving.closedWith, 1013, 'it may have read only a part');
  fake.publish(fake.write());
  t.strictSame(numbered.seqs, [14], 'and it goes on');
});

t.test('CATCH11 when the board begins a new epoch, clients with numbers get resync, others are disconnected', async (t) => {
  for (const isHeard of [true, false]) {
    const fake = new FakeRoom();
    fake.publish(fake.write(5));
    const numbered = await fake.connect(LATEST);
    const plain = await fake.connect(UNNUMBERED);
    // Another owner has lost the end of the history.
    fake.log.splice(3);
    fake.epoch = 'k3';
    const later = fake.write();
    if (isHeard) fake.publish(later);
    else fake.room.check();
    await nextTurn();
    const resync = numbered.received.map((text) => JSON.parse(text)).find(({ type }) => type === 'resync');
    t.strictSame(resync, { type: 'resync', epoch: 'k3', seq: isHeard ? 3 : 4 });
    t.equal(plain.closedWith, 1013);
    fake.publish(fake.write());
    t.match(JSON.parse(numbered.received.at(-1) ?? '{}'), { epoch: 'k3', seq: 5 }, 'and it goes on');
    const same = await fake.connect({ kind: 'after', position: { epoch: 'k3', seq: 4 } });
    t.strictSame(same.seqs, [5]);
    const old = await fake.connect(after(4));
    t.strictSame([old.seqs, old.others.includes('resync')], [[], true]);
  }
});

t.test('CATCH6 a client that has read further than the instance gets nothing twice', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(3));
  const behind = await fake.connect(LATEST);
  const onTheWay = fake.write(3);
  const ahead = await fake.connect(after(0));
  t.strictSame(ahead.seqs, range(1, 6), 'the log is ahead');
  t.strictSame(ahead.others, [], 'and its join is announced in its place');
  fake.publish(onTheWay.slice(0, 2));
  fake.publish(onTheWay.slice(2));
  fake.publish(fake.write());
  t.strictSame(ahead.seqs, range(1, 7));
  t.strictSame(behind.seqs, range(4, 7));
  t.strictSame(ahead.others, ['user_joined']);
});

t.test('CATCH11 if the log cannot be read, every client is disconnected once', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(1));
  const clients = [await fake.connect(LATEST), await fake.connect(UNNUMBERED)];
  fake.onRead = () => {
    throw new Error('the disk is gone');
  };
  fake.write(5);
  fake.publish(fake.write());
  fake.publish(fake.write());
  await nextTurn();
  await nextTurn();
  t.strictSame(
    clients.map(({ closedWith }) => closedWith),
    [1013, 1013],
  );
  t.equal(fake.errors.length, 1);
  t.equal(fake.reads, 1, 'it is not tried for ever');
});

t.test('CATCH14 events that arrive while a client catches up are never lost, however many they are', async (t) => {
  for (const [name, since, expected] of [
    ['with numbers', after(10), range(11, 4_300)],
    ['from the latest on', LATEST, range(1_101, 4_300)],
    ['without numbers', UNNUMBERED, range(1_101, 4_300)],
  ] as const) {
    const fake = new FakeRoom();
    fake.publish(fake.write(1_100));
    const client = fake.enter(since);
    const admitted = fake.letIn(client, since);
    // While it is admitted, more events arrive than are held for it, and again while it reads the log.
    fake.publish(fake.write(1_600));
    let bursts = 1;
    fake.onRead = () => {
      if (bursts-- > 0) fake.publish(fake.write(1_600));
    };
    await admitted;
    fake.publish(fake.write(4_300 - fake.log.length));
    t.strictSame(client.seqs, expected, name);
    t.strictSame(client.others, ['user_joined'], 'nor a join in the meantime');
  }
});

t.test('CATCH6 events that never reached the instance before a client connected are read from the log', async (t) => {
  const fake = new FakeRoom();
  fake.write(5);
  const client = fake.enter(UNNUMBERED);
  const admitted = fake.letIn(client, UNNUMBERED);
  fake.write(3);
  fake.publish(fake.write(2));
  await admitted;
  fake.publish(fake.write());
  t.strictSame(client.seqs, range(6, 11));
});

t.test('WS14 unread data of all clients stays within one budget: those with the most are disconnected before a message is sent', async (t) => {
  const fake = new FakeRoom();
  const readers = await Promise.all(range(1, 10).map(() => fake.connect(UNNUMBERED)));
  const idlers: FakeClient[] = [];
  // Small enough to be sent whole to all of them.
  const characters = MEBI / 8;
  const rounds = 60;
  let maxUnread = 0;
  for (const _ of range(1, rounds)) {
    const idler = await fake.connect(UNNUMBERED);
    idler.isReading = false;
    idlers.push(idler);
    fake.publish(fake.write().map((event) => ({ ...event, json: 'x'.repeat(characters) })));
    const unread = idlers.filter(({ closedWith }) => closedWith === null).map(({ backlog }) => backlog);
    maxUnread = Math.max(
      maxUnread,
      unread.reduce((sum, bytes) => sum + bytes, 0),
    );
  }
  t.ok(maxUnread <= 64 * MEBI + characters, `${maxUnread} bytes were unread`);
  t.ok(maxUnread > 32 * MEBI, 'and the budget is used');
  const closed = idlers.map(({ closedWith }) => closedWith === 'cut');
  t.strictSame(closed, [...closed].sort().reverse(), 'those with the most to read went');
  t.ok(closed.includes(true) && closed.includes(false));
  for (const reader of readers) t.equal(reader.received.filter((text) => text.length === characters).length, rounds);
});

t.test('CATCH14 the memory held for a client that catches up is bounded; the rest is read from the log', async (t) => {
  const fake = new FakeRoom();
  const client = fake.enter(after(0));
  for (let n = 0; n < 5; n += 1) fake.publish(fake.write(700));
  t.ok((client.follower.arrival?.held.length ?? Infinity) <= 1_001);
  await fake.letIn(client, after(0));
  t.strictSame(client.seqs, range(1, 3_500));
});

t.test('CATCH14 held events are bounded in bytes too: during the catch-up, and behind a large event', async (t) => {
  const fake = new FakeRoom();
  const idler = await fake.connect(UNNUMBERED);
  idler.isReading = false;
  fake.publish(fake.writeLarge());
  await fake.delivered();
  const arriving = fake.enter(LATEST);
  const text = 'x'.repeat(MEBI / 2);
  const held = (): number => arriving.follower.arrival?.held.length ?? 0;
  for (const n of range(1, 100)) {
    const events = fake.write().map((event) => ({ ...event, json: `{"n":${event.seq},"x":"${text}"}` }));
    fake.log.splice(-1, 1, ...events);
    fake.publish(events);
    if (n === 30) t.strictSame([idler.closedWith, held()], [null, 30], '15 MiB are held');
    if (held() * text.length > 16 * MEBI) t.fail('more is held than the budget allows');
  }
  t.equal(idler.closedWith, 'cut');
  await fake.letIn(arriving, LATEST);
  fake.publish(fake.write());
  t.strictSame(arriving.seqs.at(-1), 102, 'the connecting client is admitted');
});

t.test('CATCH16 a large event is resync for clients with numbers and the event itself for others, in its place', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(2));
  const numbered = await fake.connect(LATEST);
  const plain = await fake.connect(UNNUMBERED);
  const arriving = fake.enter(UNNUMBERED);
  fake.publish([...fake.write(), ...fake.writeLarge(), ...fake.write()]);
  fake.publish(fake.writeLarge());
  fake.publish(fake.write());
  announce(fake);
  t.strictSame(numbered.seqs, [3, 5, 7]);
  const resyncs = numbered.received.filter((text) => text.includes('resync'));
  t.strictSame(resyncs, ['{"type":"resync","seq":4}', '{"type":"resync","seq":6}']);
  t.strictSame(plain.seqs, [3], 'later events wait');
  await fake.delivered();
  t.strictSame(plain.seqs, [3, 4, 5, 6, 7], 'each event once, in order');
  t.match(plain.received.at(-1), /user_left/);
  fake.publish(fake.write());
  t.strictSame([plain.seqs.at(-1), numbered.seqs.at(-1)], [8, 8], 'and both go on');

  await fake.letIn(arriving, UNNUMBERED);
  fake.publish(fake.writeLarge());
  await fake.delivered();
  t.strictSame(arriving.seqs, [9], 'so does one that was admitted after them');
});

t.test('CATCH16 large events that arrive while a client is admitted reach it in their place', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(2));
  for (const since of [UNNUMBERED, LATEST]) {
    const client = fake.enter(since);
    const admitted = fake.letIn(client, since);
    const first = fake.log.length + 1;
    fake.publish([...fake.write(), ...fake.writeLarge(), ...fake.write()]);
    await admitted;
    await fake.delivered();
    fake.publish(fake.write());
    const expected = since.kind === 'latest' ? [first, first + 2, first + 3] : range(first, first + 3);
    t.strictSame(client.seqs, expected);
    t.equal(client.others.includes('resync'), since.kind === 'latest');
  }
});

t.test('CATCH16 a client that catches up over a large event reads the board again once', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(2));
  const client = fake.enter(after(1));
  fake.publish([...fake.writeLarge(), ...fake.write()]);
  fake.publish(fake.writeLarge());
  await fake.letIn(client, after(1));
  fake.publish(fake.write());
  t.strictSame([client.received.filter((text) => text.includes('resync')), client.seqs], [['{"type":"resync","seq":5}'], [6]]);
});

t.test('CATCH16 a large event of an earlier version in the log is resync as well', async (t) => {
  const fake = new FakeRoom();
  fake.write(3);
  fake.log[1] = { seq: 2, type: 'column.updated', json: `{"n":2,"x":"${'x'.repeat(MEBI)}"}` };
  const client = await fake.connect(after(0));
  t.strictSame(
    [client.seqs, client.others],
    [
      [1, 3],
      ['resync', 'user_joined'],
    ],
  );
  t.equal(client.received[1], '{"type":"resync","seq":2}');
});

t.test('CATCH16 a large event is sent in slices, each after the last was taken; a client that takes none is disconnected', async (t) => {
  const fake = new FakeRoom();
  const [reader, slow, idler] = await Promise.all(range(1, 3).map(() => fake.connect(UNNUMBERED)));
  if (reader === undefined || slow === undefined || idler === undefined) throw new Error('three clients');
  slow.isReading = idler.isReading = false;
  fake.publish(fake.writeLarge(3 * MEBI));
  fake.publish(fake.write());
  await fake.delivered();
  t.strictSame(reader.seqs, [1, 2], 'one that reads does not wait for the others');
  t.strictSame([slow.slices.length, slow.backlog], [1, 64 * 1024]);
  for (let second = 0; second < 60; second += 1) {
    fake.now += 1_000;
    fake.deliveries.sweep();
    if (slow.backlog > 0) slow.read();
    await fake.delivered();
  }
  t.strictSame(slow.seqs, [1, 2], 'one that takes a slice a second gets the complete event');
  t.equal(idler.closedWith, 'cut');
  t.equal(idler.slices.length, 1, 'and never had more than a slice');
});

t.test('CATCH16 buffers are kept up to a bound; then the clients of the oldest buffer are disconnected', async (t) => {
  const fake = new FakeRoom();
  const [reader, idler] = [await fake.connect(UNNUMBERED), await fake.connect(UNNUMBERED)];
  idler.isReading = false;
  for (const _ of range(1, 6)) {
    fake.publish(fake.writeLarge(12 * MEBI));
    await fake.delivered();
  }
  t.equal(idler.closedWith, 'cut', '72 MiB are more than 64');
  t.strictSame(reader.seqs, range(1, 6));
});

t.test('CATCH16 events after a large event are held for a client up to a bound', async (t) => {
  const fake = new FakeRoom();
  const [reader, idler] = [await fake.connect(UNNUMBERED), await fake.connect(UNNUMBERED)];
  idler.isReading = false;
  fake.publish(fake.writeLarge());
  fake.publish(fake.write(900));
  t.equal(idler.closedWith, null);
  await fake.delivered();
  fake.publish(fake.write(900));
  t.equal(idler.closedWith, 'cut');
  t.strictSame(reader.seqs, range(1, 1_801));
});

t.test('CATCH16 events held behind a large event are sent as fast as the client reads, and in order', async (t) => {
  const fake = new FakeRoom();
  const client = await fake.connect(UNNUMBERED);
  fake.publish(fake.writeLarge());
  client.isReading = false;
  const text = 'x'.repeat(MEBI / 2);
  fake.publish(fake.write(20).map((event) => ({ ...event, json: `{"n":${event.seq},"x":"${text}"}` })));
  let most = 0;
  for (let reads = 0; !client.isLive && reads < 1_000; reads += 1) {
    await fake.delivered();
    most = Math.max(most, client.backlog);
    client.read();
  }
  t.ok(most < MEBI, `${most} bytes waited`);
  fake.publish(fake.write());
  t.strictSame(client.seqs, range(1, 22));
});

t.test('CATCH16 an event that is too much for all clients at once is sent in slices', async (t) => {
  const fake = new FakeRoom();
  const clients = await Promise.all(range(1, 200).map(() => fake.connect(UNNUMBERED)));
  for (const client of clients) client.isReading = false;
  const [event] = fake.write();
  if (event === undefined) throw new Error('one event');
  fake.publish([{ ...event, json: `{"n":1,"x":"${'x'.repeat(MEBI / 2)}"}` }]);
  await fake.delivered();
  t.ok(
    clients.every(({ backlog }) => backlog === 64 * 1024),
    '200 times 64 KiB, not 512',
  );
  while (clients.some(({ slices }) => slices.length > 0)) {
    for (const client of clients) client.read();
    await fake.delivered();
  }
  t.ok(clients.every(({ seqs }) => seqs.join() === '1'));
});

t.test('PRES1 a hundred clients that arrive together hear of each other, each in one write', async (t) => {
  const fake = new FakeRoom();
  const plain = range(1, 100).map(() => fake.enter(UNNUMBERED));
  const shared = range(1, 100).map((number) => new FakeSharedClient(fake, `shared ${number}`));
  await Promise.all([...plain.map((client) => fake.letIn(client, UNNUMBERED)), ...shared.map((client) => client.follow(fake, LATEST))]);
  const joins = (client: FakeSocket): number => client.others.filter((type) => type === 'user_joined').length;
  t.strictSame(
    plain.map(joins),
    range(1, 100).map((number) => 201 - number),
    'their own join, and those after it',
  );
  t.strictSame(
    shared.map(joins),
    range(1, 100).map((number) => 101 - number),
  );
  const most = Math.max(...[...plain, ...shared].map(({ writes }) => writes));
  t.ok(most <= 4, `at most ${most} writes for a client`);
});

function announce(fake: FakeRoom): void {
  const message = { type: 'user_left', user_id: 'x', username: 'x' } as const;
  fake.room.receive({ kind: 'presence', connection_id: -1, message });
}
