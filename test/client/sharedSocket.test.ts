import t from 'tap';
import { BOARD_ID, FakeService, OTHER_ID, renamed, settled } from './fakeService.js';
import { ManualClock } from './manualClock.js';

t.test('CLIENT37 all boards of a client share one socket, open from the first to the last', async (t) => {
  const service = new FakeService();
  const first = await service.connectLive();
  const second = service.connect(OTHER_ID.toUpperCase());
  await settled();
  service.socket.confirm(5, { board_id: OTHER_ID });
  t.strictSame(
    service.socket.sentOf('subscribe').map(({ board_id }) => board_id),
    [BOARD_ID, OTHER_ID],
  );
  service.socket.say(renamed(6, OTHER_ID));
  t.strictSame([first.seq, second.seq, second.state.kind], [5, 6, 'live']);
  first.close();
  t.strictSame(service.socket.sent.at(-1), { type: 'unsubscribe', board_id: BOARD_ID });
  t.equal(service.socket.isClosed, false);
  second.close();
  t.equal(service.socket.isClosed, true);
  t.equal(service.sockets.length, 1);

  const again = service.connect();
  await settled();
  service.socket.admit();
  service.socket.confirm(5);
  t.strictSame([again.state.kind, service.sockets.length], ['live', 2]);
});

t.test('CLIENT37 connections to the same board share its copy, and each ends on its own', async (t) => {
  const service = new FakeService();
  const first = await service.connectLive();
  const second = service.client.connect(BOARD_ID);
  t.equal((await second.ready).title, 'as of 5');
  t.strictSame([service.reads, service.subscriptions], [1, ['5']], 'it is read and subscribed once');
  const seen: number[] = [];
  second.on('event', ({ seq }) => seen.push(seq));
  first.close();
  t.match([first.state, second.state], [{ kind: 'closed', cause: 'left' }, { kind: 'live' }]);
  service.socket.say(renamed(6));
  t.strictSame([seen, service.seen], [[6], [null]], 'the closed one hears nothing more');
  second.close();
  t.equal(service.socket.isClosed, true);
});

t.test('CLIENT37 a board that is left and connected again at once is subscribed anew', async (t) => {
  const service = new FakeService();
  const other = service.client.connect(OTHER_ID);
  const first = await service.connectLive();
  first.close();
  const second = service.client.connect(BOARD_ID);
  service.socket.confirm(5);
  service.socket.say({ type: 'unsubscribed', board_id: BOARD_ID, code: 1000, reason: 'Unsubscribed' });
  await settled();
  const types = service.socket.sent.filter(({ board_id }) => board_id === BOARD_ID).map(({ type }) => type);
  t.strictSame(types, ['subscribe', 'unsubscribe', 'subscribe']);
  t.equal(second.state.kind, 'connecting', 'the confirmation was that of the first');
  service.socket.confirm(5);
  t.equal(second.state.kind, 'live');
  other.close();
});

t.test('CLIENT19 every ping is answered', async (t) => {
  const service = new FakeService();
  await service.connectLive();
  for (let ping = 0; ping < 2; ping += 1) service.socket.say({ type: 'ping' });
  t.strictSame(service.socket.sentOf('pong'), [{ type: 'pong' }, { type: 'pong' }]);
});

t.test('CLIENT19 reconnection attempts wait longer and longer, with random variation, until one succeeds', async (t) => {
  const draws = [0, 0.999, 0.5, 0.5, 0.5, 0.25, 0.5];
  const connection = { firstRetryMs: 100, maxRetryMs: 1000 };
  const service = new FakeService({ connection, random: () => draws.shift() ?? 0 });
  await service.connectLive();
  for (let failure = 0; failure < 6; failure += 1) {
    service.socket.end(1006);
    service.clock.fire();
    await settled();
    service.socket.admit();
  }
  service.socket.confirm(5);
  service.socket.end(1006);
  t.strictSame(service.pauses, [0, 199.8, 200, 400, 500, 250, 50], 'being admitted is no success yet');
});

t.test('CLIENT19 a client that left all boards and comes back begins anew', async (t) => {
  const service = new FakeService({ connection: { firstRetryMs: 100 } });
  for (let visit = 0; visit < 2; visit += 1) {
    const connection = service.connect();
    for (let failure = 0; failure < 2; failure += 1) {
      await settled();
      service.socket.end(1006);
      service.clock.fire();
    }
    await settled();
    connection.close();
  }
  t.strictSame(service.pauses, [50, 100, 50, 100]);
});

t.test('CLIENT19 one reconnection serves all boards, which continue where they were', async (t) => {
  const service = new FakeService();
  const first = await service.connectLive();
  const second = service.client.connect(OTHER_ID);
  await settled();
  service.socket.confirm(5, { board_id: OTHER_ID });
  service.socket.say(renamed(6, OTHER_ID));
  service.socket.end(1001, 'The server is going down');
  const waiting = { kind: 'waiting', reason: 'Closed with 1001 The server is going down', retryInMs: 250 };
  t.strictSame([first.state, second.state], [waiting, waiting]);
  t.strictSame(service.clock.waits, [250]);
  service.clock.fire();
  await settled();
  service.socket.admit();
  t.strictSame(service.subscriptions, ['5', '6']);
  t.strictSame([service.sockets.length, service.reads], [2, 2]);
});

t.test('CLIENT19 a silent socket is abandoned', async (t) => {
  const service = new FakeService({ connection: { maxSilenceMs: 60_000 } });
  const connection = await service.connectLive();
  t.strictSame(service.clock.waits, [60_000], 'one timer, reset by every message');
  service.clock.pass(50_000);
  service.socket.say({ type: 'ping' });
  t.strictSame(service.clock.waits, [60_000]);
  const silent = service.socket;
  service.clock.fire();
  t.match(connection.state, { kind: 'waiting', reason: 'The service stopped sending' });
  t.equal(silent.isClosed, true);
  service.clock.fire();
  await settled();
  t.equal(service.sockets.length, 2);
  silent.say(renamed(6));
  t.equal(connection.seq, 5, 'later messages on the old socket are ignored');
});

t.test('CLIENT21 the client reconnects after every close but a refusal', async (t) => {
  for (const code of [1000, 1001, 1006, 1009, 1011, 1013, 4408]) {
    const service = new FakeService();
    const connection = await service.connectLive();
    service.socket.end(code, 'why');
    t.match(connection.state, { kind: 'waiting', reason: `Closed with ${code} why` });
  }
  for (const nonsense of ['<html>', 'null', '5', '{"type":5}']) {
    const service = new FakeService();
    const connection = await service.connectLive();
    service.socket.say(nonsense);
    t.match(connection.state, { kind: 'waiting', reason: /invalid message/ });
  }
  const service = new FakeService();
  const [first, second] = [await service.connectLive(), service.client.connect(OTHER_ID)];
  service.socket.end(1008, 'The token expired');
  const closed = { kind: 'closed', cause: 'refused', reason: 'The token expired' };
  t.strictSame([first.state, second.state], [closed, closed]);
  await t.rejects(second.ready, { message: 'The token expired' });
  await settled();
  t.strictSame(service.clock.waits, []);
});

t.test('CLIENT37 a board that the service unsubscribes retries alone', async (t) => {
  const service = new FakeService();
  const first = await service.connectLive();
  const second = service.client.connect(OTHER_ID);
  await settled();
  service.socket.confirm(5, { board_id: OTHER_ID });
  for (const pause of [250, 500]) {
    service.socket.say({ type: 'unsubscribed', board_id: BOARD_ID, code: 1013, reason: 'Try again later' });
    t.match(first.state, { kind: 'waiting', reason: 'Unsubscribed with 1013 Try again later', retryInMs: pause });
    t.equal(second.state.kind, 'live');
    service.clock.fire();
    t.equal(service.socket.sentOf('unsubscribe').length, 0);
  }
  t.strictSame(service.subscriptions, ['5', '5', '5', '5']);
  service.socket.confirm(5);
  t.strictSame([first.state.kind, service.sockets.length], ['live', 1]);
});

t.test('CLIENT37 a subscription that is refused for its rate is repeated when the service allows it', async (t) => {
  const service = new FakeService();
  const connection = service.connect();
  await settled();
  service.socket.admit();
  const detail = 'Too many subscriptions at once';
  service.socket.say({ type: 'error', code: 'too_many', detail, board_id: BOARD_ID, retry_after: 1.5 });
  t.strictSame(connection.state, { kind: 'waiting', reason: detail, retryInMs: 1500 });
  service.clock.fire();
  t.strictSame(service.subscriptions, ['5', '5']);
  service.socket.say({ type: 'error', code: 'not_found', detail: 'Not subscribed to this board', board_id: BOARD_ID });
  service.socket.confirm(5);
  t.equal(connection.state.kind, 'live');
});

t.test('CLIENT35 a socket asks for a token before it is opened, and again when it is refused', async (t) => {
  const tokens = ['first', 'second', 'third', 'fourth'];
  const service = new FakeService({ token: '', getToken: async () => tokens.shift() ?? '' });
  service.client.token = null;
  const connection = service.connect();
  await settled();
  t.equal(service.socket.token, 'first');
  service.socket.end(1008, 'The token expired');
  t.match(connection.state, { kind: 'waiting', reason: 'The token expired' });
  service.clock.fire();
  await settled();
  t.equal(service.socket.token, 'second');
  service.socket.admit();
  service.socket.end(1008, 'The token expired');
  service.clock.fire();
  await settled();
  t.equal(service.socket.token, 'third', 'the one before was admitted');
  service.socket.end(1008, 'Deactivated');
  t.match(connection.state, { kind: 'closed', cause: 'refused', reason: 'Deactivated' }, 'a fresh one was refused');
});

t.test('CLIENT35 the token of an open socket is renewed before it expires', async (t) => {
  const clock = new ManualClock();
  const answers: Array<string | Error> = ['second', new Error('offline'), 'third'];
  const getToken = async (): Promise<string> => {
    const answer = answers.shift() ?? '';
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const service = new FakeService({ token: 'first', getToken, clock, connection: { maxSilenceMs: 10_000_000 } });
  const connection = service.connect();
  await settled();
  service.socket.admit(3_600_000, clock.now());
  service.socket.confirm(5);
  t.equal(clock.waits[0], 3_570_000, 'half a minute before');
  clock.fire();
  await settled();
  t.strictSame(service.socket.sentOf('auth'), [{ type: 'auth', token: 'second' }]);
  t.equal(service.client.token, 'second');
  service.socket.admit(60_000, clock.now());
  t.equal(clock.waits[0], 45_000, 'a short one has a shorter margin');
  clock.fire();
  await settled();
  t.equal(clock.waits[0], 5_000, 'there is time for another attempt');
  clock.fire();
  await settled();
  t.strictSame(
    service.socket.sentOf('auth').map(({ token }) => token),
    ['second', 'third'],
  );
  t.strictSame([connection.state.kind, service.sockets.length, service.subscriptions], ['live', 1, ['5']]);
});

t.test('CLIENT35 timers are never longer than a platform can wait', async (t) => {
  const service = new FakeService({ token: 'first', getToken: async () => 'second', connection: { maxSilenceMs: 2 ** 40 } });
  await service.connectLive();
  service.socket.admit(2 ** 32, service.clock.now());
  t.equal(service.clock.waits[0], 2 ** 31 - 1);
  service.clock.fire();
  await settled();
  t.strictSame(service.socket.sentOf('auth'), []);
  t.ok((service.clock.waits[0] ?? 0) > 2 ** 30);
});

t.test('CLIENT35 a token that the client gets otherwise is sent too; one that is refused leads to a new socket', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  service.client.token = 'second';
  service.client.token = 'second';
  t.strictSame(service.socket.sentOf('auth'), [{ type: 'auth', token: 'second' }]);
  service.socket.say({ type: 'error', code: 'too_many', detail: 'Too many tokens', retry_after: 5 });
  t.equal(connection.state.kind, 'live');
  service.socket.say({ type: 'error', code: 'forbidden', detail: 'The token is that of another user' });
  t.match(connection.state, { kind: 'waiting', reason: 'The token is that of another user' });
  service.clock.fire();
  await settled();
  t.equal(service.socket.token, 'second');
});

t.test('CLIENT35 without a token the client stops; if none can be had at the moment, it tries again', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  service.client.token = null;
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  t.match(connection.state, { kind: 'closed', cause: 'refused', reason: 'There is no token' });

  const questions: Error[] = [new TypeError('fetch failed')];
  const asking = new FakeService({
    getToken: async () => {
      const problem = questions.shift();
      if (problem !== undefined) throw problem;
      return 'fresh';
    },
  });
  asking.client.token = null;
  const waiting = asking.client.feed();
  await settled();
  t.strictSame([asking.clock.waits, asking.sockets.length], [[250], 0]);
  asking.clock.fire();
  await settled();
  t.equal(asking.socket.token, 'fresh');
  waiting.close();
});
