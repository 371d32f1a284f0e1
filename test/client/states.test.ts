import t from 'tap';
import type { PeerState, Signal } from '../../src/client/index.js';
import { BOARD_ID, BOB, FakeService, OTHER_ID, settled } from './fakeService.js';

const THIRD_ID = 'd0a2db0a-2d00-4000-8000-000000000000';
const ON_BOARD = { board_id: BOARD_ID, user_id: 'b', connection_id: 7 };

t.test('CLIENT41 the states of the other connections are followed, and begin anew with a subscription', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  const changes: Array<readonly PeerState[]> = [];
  connection.on('states', (states) => changes.push(states));
  const first: PeerState = { user_id: 'b', connection_id: 7, state: { card: 'x' } };
  const second: PeerState = { user_id: 'b', connection_id: 8, state: 'typing' };
  service.socket.say({ type: 'state', board_id: BOARD_ID, ...first });
  service.socket.say({ type: 'state', board_id: BOARD_ID, ...second });
  t.strictSame(connection.states, [first, second]);
  service.socket.say({ type: 'state', ...ON_BOARD, state: null });
  service.socket.say({ type: 'state', ...ON_BOARD, state: null });
  t.strictSame(connection.states, [second]);
  t.strictSame(changes, [[first], [first, second], [second]]);
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  service.socket.admit();
  service.socket.confirm(5);
  t.strictSame(connection.states, []);
  for (const [user_id, connection_id] of [
    ['b', 7],
    ['a', 8],
    ['b', 9],
  ] as const) {
    service.socket.say({ type: 'state', board_id: BOARD_ID, user_id, connection_id, state: 1 });
  }
  service.socket.say({ type: 'user_left', board_id: BOARD_ID, ...BOB });
  t.strictSame(connection.states, [{ user_id: 'a', connection_id: 8, state: 1 }], 'who leaves shows nothing any more');
});

t.test('CLIENT41 the own state is sent with every subscription, until it is cleared', async (t) => {
  const service = new FakeService();
  const connection = service.connect();
  connection.setState({ card: 'x' });
  await settled();
  service.socket.admit();
  t.strictSame(service.socket.sentOf('state'), [], 'not before the service has confirmed the subscription');
  service.socket.confirm(5);
  const shown = { type: 'state', board_id: BOARD_ID, state: { card: 'x' } };
  t.strictSame(service.socket.sentOf('state'), [shown]);
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  service.socket.admit();
  service.socket.confirm(5);
  t.strictSame(service.socket.sentOf('state'), [shown]);
  connection.setState(null);
  t.strictSame(service.socket.sentOf('state').at(-1), { ...shown, state: null });
  service.socket.end(1006);
  service.clock.fire();
  await settled();
  service.socket.admit();
  service.socket.confirm(5);
  t.strictSame(service.socket.sentOf('state'), []);
});

t.test('CLIENT41 of states that change fast only the latest is sent, at the rate of the service', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  const other = service.client.connect(OTHER_ID);
  await settled();
  service.socket.confirm(5, { board_id: OTHER_ID });
  const sent = (): unknown[] => service.socket.sentOf('state').map(({ state }) => state);
  for (let n = 1; n <= 10; n += 1) connection.setState(n);
  other.setState('other');
  t.strictSame(sent(), [1, 2, 3, 4]);
  t.equal(service.clock.waits[0], 250);
  service.clock.fire();
  t.strictSame(sent(), [1, 2, 3, 4, 10]);
  service.clock.fire();
  t.strictSame(sent(), [1, 2, 3, 4, 10, 'other'], 'the boards of a client share the rate');
  connection.setState(11);
  const third = service.client.connect(THIRD_ID);
  await settled();
  service.socket.confirm(5, { board_id: THIRD_ID });
  third.setState('never sent');
  third.setState(null);
  third.close();
  connection.close();
  other.close();
  t.strictSame([sent().length, service.clock.waits], [6, []], 'what nobody shows any more is not sent');
});

t.test('CLIENT41 a state that the service refuses for its rate is sent again', async (t) => {
  const service = new FakeService();
  const connection = await service.connectLive();
  const refusal = { type: 'error', code: 'too_many', detail: 'Too many', board_id: BOARD_ID, retry_after: 2 };
  service.socket.say(refusal);
  t.strictSame(service.socket.sentOf('state'), [], 'it was no state');
  connection.setState('first');
  service.socket.say(refusal);
  connection.setState('second');
  t.equal(service.clock.waits[0], 2000);
  service.clock.fire();
  t.strictSame(
    service.socket.sentOf('state').map(({ state }) => state),
    ['first', 'second'],
  );
});

t.test('CLIENT41 signals are sent while the board is subscribed, at the rate of the service, and received', async (t) => {
  const service = new FakeService();
  const connection = service.connect();
  t.equal(connection.signal('too early'), false);
  await settled();
  service.socket.admit();
  service.socket.confirm(5);
  t.equal(connection.signal({ x: 1 }), true);
  t.strictSame(service.socket.sentOf('signal'), [{ type: 'signal', board_id: BOARD_ID, data: { x: 1 } }]);
  const results = Array.from({ length: 30 }, (_, n) => connection.signal(n));
  t.equal(results.filter((isSent) => isSent).length, 24);
  service.clock.pass(1000);
  t.equal(connection.signal('later'), true);

  const signals: Signal[] = [];
  connection.on('signal', (signal) => signals.push(signal));
  service.socket.say({ type: 'signal', ...ON_BOARD, data: { x: 2 } });
  t.strictSame(signals, [{ user_id: 'b', connection_id: 7, data: { x: 2 } }]);
  connection.close();
  t.equal(connection.signal('too late'), false);
});

t.test('CLIENT41 a state or a signal that is too large is refused at once', async (t) => {
  const connection = await new FakeService().connectLive();
  connection.setState('x'.repeat(1022));
  t.throws(() => connection.setState('x'.repeat(1023)), RangeError);
  t.throws(() => connection.signal('é'.repeat(512)), RangeError);
  t.equal(connection.signal(undefined), true, 'nothing is null');
});
