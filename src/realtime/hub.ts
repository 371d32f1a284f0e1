/** All sockets of this instance: the board and user of each, and when it must close. */
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { WebSocket } from 'uWebSockets.js';
import type { Bus, Subscription } from '../bus/bus.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import type { Uuid } from '../domain/ids.js';
import type { EventLogPort } from '../domain/ports/eventLog.js';
import { PRESENCE_REBUILD_MS, type PresencePort } from '../domain/ports/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import { Backlog } from './backlog.js';
import { CatchUpPages } from './catchUpPages.js';
import { PingWheel } from './pingWheel.js';
import { LargeDeliveries } from './largeDeliveries.js';
import { Room, type Publisher, type RoomHost } from './room.js';
import { Session, type SessionOptions, type SocketData } from './session.js';

export interface HubOptions {
  readonly publisher: Publisher;
  readonly bus: Bus;
  readonly presence: PresencePort;
  readonly eventLog: EventLogPort;
  readonly directory: DirectoryPort;
  readonly log: Logger;
  readonly heartbeatIntervalMs: number;
  readonly pongTimeoutMs: number;
  readonly compress: boolean;
  /** In milliseconds, from a clock that is never set: a deadline must not depend on the time of day. */
  readonly monotonic?: () => number;
}

/** Users per question to the directory: each costs a read. */
const USERS_AT_ONCE = 200;
const SWEEP_MS = 250;
const SWEEPS_PER_SECOND = 4;
/** Clients send pongs only: more messages, pings and pongs in a second are a flood. */
export const MAX_MESSAGES_PER_SECOND = 100;

/**
 * An instance draws one of these ranges at random and numbers its connections from there; all numbers are safe
 * integers.
 */
const INSTANCES = 2 ** 24;
const CONNECTIONS_OF_INSTANCE = 2 ** 29;

export type Newcomer = Omit<SessionOptions, 'place' | 'number'> & { readonly boardId: Uuid };

export interface Entered {
  readonly session: Session;
  readonly room: Room;
}

interface OpenRoom {
  readonly room: Room;
  readonly subscription: Subscription;
}

export class Hub {
  readonly #options: HubOptions;
  readonly #rooms = new Map<Uuid, OpenRoom>();
  readonly #host: RoomHost;
  readonly pages: CatchUpPages;
  readonly deliveries: LargeDeliveries;
  /** How many each user has. */
  readonly #socketsOf = new Map<Uuid, number>();
  readonly #monotonic: () => number;
  /** Since when a ping waits for its pong, by the monotonic clock. */
  readonly #pingedAt = new Map<Session, number>();
  readonly #backlog = new Backlog((session) => this.#endAsTooSlow(session));
  /** Sessions already counted as too slow. */
  readonly #tooSlow = new WeakSet<Session>();
  /** Messages and control frames of each socket in the current second. */
  readonly #received = new Map<WebSocket<SocketData>, number>();
  readonly #heartbeat: PingWheel<Session>;
  readonly #sweeper: NodeJS.Timeout;
  readonly #users: Subscription;
  #size = 0;
  #opened = 0;
  #sweeps = 0;
  #closedAsTooSlow = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    const { publisher, bus, eventLog, compress, log } = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.deliveries = new LargeDeliveries((session) => this.#endAsTooSlow(session), this.#monotonic);
    this.pages = new CatchUpPages((boardId, since) => eventLog.eventsAfter(boardId, since));
    this.#host = {
      publisher,
      compress,
      firstConnectionId: randomInt(INSTANCES) * CONNECTIONS_OF_INSTANCE,
      remembersPresence: bus.status() !== 'embedded',
      readEvents: (boardId, seq) => this.pages.read(boardId, seq),
      onError: (boardId, error) => log.warn({ err: error, boardId }, 'missing events of a board could not be read'),
      endAsTooSlow: (session) => this.#endAsTooSlow(session),
      backlog: this.#backlog,
      deliveries: this.deliveries,
      held: { total: 0 },
    };
    this.#heartbeat = new PingWheel<Session>({
      intervalMs: options.heartbeatIntervalMs,
      pongTimeoutMs: options.pongTimeoutMs,
      numberOf: ({ number }) => number,
      onPing: (sessions) => this.#ping(sessions),
      onCheck: (sessions) => this.#endSilent(sessions),
    });
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#users = options.bus.subscribeToUsers((user) => {
      if (!user.is_active) this.#endUser(user.id);
    });
  }

  get size(): number {
    return this.#size;
  }

  /** Since the start. */
  get closedAsTooSlow(): number {
    return this.#closedAsTooSlow;
  }

  /** Memory of unread messages, at most a second old. */
  get backlogBytes(): number {
    return this.#backlog.bytes;
  }

  socketsOf(userId: Uuid): number {
    return this.#socketsOf.get(userId) ?? 0;
  }

  /** From here on every message of the board is held for the session or sent to it. */
  enter(socket: WebSocket<SocketData>, { boardId, ...newcomer }: Newcomer): Entered {
    const { room } = this.#rooms.get(boardId) ?? this.#openRoom(boardId);
    this.#opened += 1;
    const session = new Session(socket, { ...newcomer, place: room, number: this.#opened });
    this.#size += 1;
    this.#socketsOf.set(session.user.id, this.socketsOf(session.user.id) + 1);
    this.#heartbeat.add(session);
    room.enter(session);
    return { session, room };
  }

  remove(session: Session): void {
    const { place, user } = session;
    this.#size -= 1;
    const others = this.socketsOf(user.id) - 1;
    if (others > 0) this.#socketsOf.set(user.id, others);
    else this.#socketsOf.delete(user.id);
    this.#heartbeat.remove(session);
    this.#pingedAt.delete(session);
    this.#received.delete(session.socket);
    const open = this.#rooms.get(place.boardId);
    open?.room.leave(session);
    this.#backlog.forget(session);
    this.deliveries.forget(session);
    if (open?.room.sessions.size === 0) {
      open.subscription.stop();
      this.#backlog.forgetAudience(open.room);
      this.#rooms.delete(place.boardId);
    }
  }

  /**
   * Messages of these boards may have been lost, because a board got a new owner or the connection was cut. Compares
   * with their logs and their owners' presence.
   */
  recheck(isAffected: (boardId: Uuid) => boolean): void {
    const rooms = [...this.#rooms].filter(([boardId]) => isAffected(boardId));
    if (rooms.length === 0) return;
    const sessions = rooms.flatMap(([, { room }]) => room.sessions.list().filter(({ isPresent }) => isPresent));
    this.#options.presence.recheck(sessions.map(({ connection }) => connection));
    for (const [, { room }] of rooms) room.check();
    setTimeout(() => {
      for (const [boardId, open] of rooms) {
        if (this.#rooms.get(boardId) === open) void this.#reconcile(boardId, open.room);
      }
    }, PRESENCE_REBUILD_MS).unref();
  }

  /** The message about a deactivation may have been lost. */
  async recheckUsers(): Promise<void> {
    const users = [...this.#socketsOf.keys()];
    try {
      for (let at = 0; at < users.length; at += USERS_AT_ONCE) {
        const ids = users.slice(at, at + USERS_AT_ONCE);
        for (const id of await this.#options.directory.ask('user.inactive', { ids })) this.#endUser(id);
      }
    } catch (error) {
      // Repeated when the directory is back, which then counts as moved.
      this.#options.log.debug({ err: error }, 'users could not be checked');
    }
  }

  /** Closes every socket with this code. */
  stop(close: Close): void {
    clearInterval(this.#sweeper);
    this.#heartbeat.stop();
    this.#users.stop();
    this.#endWhere(close, () => true);
  }

  #openRoom(boardId: Uuid): OpenRoom {
    const room = new Room(boardId, this.#host);
    const open = { room, subscription: this.#options.bus.subscribeToBoard(boardId, (message) => room.receive(message)) };
    this.#rooms.set(boardId, open);
    if (this.#host.remembersPresence) void this.#noteOnline(boardId, room);
    return open;
  }

  /** So that a later comparison includes users who joined before this room was opened. */
  async #noteOnline(boardId: Uuid, room: Room): Promise<void> {
    try {
      room.noteOnline((await this.#options.presence.list(boardId)) ?? []);
    } catch (error) {
      this.#options.log.debug({ err: error, boardId }, 'presence could not be read');
    }
  }

  async #reconcile(boardId: Uuid, room: Room): Promise<void> {
    try {
      room.reconcile((await this.#options.presence.list(boardId)) ?? []);
    } catch (error) {
      this.#options.log.debug({ err: error, boardId }, 'presence could not be compared');
    }
  }

  #endUser(id: Uuid): void {
    if (this.#socketsOf.has(id)) this.#endWhere(refused('The user was deactivated'), ({ user }) => user.id === id);
  }

  #endWhere(close: Close, isMeant: (session: Session) => boolean): void {
    const meant: Session[] = [];
    for (const { room } of this.#rooms.values()) {
      for (const session of room.sessions) if (isMeant(session)) meant.push(session);
    }
    for (const session of meant) session.end(close);
  }

  /** Also refreshes the presence of these connections. */
  #ping(sessions: readonly Session[]): void {
    const now = this.#monotonic();
    const joined = sessions.filter(({ isPresent }) => isPresent);
    // A client that owes a pong may be gone: without the pong its presence expires, however long the pong time-out is.
    const alive = joined.filter((session) => !this.#pingedAt.has(session));
    // A ping cannot be sent inside a large message. `LargeDeliveries` checks whether the client reads.
    const pinged = joined.filter(({ isReceiving }) => !isReceiving);
    for (const session of pinged) {
      if (!this.#pingedAt.has(session)) this.#pingedAt.set(session, now);
      session.send(`{"type":"ping","board_id":"${session.place.boardId}"}`);
    }
    if (alive.length > 0) this.#options.presence.refresh(alive.map(({ connection }) => connection));
  }

  #endSilent(sessions: readonly Session[]): void {
    // The wheel turns in steps, so a ping may look slightly younger than it is.
    const latest = this.#monotonic() - this.#options.pongTimeoutMs * 0.9;
    for (const session of sessions) {
      const pingedAt = this.#pingedAt.get(session);
      if (pingedAt === undefined || pingedAt > latest) continue;
      // The client may not have read up to the ping yet; it is pinged again afterwards.
      if (session.isReceiving) this.#pingedAt.delete(session);
      else session.end(CLOSE.noPong);
    }
  }

  #sweep(): void {
    const now = Date.now() / 1000;
    this.#endWhere(refused('The token expired'), ({ expiresAt }) => expiresAt <= now);
    this.#sweeps += 1;
    if (this.#sweeps % SWEEPS_PER_SECOND !== 0) return;
    this.#received.clear();
    this.#backlog.sweep();
    this.deliveries.sweep();
  }

  #endAsTooSlow(session: Session): void {
    this.noteTooSlow(session);
    session.end(CLOSE.tooSlow);
  }

  /** Counts a client once, whichever code ends it. */
  noteTooSlow(session: Session): void {
    if (!this.#tooSlow.has(session)) this.#closedAsTooSlow += 1;
    this.#tooSlow.add(session);
  }

  notePong(session: Session): void {
    this.#pingedAt.delete(session);
  }

  /** Counts a message, ping or pong; false if the client must be closed. */
  allowMessage(socket: WebSocket<SocketData>): boolean {
    const received = (this.#received.get(socket) ?? 0) + 1;
    this.#received.set(socket, received);
    return received <= MAX_MESSAGES_PER_SECOND;
  }
}
