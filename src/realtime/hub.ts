/** All sockets of this instance: which board each is on, whose it is, and when it has to go. */
import type { Logger } from 'pino';
import type { Bus, Subscription } from '../bus/bus.js';
import type { DirectoryPort } from '../domain/directoryCommands.js';
import type { Uuid } from '../domain/ids.js';
import { PRESENCE_REBUILD_MS, type PresencePort } from '../domain/presence.js';
import { CLOSE } from '../api/closeCodes.js';
import { Heartbeat } from './heartbeat.js';
import { Room, type Publisher } from './room.js';
import type { Session } from './session.js';

export interface HubOptions {
  readonly publisher: Publisher;
  readonly bus: Bus;
  readonly presence: PresencePort;
  readonly directory: DirectoryPort;
  readonly log: Logger;
  readonly heartbeatIntervalMs: number;
  readonly pongTimeoutMs: number;
  readonly compress: boolean;
}

/** Users asked about at a time: each costs the directory a read. */
const USERS_AT_ONCE = 200;
const SWEEP_MS = 250;
const SWEEPS_PER_SECOND = 4;
/** A client that has this much waiting, and not less than a second ago, reads too slowly. */
const MOST_BACKLOG_BYTES = 1024 * 1024;
/** All clients together: past it the slowest go first. */
const MOST_TOTAL_BACKLOG_BYTES = 256 * 1024 * 1024;
/** Clients have nothing to say but pong: this many messages in a second are a flood. */
const MOST_MESSAGES_PER_SECOND = 100;

interface OpenRoom {
  readonly room: Room;
  readonly subscription: Subscription;
}

export class Hub {
  readonly #options: HubOptions;
  readonly #rooms = new Map<Uuid, OpenRoom>();
  readonly #byUser = new Map<Uuid, Set<Session>>();
  readonly #sessions = new Set<Session>();
  readonly #heartbeat: Heartbeat<Session>;
  readonly #sweeper: NodeJS.Timeout;
  readonly #users: Subscription;
  #sweeps = 0;
  #closedAsTooSlow = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#heartbeat = new Heartbeat<Session>({
      intervalMs: options.heartbeatIntervalMs,
      pongTimeoutMs: options.pongTimeoutMs,
      onPing: (sessions) => this.#ping(sessions),
      onCheck: (sessions) => this.#endSilent(sessions),
    });
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#users = options.bus.listenToUsers((user) => {
      if (!user.is_active) this.#endUser(user.id);
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Since the start. */
  get closedAsTooSlow(): number {
    return this.#closedAsTooSlow;
  }

  socketsOf(userId: Uuid): number {
    return this.#byUser.get(userId)?.size ?? 0;
  }

  /** From here on the session holds, or gets, everything that is told of its board. */
  add(session: Session): Room {
    const { board_id, user_id } = session.connection;
    this.#sessions.add(session);
    const own = this.#byUser.get(user_id) ?? new Set();
    this.#byUser.set(user_id, own.add(session));
    this.#heartbeat.add(session);
    const { room } = this.#rooms.get(board_id) ?? this.#openRoom(board_id);
    room.enter(session);
    return room;
  }

  remove(session: Session): void {
    const { board_id, user_id } = session.connection;
    this.#sessions.delete(session);
    this.#heartbeat.remove(session);
    const own = this.#byUser.get(user_id);
    own?.delete(session);
    if (own?.size === 0) this.#byUser.delete(user_id);
    const open = this.#rooms.get(board_id);
    open?.room.leave(session);
    if (open?.room.sessions.size === 0) {
      open.subscription.stop();
      this.#rooms.delete(board_id);
    }
  }

  /**
   * Messages of these boards may have been lost: because the boards changed hands, or because the way to them was cut.
   * Their logs and their new owners know what is missing here.
   */
  recheck(isAffected: (boardId: Uuid) => boolean): void {
    const rooms = [...this.#rooms].filter(([boardId]) => isAffected(boardId));
    if (rooms.length === 0) return;
    const sessions = rooms.flatMap(([, { room }]) => [...room.sessions].filter(isPresent));
    this.#options.presence.recheck(sessions.map(({ connection }) => connection));
    for (const [, { room }] of rooms) room.check();
    setTimeout(() => {
      for (const [boardId, open] of rooms) {
        if (this.#rooms.get(boardId) === open) void this.#reconcile(boardId, open.room);
      }
    }, PRESENCE_REBUILD_MS).unref();
  }

  /** A deactivation may have gone unheard. */
  async recheckUsers(): Promise<void> {
    const users = [...this.#byUser.keys()];
    try {
      for (let at = 0; at < users.length; at += USERS_AT_ONCE) {
        const ids = users.slice(at, at + USERS_AT_ONCE);
        for (const id of await this.#options.directory.ask('user.inactive', { ids })) this.#endUser(id);
      }
    } catch (error) {
      // Asked again when the directory is back: it then counts as moved.
      this.#options.log.debug({ err: error }, 'users could not be checked');
    }
  }

  /** The sockets are left to whoever opened them. */
  stop(): void {
    clearInterval(this.#sweeper);
    this.#heartbeat.stop();
    this.#users.stop();
  }

  #openRoom(boardId: Uuid): OpenRoom {
    const { publisher, bus, presence, compress, log } = this.#options;
    const room = new Room({
      publisher,
      boardId,
      compress,
      readEvents: (seq) => presence.eventsAfter(boardId, seq),
      onError: (error) => log.warn({ err: error, boardId }, 'missing events of a board could not be read'),
    });
    const open = { room, subscription: bus.listenToBoard(boardId, (message) => room.receive(message)) };
    this.#rooms.set(boardId, open);
    if (bus.status() !== 'embedded') void this.#noteOnline(boardId, room);
    return open;
  }

  /** So that a later comparison knows of those who came before this room was opened. */
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
    for (const session of [...(this.#byUser.get(id) ?? [])]) session.end(CLOSE.refused);
  }

  /** Also says to the boards which of these connections live. */
  #ping(sessions: ReadonlySet<Session>): void {
    const now = Date.now();
    const joined = [...sessions].filter(isPresent);
    // Who owes a pong may be gone: unless it comes, the presence runs out, however patient the pong time-out is.
    const alive = joined.filter(({ pingedAt }) => pingedAt === null);
    for (const session of joined) {
      session.pingedAt ??= now;
      session.send(`{"type":"ping","board_id":"${session.connection.board_id}"}`);
    }
    if (alive.length > 0) this.#options.presence.refresh(alive.map(({ connection }) => connection));
  }

  #endSilent(sessions: ReadonlySet<Session>): void {
    // The wheel turns in steps, so a ping may look a little younger than it is.
    const latest = Date.now() - this.#options.pongTimeoutMs * 0.9;
    for (const session of [...sessions]) {
      if (session.pingedAt !== null && session.pingedAt <= latest) session.end(CLOSE.noPong);
    }
  }

  #sweep(): void {
    const now = Date.now();
    for (const session of this.#sessions) {
      if (session.expiresAt <= now) session.end({ code: CLOSE.refused.code, reason: 'The token expired' });
    }
    this.#sweeps += 1;
    if (this.#sweeps % SWEEPS_PER_SECOND === 0) this.#endSlow();
  }

  /** Looks at what waits for each client of a board that was busy in the last second, or lagged before. */
  #endSlow(): void {
    const lagging: Session[] = [];
    let total = 0;
    for (const { room } of this.#rooms.values()) {
      const active = room.takeActivity();
      for (const session of room.sessions) {
        session.received = 0;
        if (session.isEnded || (!active && session.backlog === 0)) continue;
        const backlog = session.socket.getBufferedAmount();
        const isLosing = backlog > MOST_BACKLOG_BYTES && session.backlog > 0 && backlog >= session.backlog;
        session.backlog = backlog;
        if (isLosing) {
          this.#endAsTooSlow(session);
        } else if (backlog > 0) {
          lagging.push(session);
          total += backlog;
        }
      }
    }
    if (total <= MOST_TOTAL_BACKLOG_BYTES) return;
    for (const session of lagging.sort((a, b) => b.backlog - a.backlog)) {
      if (total <= MOST_TOTAL_BACKLOG_BYTES) return;
      total -= session.backlog;
      this.#endAsTooSlow(session);
    }
  }

  #endAsTooSlow(session: Session): void {
    this.noteTooSlow(session);
    session.end(CLOSE.tooSlow);
  }

  /** Whoever ends the connection, the client is counted once. */
  noteTooSlow(session: Session): void {
    if (!session.isTooSlow) this.#closedAsTooSlow += 1;
    session.isTooSlow = true;
  }

  /** Whether the client may go on after one more message. */
  allowMessage(session: Session): boolean {
    session.received += 1;
    return session.received <= MOST_MESSAGES_PER_SECOND;
  }
}

/** Whether the board knows of this socket. */
function isPresent({ state }: Session): boolean {
  return state.kind === 'catching up' || state.kind === 'live';
}
