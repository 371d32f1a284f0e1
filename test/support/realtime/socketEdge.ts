/** The WebSocket edge alone; the test supplies users and boards. */
import type { Test } from 'tap';
import { pino } from 'pino';
import type { us_listen_socket } from 'uWebSockets.js';
import type { Callers } from '../../../src/auth/callers.js';
import type { Environment } from '../../../src/settings/config.js';
import { LocalBus } from '../../../src/bus/localBus.js';
import type { DirectoryPort } from '../../../src/domain/commands/directoryCommands.js';
import { FIRST_EPOCH } from '../../../src/domain/position.js';
import type { EventLogPort } from '../../../src/domain/ports/eventLog.js';
import type { PresencePort } from '../../../src/domain/ports/presence.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { loadUWebSockets } from '../../../src/http/uWebSockets.js';
import { ConnectionLimits } from '../../../src/realtime/entry/connectionLimits.js';
import { Hub } from '../../../src/realtime/hub.js';
import { SocketServer } from '../../../src/realtime/socket/sockets.js';
import { testConfig } from '../service/app.js';

export interface SocketEdge {
  readonly url: string;
  readonly sockets: SocketServer;
}

/** Expires in the year 2100. */
const LASTING = { userId: '', sessionId: null, issuedAt: 0, expiresAt: 4_102_444_800, key: null };

export interface SocketEdgeOptions {
  /** The clock of the limits of a user. */
  readonly monotonic?: () => number;
  readonly settings?: Environment;
  /** By default every board exists, and everyone is a member of it. */
  readonly presence?: Partial<PresencePort>;
}

export async function startSocketEdge(
  t: Test,
  identify: (credential: string | null) => PublicUser | Promise<PublicUser>,
  { monotonic, settings = {}, presence: ownPresence = {} }: SocketEdgeOptions = {},
): Promise<SocketEdge> {
  const config = testConfig(settings);
  const log = pino({ level: 'silent' });
  const { App, us_listen_socket_close, us_socket_local_port } = loadUWebSockets();
  const app = App();
  const presence = {
    join: async () => ({ ok: true, epoch: FIRST_EPOCH, seq: 0, attendance: { online: [], states: [] } }),
    setState: async () => undefined,
    refresh: () => undefined,
    leave: () => undefined,
    list: async () => [],
    ...ownPresence,
  } as unknown as PresencePort;
  const eventLog: EventLogPort = { eventsAfter: () => Promise.reject(new Error('there are no events here')) };
  const directory: DirectoryPort = { ask: () => Promise.reject(new Error('there is no directory here')) };
  const timing = { heartbeatIntervalMs: 30_000, pongTimeoutMs: 10_000 };
  const hub = new Hub({
    publisher: app,
    bus: new LocalBus(),
    presence,
    eventLog,
    directory,
    log,
    ...timing,
    compress: false,
    tokenLifetimeSeconds: 60,
  });
  const verify: Callers['verify'] = async (credential) => ({ user: await identify(credential), token: LASTING });
  const callers = { identify, verify } as unknown as Callers;
  const connectionLimits = new ConnectionLimits(hub, config);
  const sockets = new SocketServer({
    hub,
    connectionLimits,
    presence,
    callers,
    config,
    log,
    admitsCookie: () => false,
    ...(monotonic === undefined ? {} : { monotonic }),
  });
  sockets.attach(app);
  const listening = await new Promise<us_listen_socket>((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => (socket ? resolve(socket) : reject(new Error('cannot listen'))));
  });
  const url = `http://127.0.0.1:${us_socket_local_port(listening)}`;
  t.teardown(() => {
    sockets.stop();
    us_listen_socket_close(listening);
    app.close();
  });
  return { url, sockets };
}
