import t from 'tap';
import { RealtimeBoard, range } from '../support/realtime/realtimeBoard.js';
import { startTestApp, WITH_THREADS } from '../support/service/app.js';
import type { TestSocket } from '../support/realtime/socket.js';
import type { SocketMessage } from '../support/realtime/messageChecker.js';

/** The number of events in one answer of the board's log. */
const PAGE = 500;
/** Enough for the readers and events of these tests; the limits have their own tests. */
const app = await startTestApp(t, { ...WITH_THREADS, MAX_SOCKETS_PER_USER: '1000', MAX_BOARD_LABELS: '10000' });

const seqs = (socket: TestSocket): unknown[] => socket.events.map(({ seq }) => seq);

t.test('CATCH1 since=N sends exactly the events after N, in order, then live events', async (t) => {
  const board = await RealtimeBoard.on(app);
  await addLabels(board, 6);
  const seq = await board.seq();
  for (const since of [0, 1, seq - 1, seq]) {
    const socket = await board.join(board.member, { since });
    t.strictSame(seqs(socket), range(since + 1, seq), `since=${since}`);
    t.equal(
      socket.messages.findIndex(({ type }) => type === 'user_joined'),
      seq - since,
      'before all other messages',
    );
    await socket.close();
  }
  const socket = await board.join(board.member, { since: seq - 2 });
  const page = await board.do<{ events: SocketMessage[] }>(`GET /boards/${board.id}/events?since=${seq - 2}`);
  t.strictSame(socket.events, page.events, 'the same as over HTTP');
  await board.addLabel('live');
  await socket.find(({ seq: number }) => number === seq + 1);
  t.strictSame(seqs(socket), range(seq - 1, seq + 1));
});

t.test('CATCH1 since=latest sends no past events', async (t) => {
  const board = await RealtimeBoard.on(app);
  const seq = await board.seq();
  const socket = await board.join(board.member, { since: 'latest' });
  await board.addLabel('live');
  await socket.find('label.created');
  t.strictSame(seqs(socket), [seq + 1]);
});

t.test('CATCH4 a client with a number above that of the board gets resync', async (t) => {
  const board = await RealtimeBoard.on(app);
  const seq = await board.seq();
  for (const since of [seq + 1, 999_999_999_999_999]) {
    const socket = await board.join(board.member, { since });
    t.strictSame(socket.messages[0], { type: 'resync', seq }, `since=${since}`);
    t.strictSame(socket.events, []);
    await socket.close();
  }
});

t.test('CATCH4 a client whose missed events are no longer kept gets resync', async (t) => {
  const kept = 10;
  const board = await RealtimeBoard.start(t, { EVENT_RETENTION_COUNT: String(kept) });
  await addLabels(board, 200);
  const seq = await board.seq();
  const socket = await board.join(board.member, { since: 1 });
  t.strictSame(socket.messages[0], { type: 'resync', seq });
  await board.addLabel('live');
  await socket.find('label.created');
  t.strictSame(seqs(socket), [seq + 1], 'and goes on from there');
  const recent = await board.join(board.member, { since: seq - kept + 2 });
  t.notOk(
    recent.messages.some(({ type }) => type === 'resync'),
    'the events that are kept are sent',
  );
  t.strictSame(seqs(recent), range(seq - kept + 3, seq + 1));
});

t.test('CATCH6 missed events of more than one page arrive complete and in order while the board changes', async (t) => {
  const board = await RealtimeBoard.on(app);
  await addLabels(board, 2 * PAGE + 100);
  const writer = writeUntilStopped(board);
  const sockets = await Promise.all([0, 1, PAGE, PAGE + 1].map((since) => board.join(board.member, { since })));
  await writer.stop();
  const seq = await board.seq();
  t.ok(seq > 2 * PAGE + 100, 'there were writes meanwhile');
  for (const [index, since] of [0, 1, PAGE, PAGE + 1].entries()) {
    const socket = sockets[index] as TestSocket;
    await reach(socket, seq);
    t.strictSame(seqs(socket), range(since + 1, seq), `since=${since}`);
  }
});

t.test('CATCH6 between replay and live stream nothing is lost or repeated', async (t) => {
  const board = await RealtimeBoard.on(app);
  await addLabels(board, 30);
  const writer = writeUntilStopped(board);
  const readers: Array<Promise<{ since: number; socket: TestSocket }>> = [];
  for (let round = 0; round < 40; round += 1) {
    const known = await board.seq();
    for (const share of [0, 0.5, 0.9, 0.99, 1]) {
      const since = Math.floor(known * share);
      readers.push(board.join(board.member, { since, unchecked: true }).then((socket) => ({ since, socket })));
    }
  }
  const joined = await Promise.all(readers);
  await writer.stop();
  const seq = await board.seq();
  const wrong: number[] = [];
  for (const { since, socket } of joined) {
    await reach(socket, seq);
    if (!isRange(seqs(socket), since + 1, seq)) wrong.push(since);
  }
  t.strictSame(wrong, [], `each of ${joined.length} clients got every number once, in order, up to ${seq}`);
});

t.test('CATCH6 a client without numbers that connects during writes gets every event from its join on', async (t) => {
  const board = await RealtimeBoard.on(app);
  const witness = await board.join(board.owner, { since: 0 });
  const writer = writeUntilStopped(board);
  const readers = await Promise.all(range(1, 60).map(() => board.join(board.member, { unchecked: true })));
  await writer.stop();
  const name = await marker(board);
  await witness.find(named(name));
  const all = witness.events.map(nameOf);
  for (const reader of readers) {
    await reader.find(named(name));
    const got = reader.events.map(nameOf);
    const end = all.slice(-got.length);
    // Compared as text first, because comparing long lists is slow.
    if (got.join() !== end.join()) t.strictSame(got, end, 'a suffix without a gap');
  }
  t.pass(`${readers.length} clients have the end of ${all.length} events`);
});

t.test('CATCH6 missed data above the send limit of a socket arrives complete', async (t) => {
  const board = await RealtimeBoard.on(app);
  const change = await board.largeChanges();
  for (const n of range(1, 80)) await change(n);
  const seq = await board.seq();
  const socket = await board.join(board.member, { since: 0, unchecked: true });
  t.strictSame(seqs(socket), range(1, seq));
});

interface Writer {
  /** Resolves when the last write is answered. */
  stop(): Promise<void>;
}

/** Writes as fast as answers come, several at a time. */
function writeUntilStopped(board: RealtimeBoard): Writer {
  let stopped = false;
  const write = async (hand: number): Promise<void> => {
    for (let n = 0; !stopped; n += 1) await board.addLabel(`${hand}-${n}`);
  };
  const hands = Promise.all(range(1, 4).map(write));
  return {
    stop: async () => {
      stopped = true;
      await hands;
    },
  };
}

async function addLabels(board: RealtimeBoard, count: number): Promise<void> {
  const atOnce = 50;
  for (let done = 0; done < count; done += atOnce) {
    await Promise.all(range(done + 1, Math.min(count, done + atOnce)).map((n) => board.addLabel(`label ${n}`)));
  }
}

/** The name of a label that is the last thing to happen. */
async function marker(board: RealtimeBoard): Promise<string> {
  await board.addLabel('the end');
  return 'the end';
}

function reach(socket: TestSocket, seq: number): Promise<SocketMessage> {
  return socket.find((message) => message['seq'] === seq && message.type !== 'resync');
}

function isRange(numbers: readonly unknown[], first: number, last: number): boolean {
  return numbers.length === last - first + 1 && numbers.every((number, index) => number === first + index);
}

function named(name: string): (message: SocketMessage) => boolean {
  return (message) => nameOf(message) === name;
}

function nameOf({ data }: SocketMessage): unknown {
  return (data as { name?: string } | undefined)?.name;
}
