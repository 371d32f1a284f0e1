import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../../src/api/closeCodes.js';
import { LocalBus } from '../../../src/bus/localBus.js';
import { Hub } from '../../../src/realtime/hub.js';
import type { SocketData } from '../../../src/realtime/socket/follower.js';
import type { SharedSocket } from '../../../src/realtime/socket/sharedSocket.js';
import { range } from '../../support/realtime/realtimeBoard.js';

const MEBI = 1024 * 1024;

interface Socket {
  readonly client: SharedSocket;
  readonly sent: string[];
  /** Bytes that it has not read. */
  backlog: number;
  isClosed: boolean;
}

/** A hub with a manual clock. A closed socket throws at every use, as those of uWebSockets do. */
function startHub(t: Test): { hub: Hub; bus: LocalBus; enter(userId: string): Socket; passSecond(): void } {
  mock.timers.enable({ apis: ['setInterval'] });
  const bus = new LocalBus();
  const hub = new Hub({
    publisher: { publish: () => true },
    bus,
    presence: { leave: () => undefined } as never,
    eventLog: {} as never,
    directory: {} as never,
    log: pino({ level: 'silent' }),
    heartbeatIntervalMs: 3_600_000,
    pongTimeoutMs: 3_600_000,
    compress: false,
    tokenLifetimeSeconds: 60,
  });
  t.teardown(() => {
    hub.stop(CLOSE.goingAway);
    mock.timers.reset();
  });
  const enter = (userId: string): Socket => {
    const state = { sent: [] as string[], backlog: 0, isClosed: false };
    const requireOpen = (): void => {
      if (state.isClosed) throw new Error('the socket is closed');
    };
    const close = (): void => {
      requireOpen();
      state.isClosed = true;
      hub.remove(client);
    };
    const socket = {
      send: (text: string) => {
        requireOpen();
        state.sent.push(text);
      },
      getBufferedAmount: () => {
        requireOpen();
        return state.backlog;
      },
      end: close,
      close,
    };
    const user = { id: userId, username: userId };
    const client = hub.enterShared(socket as unknown as WebSocket<SocketData>, {
      user,
      token: { sessionId: null, issuedAt: 0, expiresAt: Infinity, key: null },
    });
    return Object.assign(state, { client });
  };
  return { hub, bus, enter, passSecond: () => mock.timers.tick(1_000) };
}

t.test('WS14 an answer for a socket that has closed meanwhile is dropped', async (t) => {
  const { hub, enter, passSecond } = startHub(t);
  const { client, sent } = enter('ann');
  client.send('before');
  client.hangUp(CLOSE.noPong);
  client.send('after');
  passSecond();
  t.strictSame(sent, ['before']);
  t.equal(hub.size, 0);
});

t.test('WS14 a message for many sockets that ends some of them reaches the others', async (t) => {
  const { bus, enter, passSecond } = startHub(t);
  const sockets = range(1, 5).map(() => enter('ann'));
  for (const { client } of sockets) client.send('x');
  const [reader, ...idlers] = sockets;
  for (const [index, idler] of idlers.entries()) idler.backlog = (index < 3 ? 11 : 29) * MEBI;
  passSecond();
  t.notOk(
    sockets.some(({ isClosed }) => isClosed),
    'within the budget',
  );
  // Together with what is unread this is too much, which is found out when the first idler is to get its copy.
  const event = { type: 'user.board_changed', board_id: randomUUID(), title: 'x'.repeat(3 * MEBI) } as const;
  bus.publishToFeeds({ user_ids: ['ann'], event });
  t.strictSame(
    idlers.map(({ isClosed }) => isClosed),
    [false, false, false, true],
    'the slowest is ended',
  );
  t.strictSame(
    [reader, ...idlers].map((socket) => socket?.sent.length),
    [2, 2, 2, 2, 1],
  );
  passSecond();
});

t.test('WS14 a socket that is ended to make room for its own message is forgotten', async (t) => {
  const { hub, enter, passSecond } = startHub(t);
  const socket = enter('ann');
  socket.client.send('x');
  socket.backlog = 63 * MEBI;
  passSecond();
  t.notOk(socket.isClosed, 'within the budget');
  socket.client.send('x'.repeat(2 * MEBI));
  t.strictSame([socket.isClosed, socket.sent.length], [true, 1]);
  passSecond();
  t.equal(hub.size, 0);
});
