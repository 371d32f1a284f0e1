import { mock } from 'node:test';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../src/api/closeCodes.js';
import { LocalBus } from '../../src/bus/localBus.js';
import { Hub } from '../../src/realtime/hub.js';
import type { Session, SocketData } from '../../src/realtime/session.js';

const BOARD_ID = '00000000-0000-4000-8000-000000000000';
const MEBI = 1024 * 1024;

interface Client {
  readonly session: Session;
  /** Bytes that it has not read. */
  backlog: number;
  closedWith: number | null;
}

/** A hub whose clock is moved by hand, with sockets that do as they are told. */
function startHub(t: Test): { hub: Hub; bus: LocalBus; enter(): Client; passSecond(): void } {
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
  const enter = (): Client => {
    const state: { backlog: number; closedWith: number | null } = { backlog: 0, closedWith: null };
    const socket = {
      getBufferedAmount: () => state.backlog,
      end: (code: number) => {
        state.closedWith = code;
        session.noteEnd();
        hub.remove(session);
      },
    };
    const user = { id: 'ann', username: 'ann' };
    const newcomer = { boardId: BOARD_ID, user, expiresAt: Infinity, numbered: false };
    const { session } = hub.enter(socket as unknown as WebSocket<SocketData>, newcomer);
    return Object.assign(state, { session });
  };
  return { hub, bus, enter, passSecond: () => mock.timers.tick(1_000) };
}

t.test('WS14 when all clients together have too much to read, those with the most go first', async (t) => {
  const { hub, bus, enter, passSecond } = startHub(t);
  const clients = [60, 200, 90, 100].map((mebibytes) => Object.assign(enter(), { backlog: mebibytes * MEBI }));
  bus.tellBoard(BOARD_ID, { kind: 'events', events: [{ seq: 1, type: 'card.created', json: '{}' }] });
  passSecond();
  t.strictSame(clients.map(({ closedWith }) => closedWith), [null, 1013, null, null], '250 MiB may wait');
  t.equal(hub.closedAsTooSlow, 1);
});

t.test('WS17 messages are counted by the second', async (t) => {
  const { hub, enter, passSecond } = startHub(t);
  const { session } = enter();
  for (let second = 0; second < 3; second += 1) {
    for (let message = 0; message < 100; message += 1) t.ok(hub.allowMessage(session));
    passSecond();
  }
  for (let message = 0; message < 100; message += 1) hub.allowMessage(session);
  t.notOk(hub.allowMessage(session), 'the 101st in one of them');
});
