import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../src/api/closeCodes.js';
import { LocalBus } from '../../src/bus/localBus.js';
import { Hub, type HubOptions } from '../../src/realtime/hub.js';
import { JoinLimiter } from '../../src/realtime/entry/connectionLimits.js';
import { LargeDeliveries } from '../../src/realtime/delivery/largeDeliveries.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { Arrival, type Follower, type SocketData } from '../../src/realtime/socket/follower.js';

const BOARD_ID = '00000000-0000-4000-8000-000000000000';
const OTHER_BOARD_ID = '00000000-0000-4000-8000-000000000001';
const MEBI = 1024 * 1024;
const HOUR_MS = 3_600_000;

interface Client {
  readonly follower: Follower;
  /** Bytes that it has not read. */
  backlog: number;
  closedWith: number | 'cut' | null;
}

/** A hub with a manual clock and fake sockets. */
function startHub(t: Test, options: Partial<HubOptions> = {}): { hub: Hub; bus: LocalBus; enter(boardId?: string): Client; passSecond(): void } {
  mock.timers.enable({ apis: ['setInterval'] });
  const bus = new LocalBus();
  const hub = new Hub({
    publisher: { publish: () => true },
    bus,
    presence: { refresh: () => undefined, leave: () => undefined } as never,
    eventLog: {} as never,
    directory: {} as never,
    log: pino({ level: 'silent' }),
    heartbeatIntervalMs: 3_600_000,
    pongTimeoutMs: 3_600_000,
    compress: false,
    tokenLifetimeSeconds: 3_600,
    ...options,
  });
  t.teardown(() => {
    hub.stop(CLOSE.goingAway);
    mock.timers.reset();
  });
  const enter = (boardId = BOARD_ID): Client => {
    const state: Omit<Client, 'follower'> = { backlog: 0, closedWith: null };
    const close = (code: number | 'cut'): void => {
      state.closedWith = code;
      hub.remove(follower);
    };
    const socket = {
      getBufferedAmount: () => state.backlog,
      send: () => undefined,
      subscribe: () => undefined,
      end: close,
      close: () => close('cut'),
    };
    const user = { id: 'ann', username: 'ann' };
    const newcomer = { boardId, user, token: { sessionId: null, issuedAt: 0, expiresAt: Infinity, key: null }, numbered: false };
    const { follower } = hub.enter(socket as unknown as WebSocket<SocketData>, newcomer);
    return Object.assign(state, { follower });
  };
  return { hub, bus, enter, passSecond: () => mock.timers.tick(1_000) };
}

t.test('WS14 if all clients together have too much to read, those with the most are disconnected first', async (t) => {
  const { hub, bus, enter, passSecond } = startHub(t);
  const clients = [15, 50, 22, 25].map((mebibytes) => Object.assign(enter(), { backlog: mebibytes * MEBI }));
  bus.publishToBoard(BOARD_ID, { kind: 'events', epoch: '0', events: [{ seq: 1, type: 'card.created', json: '{}' }] });
  passSecond();
  t.strictSame(
    clients.map(({ closedWith }) => closedWith),
    [null, 'cut', null, null],
    '62 MiB may wait',
  );
  t.equal(hub.closedAsTooSlow, 1);
});

t.test('WS14 the budget covers the whole process: clients of one board make room for those of another', async (t) => {
  const { hub, bus, enter, passSecond } = startHub(t);
  const publish = (boardId: string, seq: number, json = '{}'): void => {
    bus.publishToBoard(boardId, { kind: 'events', epoch: '0', events: [{ seq, type: 'card.created', json }] });
  };
  const [slow, quiet] = [enter(), enter()];
  publish(BOARD_ID, 1);
  Object.assign(slow, { backlog: 40 * MEBI });
  passSecond();
  t.equal(slow.closedWith, null, 'within the budget, and it was not seen before');
  const others = range(1, 30).map(() => Object.assign(enter(OTHER_BOARD_ID), { backlog: MEBI }));
  for (const seq of range(1, 8)) publish(OTHER_BOARD_ID, seq, 'x'.repeat(MEBI / 4));
  t.equal(slow.closedWith, 'cut', 'before a second has passed');
  t.ok(
    [quiet, ...others].every(({ closedWith }) => closedWith === null),
    'the others stay',
  );
  t.equal(hub.closedAsTooSlow, 1);
});

t.test('WS14 a client that is ended with much to read is cut off at once; one with little to read gets the close code', async (t) => {
  const { hub, enter } = startHub(t);
  const clients = [0, 16, 17, 1024].map((kibibytes) => Object.assign(enter(), { backlog: kibibytes * 1024 }));
  hub.stop(CLOSE.goingAway);
  t.strictSame(
    clients.map(({ closedWith }) => closedWith),
    [1001, 1001, 'cut', 'cut'],
  );
});

t.test('WS15 messages are counted per second', async (t) => {
  const { hub, enter, passSecond } = startHub(t);
  const { follower } = enter();
  for (let second = 0; second < 3; second += 1) {
    for (let message = 1; message <= 100; message += 1) t.equal(hub.countMessage(follower.client.socket), message);
    passSecond();
  }
  for (let message = 0; message < 100; message += 1) hub.countMessage(follower.client.socket);
  t.equal(hub.countMessage(follower.client.socket), 101, 'the 101st in one of them');
});

/** Replaces the time of day by one that the returned function sets. Timers and the monotonic clock are not affected. */
function ownTimeOfDay(t: Test): (stepMs: number) => void {
  let offset = 0;
  const { now } = Date;
  const { mock: replaced } = mock.method(Date, 'now', () => now() + offset);
  t.teardown(() => replaced.restore());
  return (stepMs) => {
    offset += stepMs;
  };
}

t.test('BEAT1 setting the time of day neither ends a client that owes a pong nor spares it', async (t) => {
  for (const step of [HOUR_MS, -HOUR_MS]) {
    await t.test(`by ${step} ms`, async (t) => {
      const setTimeOfDay = ownTimeOfDay(t);
      let monotonic = 0;
      const heartbeat = { heartbeatIntervalMs: 2_000, pongTimeoutMs: 1_000 };
      const { enter, passSecond } = startHub(t, { ...heartbeat, monotonic: () => monotonic });
      const client = enter();
      client.follower.goLive();
      const turnWheel = (): void => [1, 2].forEach(passSecond);
      turnWheel();
      setTimeOfDay(step);
      turnWheel();
      t.equal(client.closedWith, null, 'no time has passed since its ping');
      monotonic += 1_000;
      turnWheel();
      t.equal(client.closedWith, 4408, 'a second has');
    });
  }
});

t.test('BEAT1 setting the time of day does not reset the limit of connects', async (t) => {
  const setTimeOfDay = ownTimeOfDay(t);
  const limiter = new JoinLimiter(10);
  const allowed = (): number => range(1, 100).filter(() => limiter.allow('ann')).length;
  t.equal(allowed(), 20);
  setTimeOfDay(HOUR_MS);
  t.equal(allowed(), 0);
});

t.test('BEAT1 setting the time of day ends no client that reads a large event', async (t) => {
  const setTimeOfDay = ownTimeOfDay(t);
  const ended: unknown[] = [];
  const deliveries = new LargeDeliveries((client) => ended.push(client));
  const socket = { sendFirstFragment: () => 1, getBufferedAmount: () => 1 };
  const follower = { client: { socket }, isEnded: false } as unknown as Follower;
  deliveries.deliver(follower, new Arrival(), new Uint8Array(MEBI), () => undefined);
  await nextTurn();
  setTimeOfDay(HOUR_MS);
  deliveries.sweep();
  t.strictSame(ended, []);
});
