import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { FakeRoom, FakeSharedClient } from '../../support/realtime/fakeRoom.js';
import { range } from '../../support/realtime/realtimeBoard.js';

const LATEST = { kind: 'latest' } as const;
const KIBI = 1024;
const MEBI = 1024 * KIBI;
const after = (seq: number) => ({ kind: 'after', position: { epoch: '0', seq } }) as const;

interface Message {
  readonly type: string;
  readonly seq?: number;
  readonly [field: string]: unknown;
}

function parsed({ received }: FakeSharedClient): Message[] {
  return received.map((text) => JSON.parse(text) as Message);
}

async function follow(fake: FakeRoom, since: Parameters<FakeSharedClient['follow']>[1] = LATEST): Promise<FakeSharedClient> {
  const client = new FakeSharedClient(fake, 'ann');
  await client.follow(fake, since);
  return client;
}

t.test('CATCH6 lost, doubled and late events reach a shared session once, in order, each with its board and number', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(3));
  const client = await follow(fake, after(1));
  fake.write(700);
  const last = fake.write();
  fake.publish(last);
  fake.publish(last);
  await nextTurn();
  fake.publish(fake.write());
  t.strictSame(client.seqs, range(2, 705));
  t.strictSame(client.seqsOn(fake), client.seqs, 'every event has the id of the board');
  t.ok(
    parsed(client)
      .filter(({ n }) => n !== undefined)
      .every(({ n, seq }) => n === seq),
  );
  t.strictSame(client.others, ['subscribed', 'user_joined']);
});

t.test('CATCH16 a large event is a resync of its board, live, while joining and in the log, and nothing is sent in fragments', async (t) => {
  const fake = new FakeRoom();
  const board_id = fake.room.boardId;
  fake.publish(fake.write(2));
  const live = await follow(fake);
  const arriving = new FakeSharedClient(fake, 'bob');
  const admitted = arriving.follow(fake, after(2));
  fake.publish([...fake.write(), ...fake.writeLarge(), ...fake.write()]);
  await admitted;
  const missed = await follow(fake, after(2));
  fake.write();
  fake.log[5] = { seq: 6, type: 'column.updated', json: `{"n":6,"x":"${'x'.repeat(MEBI)}"}` };
  fake.publish(fake.write());
  await nextTurn();
  const resync = (seq: number) => ({ type: 'resync', board_id, epoch: '0', seq });
  const resyncs = (client: FakeSharedClient): Message[] => parsed(client).filter(({ type }) => type === 'resync');
  t.strictSame(resyncs(live), [resync(4), resync(6)]);
  t.strictSame(live.seqs, [3, 5, 7]);
  t.strictSame(arriving.seqs.slice(-2), [5, 7]);
  t.strictSame(resyncs(missed), [resync(5), resync(6)], 'the missed one was no longer kept');
  t.strictSame(
    [live, arriving, missed].flatMap(({ slices }) => slices),
    [],
  );
});

t.test('SHARE3 when a board begins a new epoch, sessions that are not live end alone; the socket and the others go on', async (t) => {
  const fake = new FakeRoom();
  const other = new FakeRoom({ boardId: '00000000-0000-4000-8000-000000000001', beside: fake });
  fake.publish(fake.write(5));
  const live = await follow(fake);
  await live.follow(other, LATEST);
  const arriving = new FakeSharedClient(fake, 'bob');
  await arriving.follow(other, LATEST);
  const admitted = arriving.follow(fake, after(1));
  fake.log.splice(3);
  fake.epoch = 'k3';
  fake.publish(fake.write());
  await admitted;
  t.match(
    parsed(live).find(({ type }) => type === 'resync'),
    { board_id: fake.room.boardId, epoch: 'k3', seq: 3 },
  );
  t.match(parsed(arriving).at(-1), { type: 'unsubscribed', board_id: fake.room.boardId, code: 1013 });
  t.equal(arriving.client.followerOn(fake.room.boardId), null);
  await arriving.follow(fake, after(1));
  t.match(
    parsed(arriving).find(({ type }) => type === 'resync'),
    { epoch: 'k3', seq: 4 },
  );
  fake.publish(fake.write());
  other.publish(other.write());
  for (const client of [live, arriving]) {
    t.equal(client.closedWith, null);
    t.match(parsed(client).slice(-2), [
      { board_id: fake.room.boardId, seq: 5, epoch: 'k3' },
      { board_id: other.room.boardId, seq: 1 },
    ]);
  }
});

t.test('SHARE8 states that change while a client catches up follow those of its join, in order', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(1_200));
  const change = (connection_id: number, state: string | null): void => {
    fake.states = [
      ...fake.states.filter((each) => each.connection_id !== connection_id),
      ...(state === null ? [] : [{ user_id: 'bob', connection_id, state }]),
    ];
    fake.room.receive({ kind: 'state', change: { user_id: 'bob', connection_id, state } });
  };
  change(1, '"a"');
  const client = new FakeSharedClient(fake, 'ann');
  const plain = await fake.connect({ kind: 'unnumbered' });
  change(2, '"before"');
  let reads = 0;
  fake.onRead = () => {
    reads += 1;
    change(1, reads === 1 ? '"b"' : null);
    change(3, `"${reads}"`);
  };
  await client.follow(fake, after(0));
  change(2, '"after"');
  const states = parsed(client).flatMap(({ type, connection_id, state }) => (type === 'state' ? [[connection_id, state]] : []));
  t.ok(reads > 1);
  t.strictSame(
    states.slice(0, 2),
    [
      [1, 'a'],
      [2, 'before'],
    ],
    'as they were at its join',
  );
  t.strictSame(
    states.slice(2),
    [
      [1, null],
      [3, String(reads)],
      [2, 'after'],
    ],
    'then the last change of each',
  );
  const types = parsed(client).map(({ type }) => type ?? 'event');
  t.strictSame(types.slice(0, 3), ['subscribed', 'state', 'state']);
  t.equal(types.lastIndexOf('event') < types.indexOf('state', 3), true, 'after the missed events');
  t.notOk(plain.others.includes('state'));
});

t.test('SHARE8 however often states change while a client catches up, the last of each connection is held for it', async (t) => {
  const fake = new FakeRoom();
  fake.publish(fake.write(600));
  const client = new FakeSharedClient(fake, 'ann');
  const change = (connection_id: number, state: string): void => {
    fake.room.receive({ kind: 'state', change: { user_id: 'bob', connection_id, state } });
  };
  fake.onRead = () => {
    for (const n of range(1, 5_000)) change(n % 100, String(n));
  };
  await client.follow(fake, after(0));
  t.equal(client.closedWith, null);
  const states = parsed(client).flatMap(({ type, state }) => (type === 'state' ? [state] : []));
  t.strictSame(states, range(4_901, 5_000));
});

t.test('CATCH14 boards that catch up on one socket together wait for the client as one does', async (t) => {
  const first = new FakeRoom();
  const others = range(1, 11).map((n) => new FakeRoom({ boardId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, beside: first }));
  const fakes = [first, ...others];
  const x = 'x'.repeat(200 * KIBI);
  for (const fake of fakes) {
    const events = fake.write(3).map((event) => ({ ...event, json: `{"n":${event.seq},"x":"${x}"}` }));
    fake.log.splice(0, 3, ...events);
    fake.publish(events);
  }
  const client = new FakeSharedClient(first, 'ann');
  client.isReading = false;
  const following = Promise.all(fakes.map((fake) => client.follow(fake, after(0))));
  let most = 0;
  for (let reads = 0; client.topics.size < fakes.length && reads < 1_000; reads += 1) {
    await nextTurn();
    most = Math.max(most, client.backlog);
    client.read();
  }
  await following;
  t.ok(most < 500 * KIBI, `${most} bytes waited for it`);
  t.equal(client.closedWith, null);
  for (const fake of fakes) t.strictSame(client.seqsOn(fake), [1, 2, 3]);
});

t.test('WS14 what a client gets when it joins is a part of its unread data, and ends it if it reads nothing', async (t) => {
  const fake = new FakeRoom();
  fake.states = range(1, 200).map((connection_id) => ({ user_id: 'bob', connection_id, state: `"${'x'.repeat(KIBI)}"` }));
  const client = new FakeSharedClient(fake, 'ann');
  client.isReading = false;
  let rounds = 0;
  for (; client.closedWith === null && rounds < 1_000; rounds += 1) {
    await client.follow(fake, LATEST);
    client.unfollow(fake);
  }
  t.equal(client.closedWith, 'cut');
  t.ok(client.backlog <= 65 * MEBI, `${client.backlog} bytes after ${rounds} joins`);
});
