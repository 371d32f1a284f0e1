import t from 'tap';
import type { OnlineUser } from '../../src/client/index.js';
import { ADA, BOARD_ID, BOB, FakeService, refusal, renamed, settled } from './fakeService.js';

t.test('CLIENT14 the board is read and then followed from its number', async (t) => {
  const service = new FakeService();
  const connection = service.connect();
  t.strictSame([connection.board, connection.state.kind], [null, 'connecting']);
  await settled();
  t.equal(connection.board?.title, 'as of 5');
  t.strictSame(service.socket.sent, [], 'nothing is sent before the service admits the socket');
  service.socket.admit();
  t.strictSame(service.socket.sent, [{ type: 'subscribe', board_id: BOARD_ID, since: '5' }]);
  service.socket.confirm(7);
  service.socket.say(renamed(6));
  t.strictSame([connection.board?.title, connection.seq], ['as of 6', 6]);
  t.equal(connection.state.kind, 'connecting', 'it is not live before it has everything');
  service.socket.say(renamed(7));
  t.equal(connection.state.kind, 'live');
  t.equal((await connection.ready).title, 'as of 7');
});

t.test('CLIENT14 a board that is read after the socket is open is followed too', async (t) => {
  const service = new FakeService();
  let finishReading: (seq: number) => void = () => undefined;
  service.board = new Promise((resolve) => {
    finishReading = resolve;
  });
  const connection = service.connect();
  await settled();
  service.socket.admit();
  t.strictSame(service.socket.sent, []);
  finishReading(8);
  await settled();
  t.strictSame(service.subscriptions, ['8']);
  service.socket.confirm(8);
  t.equal(connection.state.kind, 'live');
});

t.test('CLIENT14 an event that is already applied is skipped', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  for (const seq of [4, 5, 6, 6, 7]) service.socket.say(renamed(seq));
  t.strictSame(service.seen, [null, 6, 7]);
  t.strictSame([connection.seq, connection.state.kind], [7, 'live']);
});

t.test('CLIENT14 a gap between events makes the client subscribe again from its last number', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  service.socket.say(renamed(6));
  service.socket.say(renamed(8));
  t.match(connection.state, { kind: 'waiting', reason: 'An event was missed' });
  t.match(service.socket.sent.at(-1), { type: 'unsubscribe', board_id: BOARD_ID });
  service.socket.say({ type: 'unsubscribed', board_id: BOARD_ID, code: 1000, reason: 'Asked for' });
  service.socket.say(renamed(7));
  t.equal(connection.seq, 6, 'events are ignored until then');
  service.clock.fire();
  t.strictSame(service.subscriptions, ['5', '6']);
  service.socket.say(renamed(7));
  t.equal(connection.seq, 6, 'also those of the old subscription');
  service.socket.confirm(8);
  for (const seq of [7, 8]) service.socket.say(renamed(seq));
  t.strictSame([connection.seq, connection.state.kind, service.sockets.length], [8, 'live', 1]);
});

t.test('CLIENT17 on resync the board is read again while new events are kept', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  let finishReading: (seq: number) => void = () => undefined;
  service.board = new Promise((resolve) => {
    finishReading = resolve;
  });
  service.socket.say({ type: 'resync', board_id: BOARD_ID, epoch: '0', seq: 90 });
  t.equal(connection.state.kind, 'connecting');
  for (const seq of [91, 92, 93]) service.socket.say(renamed(seq));
  t.equal(connection.board?.title, 'as of 5');
  finishReading(91);
  await settled();
  t.strictSame(service.seen, [null, null, 92, 93]);
  t.strictSame([connection.board?.title, connection.state.kind], ['as of 93', 'live']);
  t.strictSame([service.sockets.length, service.subscriptions], [1, ['5']]);
});

t.test('CLIENT17 if the board cannot be read again, the next attempt reads it once more', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  service.board = refusal(503, 'Not now', 2);
  service.socket.say({ type: 'resync', board_id: BOARD_ID, epoch: '0', seq: 90 });
  await settled();
  t.match(connection.state, { kind: 'waiting', reason: '503: Not now', retryInMs: 2000 });
  service.board = 95;
  service.clock.fire();
  await settled();
  t.strictSame([service.subscriptions, connection.board?.title], [['5', '95'], 'as of 95']);
});

t.test('CLIENT17 if the socket is lost while the board is read again, the next one follows what was read', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  let finishReading: (seq: number) => void = () => undefined;
  service.board = new Promise((resolve) => {
    finishReading = resolve;
  });
  service.socket.say({ type: 'resync', board_id: BOARD_ID, epoch: '0', seq: 90 });
  service.socket.say(renamed(91));
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  service.socket.admit();
  t.strictSame(service.subscriptions, [], 'the board is not known yet');
  finishReading(90);
  await settled();
  t.strictSame(service.subscriptions, ['90']);
  service.socket.confirm(91);
  t.equal(connection.state.kind, 'connecting');
  service.socket.say(renamed(91));
  t.strictSame([connection.seq, connection.state.kind], [91, 'live']);
});

t.test('CLIENT17 a resync during the read makes the client read once more, unless the read was late enough', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  const resync = (seq: number): object => ({ type: 'resync', board_id: BOARD_ID, epoch: '0', seq });
  const readings: Array<(seq: number) => void> = [];
  const readLater = (): void => {
    service.board = new Promise((resolve) => readings.push(resolve));
  };
  readLater();
  for (const message of [resync(6), resync(7), renamed(8), resync(9), renamed(10)]) service.socket.say(message);
  await settled();
  const [first] = readings;
  readLater();
  first?.(6);
  await settled();
  t.strictSame([connection.seq, connection.state.kind], [6, 'connecting'], 'it was read before the second');
  readings[1]?.(9);
  await settled();
  t.strictSame([connection.board?.title, connection.seq, connection.state.kind], ['as of 10', 10, 'live']);
  service.board = refusal(500, 'not asked for');
  service.socket.say(resync(9));
  await settled();
  t.equal(connection.state.kind, 'live', 'it contains that one');
  t.equal(service.sockets.length, 1);
});

t.test('CLIENT17 a client that is ahead of the board, or has another history of it, reads it again', async (t) => {
  for (const [seq, epoch] of [
    [3, '0'],
    [5, 'x1'],
  ] as const) {
    const service = new FakeService();
    const connection = service.connect();
    await settled();
    service.socket.admit();
    service.board = epoch === '0' ? 3 : 'x1-5';
    service.socket.confirm(seq, { epoch });
    service.socket.say({ type: 'resync', board_id: BOARD_ID, epoch, seq });
    t.equal(connection.state.kind, 'connecting');
    await settled();
    t.strictSame([connection.seq, connection.state.kind, service.reads], [seq, 'live', 2]);
    const position = epoch === '0' ? {} : { epoch };
    service.socket.say({ ...renamed(seq + 1), ...position });
    t.strictSame([connection.seq, connection.state.kind], [seq + 1, 'live']);
  }
});

t.test('CLIENT17 on an event of an unknown kind the client reads the board again', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  service.board = 6;
  service.socket.say({ board_id: BOARD_ID, seq: 6, type: 'card.painted', data: {} });
  service.socket.say(renamed(7));
  await settled();
  t.strictSame(service.seen, [null, null, 7]);
  t.strictSame([connection.seq, connection.state.kind], [7, 'live']);
});

t.test('CLIENT21 the client stops with a reason where retrying cannot help', async (t) => {
  const ends = [
    { code: 1008, reason: 'Removed from the board', cause: 'refused' },
    { code: 4410, reason: 'The board was deleted', cause: 'board deleted' },
  ];
  for (const { code, reason, cause } of ends) {
    const service = new FakeService();
    const connection = await service.connectLive();
    service.socket.say({ type: 'unsubscribed', board_id: BOARD_ID, code, reason });
    t.strictSame(connection.state, { kind: 'closed', cause, reason });
    t.strictSame([service.clock.waits, service.socket.isClosed], [[], true]);
  }
  for (const status of [401, 403, 404, 422]) {
    const service = new FakeService();
    service.board = refusal(status, 'No');
    const connection = service.connect();
    await t.rejects(connection.ready, { name: 'ApiError', status }, `ready is rejected with ${status}`);
    t.strictSame(connection.state, { kind: 'closed', cause: 'refused', reason: 'No' });
  }
});

t.test('CLIENT21 a board that cannot be read is tried again', async (t) => {
  const service = new FakeService();
  service.board = new TypeError('fetch failed');
  const connection = service.connect();
  await settled();
  t.match(connection.state, { kind: 'waiting', reason: 'TypeError: fetch failed' });

  const slow = new FakeService({ connection: { maxSilenceMs: 60_000 } });
  slow.board = new Promise(() => undefined);
  const waiting = slow.connect();
  await settled();
  slow.socket.admit();
  slow.clock.pass(59_000);
  slow.socket.say({ type: 'ping' });
  slow.clock.fire();
  await settled();
  t.match(waiting.state, { kind: 'waiting', reason: /could not be read in time/ });
});

t.test('CLIENT24 after close nothing stays open', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  connection.close();
  connection.close();
  t.strictSame(service.states.slice(-1), [{ kind: 'closed', cause: 'left', reason: 'Closed by the client' }]);
  t.match(service.socket.sent.at(-1), { type: 'unsubscribe' });
  t.equal(service.socket.isClosed, true);
  t.strictSame(service.clock.waits, []);
  service.socket.say(renamed(6));
  t.equal(connection.seq, 5);

  const early = new FakeService();
  const closing = early.connect();
  closing.close();
  await t.rejects(closing.ready, { message: 'Closed by the client' });
  await settled();
  t.strictSame([early.sockets.length, early.clock.waits], [0, []]);

  const waiting = new FakeService();
  const lost = await waiting.connectLive();
  waiting.socket.end(1006);
  lost.close();
  t.strictSame(waiting.clock.waits, []);

  const alone = new FakeService();
  const retrying = await alone.connectLive();
  alone.socket.say(renamed(9));
  retrying.close();
  t.strictSame(alone.clock.waits, []);
});

t.test('CLIENT41 online users come with the subscription and are then followed', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  t.strictSame(connection.presence, [ADA]);
  const changes: Array<readonly OnlineUser[]> = [];
  connection.on('presence', (users) => changes.push(users));
  for (let n = 0; n < 2; n += 1) service.socket.say({ type: 'user_joined', board_id: BOARD_ID, ...BOB });
  t.strictSame(connection.presence, [ADA, BOB]);
  service.socket.say({ type: 'user_left', board_id: BOARD_ID, ...ADA });
  t.strictSame(connection.presence, [BOB]);
  t.strictSame(changes.at(-1), [BOB]);

  service.socket.end(1006);
  service.clock.fire();
  await settled();
  t.strictSame(connection.presence, [BOB], 'until the next subscription the list stays');
  service.socket.admit();
  service.socket.confirm(5, { online_users: [ADA] });
  t.strictSame(connection.presence, [ADA], 'Bob left while the client was away');
});

t.test('CLIENT24 a listener can be removed and gets only the events it subscribed to', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  const events: number[] = [];
  const stop = connection.on('event', ({ seq }) => events.push(seq));
  service.socket.say(renamed(6));
  service.socket.say({ type: 'user_joined', board_id: BOARD_ID, ...BOB });
  stop();
  service.socket.say(renamed(7));
  t.strictSame(events, [6]);
});

t.test('CLIENT24 a listener may close the connection', async (t) => {
  for (const name of ['event', 'change', 'presence', 'state'] as const) {
    const service = new FakeService();
    const connection = service.connect();
    await settled();
    service.socket.admit();
    connection.on(name, () => connection.close());
    service.socket.confirm(5);
    service.socket.say(renamed(6));
    service.socket.say(renamed(7));
    t.match(connection.state, { kind: 'closed', cause: 'left' }, name);
    t.strictSame([service.clock.waits, service.socket.isClosed], [[], true]);
  }
});
