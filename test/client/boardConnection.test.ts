import t from 'tap';
import { ApiError } from '../../src/client/apiError.js';
import type { OnlineUser } from '../../src/client/events.js';
import type { LoadedBoard } from '../../src/client/localBoard.js';
import { ADA, BOB, boardAt, FakeBoard, renamed, settled } from './fakeBoard.js';

t.test('CLIENT14 the board is read and then followed from its number', async (t) => {
  const service = new FakeBoard();
  const connection = service.connect();
  t.strictSame([connection.board, connection.state.kind], [null, 'connecting']);
  await settled();
  t.equal(service.socket.since, 5);
  t.equal(connection.board?.title, 'as of 5');
  service.socket.say(renamed(6));
  t.strictSame([connection.board?.title, connection.seq], ['as of 6', 6]);
  t.equal(connection.state.kind, 'connecting', 'it is not live before it knows that nothing is missing');
  service.socket.say({ type: 'user_joined', ...ADA });
  t.equal(connection.state.kind, 'live');
  t.equal((await connection.ready).title, 'as of 6');
});

t.test('CLIENT15 an event that is already applied is skipped', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  for (const seq of [4, 5, 6, 6, 7]) service.socket.say(renamed(seq));
  t.strictSame(service.seen, [null, 6, 7]);
  t.strictSame([connection.seq, connection.state.kind], [7, 'live']);
});

t.test('CLIENT16 a gap between events makes the client reconnect from its last number', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  const first = service.socket;
  first.say(renamed(6));
  first.say(renamed(8));
  t.match(connection.state, { kind: 'waiting', reason: 'An event was missed' });
  t.equal(first.isClosed, true);
  service.timers.fire();
  await settled();
  t.equal(service.socket.since, 6);
  first.say(renamed(7));
  t.equal(connection.seq, 6, 'later messages on the old socket are ignored');
});

t.test('CLIENT17 on resync the board is read again while new events are kept', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  let finishReading: (board: LoadedBoard) => void = () => undefined;
  service.board = new Promise((resolve) => {
    finishReading = resolve;
  });
  service.socket.say({ type: 'resync', seq: 90 });
  t.equal(connection.state.kind, 'connecting');
  for (const seq of [91, 92, 93]) service.socket.say(renamed(seq));
  t.equal(connection.board?.title, 'as of 5');
  finishReading(boardAt(91));
  await settled();
  t.strictSame(service.seen, [null, null, 92, 93]);
  t.strictSame([connection.board?.title, connection.state.kind], ['as of 93', 'live']);
  t.equal(service.sockets.length, 1);
});

t.test('CLIENT17 if the connection is lost while the board is read again, the next connection reads it once more', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  service.board = new ApiError(503, 'Not now', 2);
  service.socket.say({ type: 'resync', seq: 90 });
  await settled();
  t.match(connection.state, { kind: 'waiting', reason: '503: Not now', retryInMs: 2000 });
  service.board = boardAt(95);
  service.timers.fire();
  await settled();
  t.strictSame([service.socket.since, connection.board?.title], [95, 'as of 95']);
});

t.test('CLIENT17 a resync during the read makes the client read once more, unless the read was late enough', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  const readings: Array<(board: LoadedBoard) => void> = [];
  const readLater = (): void => {
    service.board = new Promise((resolve) => readings.push(resolve));
  };
  readLater();
  service.socket.say({ type: 'resync', seq: 6 });
  for (const message of [{ type: 'resync', seq: 7 }, renamed(8), { type: 'resync', seq: 9 }, renamed(10)]) {
    service.socket.say(message);
  }
  const [first] = readings;
  readLater();
  first?.(boardAt(6));
  await settled();
  t.strictSame([connection.seq, connection.state.kind], [6, 'connecting'], 'it was read before the second');
  readings[1]?.(boardAt(9));
  await settled();
  t.strictSame([connection.board?.title, connection.seq, connection.state.kind], ['as of 10', 10, 'live']);
  service.board = new ApiError(500, 'not asked for', null);
  service.socket.say({ type: 'resync', seq: 9 });
  await settled();
  t.equal(connection.state.kind, 'live', 'it contains that one');
  t.equal(service.sockets.length, 1);
});

t.test('CLIENT6 on an event of an unknown kind the client reads the board again', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  service.board = boardAt(6);
  service.socket.say({ seq: 6, type: 'card.painted', data: {} });
  service.socket.say(renamed(7));
  await settled();
  t.strictSame(service.seen, [null, null, 7]);
  t.strictSame([connection.seq, connection.state.kind], [7, 'live']);
});

t.test('CLIENT18 every ping is answered', async (t) => {
  const service = new FakeBoard();
  await service.connectLive();
  for (let ping = 0; ping < 2; ping += 1) service.socket.say({ type: 'ping', board_id: 'board' });
  t.strictSame(service.socket.sent, ['{"type":"pong"}', '{"type":"pong"}']);
});

t.test('CLIENT19 reconnection attempts wait longer and longer, with random variation, until one succeeds', async (t) => {
  const service = new FakeBoard();
  const draws = [0, 0.999, 0.5, 0.5, 0.5, 0.25, 0.5];
  const options = { firstRetryMs: 100, maxRetryMs: 1000, random: () => draws.shift() ?? 0 };
  await service.connectLive(options);
  for (let failure = 0; failure < 6; failure += 1) {
    service.socket.end(1006);
    service.timers.fire();
    await settled();
  }
  service.socket.say({ type: 'user_joined', ...ADA });
  service.socket.end(1006);
  const waits = service.states.flatMap((state) => (state.kind === 'waiting' ? [state.retryInMs] : []));
  t.strictSame(waits, [0, 199.8, 200, 400, 500, 250, 50]);
});

t.test('CLIENT20 a silent connection is abandoned', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive({ maxSilenceMs: 60_000 });
  t.strictSame(service.timers.waits, [60_000], 'one timer, reset by every message');
  const silent = service.socket;
  service.timers.fire();
  t.match(connection.state, { kind: 'waiting', reason: 'The service stopped sending' });
  t.equal(silent.isClosed, true);
  service.timers.fire();
  await settled();
  t.equal(service.sockets.length, 2);
});

t.test('CLIENT21 the client stops with a reason where retrying cannot help', async (t) => {
  const ends = [
    { code: 1008, reason: 'The token expired', cause: 'refused' },
    { code: 4410, reason: 'The board was deleted', cause: 'board deleted' },
  ];
  for (const { code, reason, cause } of ends) {
    const service = new FakeBoard();
    const connection = await service.connectLive();
    service.socket.end(code, reason);
    t.strictSame(connection.state, { kind: 'closed', cause, reason });
    t.strictSame(service.timers.waits, []);
  }
  for (const status of [401, 403, 404, 422]) {
    const service = new FakeBoard();
    service.board = new ApiError(status, 'No', null);
    const connection = service.connect();
    await t.rejects(connection.ready, { name: 'ApiError', status }, `ready is rejected with ${status}`);
    t.strictSame(connection.state, { kind: 'closed', cause: 'refused', reason: 'No' });
  }
});

t.test('CLIENT21 the client retries everything else', async (t) => {
  for (const code of [1000, 1001, 1006, 1009, 1011, 1013, 4408]) {
    const service = new FakeBoard();
    const connection = await service.connectLive();
    service.socket.end(code, 'why');
    t.match(connection.state, { kind: 'waiting', reason: `Closed with ${code} why` });
  }
  const nonsense = new FakeBoard();
  const connection = await nonsense.connectLive();
  nonsense.socket.say('<html>');
  t.match(connection.state, { kind: 'waiting', reason: /invalid message/ });
  const unreachable = new FakeBoard();
  unreachable.board = Promise.reject(new TypeError('fetch failed'));
  const waiting = unreachable.connect();
  await settled();
  t.match(waiting.state, { kind: 'waiting', reason: 'TypeError: fetch failed' });
});

t.test('CLIENT22 after close nothing stays open', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  connection.close();
  connection.close();
  t.strictSame(service.states.slice(-1), [{ kind: 'closed', cause: 'left', reason: 'Closed by the client' }]);
  t.equal(service.socket.isClosed, true);
  t.strictSame(service.timers.waits, []);
  service.socket.say(renamed(6));
  t.equal(connection.seq, 5);

  const early = new FakeBoard();
  const closing = early.connect();
  closing.close();
  await t.rejects(closing.ready, { message: 'Closed by the client' });
  t.strictSame([early.sockets.length, early.timers.waits], [0, []]);

  const waiting = new FakeBoard();
  const lost = await waiting.connectLive();
  waiting.socket.end(1006);
  lost.close();
  t.strictSame(waiting.timers.waits, []);
});

t.test('CLIENT23 online users are read once a connection and then followed', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  const changes: Array<readonly OnlineUser[]> = [];
  connection.on('presence', (users) => changes.push(users));
  service.socket.say({ type: 'user_joined', ...BOB });
  service.socket.say({ type: 'user_joined', ...BOB });
  t.strictSame(connection.presence, [ADA, BOB]);
  service.socket.say({ type: 'user_left', ...ADA });
  t.strictSame(connection.presence, [BOB]);
  t.strictSame(changes.at(-1), [BOB]);

  service.online = [ADA];
  service.socket.end(1006);
  service.timers.fire();
  await settled();
  service.socket.say({ type: 'user_joined', ...ADA });
  await settled();
  t.strictSame(connection.presence, [ADA], 'Bob left before there was a listener');
});

t.test('CLIENT23 joins and leaves during the read are not lost', async (t) => {
  const service = new FakeBoard();
  let finishReading: (users: readonly OnlineUser[]) => void = () => undefined;
  service.online = new Promise((resolve) => {
    finishReading = resolve;
  });
  const connection = await service.connectLive();
  service.socket.say({ type: 'user_joined', ...BOB });
  service.socket.say({ type: 'user_left', ...ADA });
  finishReading([ADA]);
  await settled();
  t.strictSame(connection.presence, [BOB]);
});

t.test('CLIENT23 a failed read is repeated with the next heartbeat', async (t) => {
  const service = new FakeBoard();
  service.online = new ApiError(503, 'Not now', 1);
  const connection = await service.connectLive();
  t.equal(connection.state.kind, 'live');
  service.online = [ADA, BOB];
  service.socket.say({ type: 'ping', board_id: 'board' });
  await settled();
  t.strictSame(connection.presence, [ADA, BOB]);
});

t.test('CLIENT24 a listener can be removed and gets only the events it subscribed to', async (t) => {
  const service = new FakeBoard();
  const connection = await service.connectLive();
  const events: number[] = [];
  const stop = connection.on('event', ({ seq }) => events.push(seq));
  service.socket.say(renamed(6));
  service.socket.say({ type: 'user_joined', ...BOB });
  stop();
  service.socket.say(renamed(7));
  t.strictSame(events, [6]);
});
