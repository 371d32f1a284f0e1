import { mock } from 'node:test';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../src/api/closeCodes.js';
import { LocalBus } from '../../src/bus/localBus.js';
import { Hub } from '../../src/realtime/hub.js';
import { range } from '../support/realtime/realtimeBoard.js';
import type { Session, SocketData } from '../../src/realtime/session.js';

const BOARD_ID = '00000000-0000-4000-8000-000000000000';
const OTHER_BOARD_ID = '00000000-0000-4000-8000-000000000001';
const MEBI = 1024 * 1024;

interface Client {
  readonly session: Session;
  /** Bytes that it has not read. */
  backlog: number;
  closedWith: number | 'cut' | null;
}

/** A hub with a manual clock and fake sockets. */
function startHub(t: Test): { hub: Hub; bus: LocalBus; enter(boardId?: string): Client; passSecond(): void } {
  mock.timers.enable({ apis: ['setInterval'] });
  const bus = new LocalBus();
  const hub = new Hub({
    publisher: { publish: () => true },
    bus,
    presence: {} as never,
    directory: {} as never,
    log: pino({ level: 'silent' }),
    heartbeatIntervalMs: 3_600_000,
    pongTimeoutMs: 3_600_000,
    compress: false,
  });
  t.teardown(() => {
    hub.stop(CLOSE.goingAway);
    mock.timers.reset();
  });
  const enter = (boardId = BOARD_ID): Client => {
    const state: Omit<Client, 'session'> = { backlog: 0, closedWith: null };
    const close = (code: number | 'cut'): void => {
      state.closedWith = code;
      session.noteEnd();
      hub.remove(session);
    };
    const socket = { getBufferedAmount: () => state.backlog, end: close, close: () => close('cut') };
    const user = { id: 'ann', username: 'ann' };
    const newcomer = { boardId, user, expiresAt: Infinity, numbered: false };
    const { session } = hub.enter(socket as unknown as WebSocket<SocketData>, newcomer);
    return Object.assign(state, { session });
  };
  return { hub, bus, enter, passSecond: () => mock.timers.tick(1_000) };
}

t.test('WS14 when all clients together have too much to read, those with the most go first', async (t) => {
  const { hub, bus, enter, passSecond } = startHub(t);
  const clients = [15, 50, 22, 25].map((mebibytes) => Object.assign(enter(), { backlog: mebibytes * MEBI }));
  bus.publishToBoard(BOARD_ID, { kind: 'events', events: [{ seq: 1, type: 'card.created', json: '{}' }] });
  passSecond();
  t.strictSame(clients.map(({ closedWith }) => closedWith), [null, 'cut', null, null], '62 MiB may wait');
  t.equal(hub.closedAsTooSlow, 1);
});

t.test('WS22 the budget is that of the whole process: clients of one board make room for those of another', async (t) => {
  const { hub, bus, enter, passSecond } = startHub(t);
  const tell = (boardId: string, seq: number, json = '{}'): void => {
    bus.publishToBoard(boardId, { kind: 'events', events: [{ seq, type: 'card.created', json }] });
  };
  const [slow, quiet] = [enter(), enter()];
  tell(BOARD_ID, 1);
  Object.assign(slow, { backlog: 40 * MEBI });
  passSecond();
  t.equal(slow.closedWith, null, 'within the budget, and it was not seen before');
  const others = range(1, 30).map(() => Object.assign(enter(OTHER_BOARD_ID), { backlog: MEBI }));
  for (const seq of range(1, 4)) tell(OTHER_BOARD_ID, seq, 'x'.repeat(MEBI / 2));
  t.equal(slow.closedWith, 'cut', 'before a second has passed');
  t.ok([quiet, ...others].every(({ closedWith }) => closedWith === null), 'the others stay');
  t.equal(hub.closedAsTooSlow, 1);
});

t.test('WS23 a client that is ended with much to read is cut off at once, one with little is told the code', async (t) => {
  const { hub, enter } = startHub(t);
  const clients = [0, 16, 17, 1024].map((kibibytes) => Object.assign(enter(), { backlog: kibibytes * 1024 }));
  hub.stop(CLOSE.goingAway);
  t.strictSame(clients.map(({ closedWith }) => closedWith), [1001, 1001, 'cut', 'cut']);
});

t.test('WS17 messages are counted by the second', async (t) => {
  const { hub, enter, passSecond } = startHub(t);
  const { session } = enter();
  for (let second = 0; second < 3; second += 1) {
    for (let message = 0; message < 100; message += 1) t.ok(hub.allowMessage(session.socket));
    passSecond();
  }
  for (let message = 0; message < 100; message += 1) hub.allowMessage(session.socket);
  t.notOk(hub.allowMessage(session.socket), 'the 101st in one of them');
});
