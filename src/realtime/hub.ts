/** All sockets of this instance: the boards and the user of each, and when it must close. */
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { WebSocket } from 'uWebSockets.js';
import type { Bus, Subscription } from '../bus/bus.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { EventLogPort } from '../domain/ports/eventLog.js';
import { PRESENCE_REBUILD_MS, type Connection, type PresencePort } from '../domain/ports/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import { MAX_SIGNAL_DELIVERIES_PER_SECOND } from '../api/socketLimits.js';
import { Backlog } from './delivery/backlog.js';
import { BoardSocket, type BoardSocketOptions } from './socket/boardSocket.js';
import { CatchUpPages } from './delivery/catchUpPages.js';
import { CredentialChecks } from './entry/credentialChecks.js';
import { Feeds } from './feeds.js';
import { PingWheel } from './socket/pingWheel.js';
import { LargeDeliveries } from './delivery/largeDeliveries.js';
import { renderSignal, Room, type Publisher, type RoomHost } from './room.js';
import type { Client, MessageSink, Follower, SocketData } from './socket/follower.js';
import { SharedFollower, SharedSocket, type SharedSocketHost, type SharedSocketOptions } from './socket/sharedSocket.js';
import { StreamFollower, type StreamFollowerOptions } from './socket/streamFollower.js';
import { OwnerCounts } from '../flow/ownerCounts.js';

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
  /** Of access tokens. */
  readonly tokenLifetimeSeconds: number;
  /** In milliseconds, from a clock that is never set: a deadline must not depend on the time of day. */
  readonly monotonic?: () => number;
}

const SWEEP_MS = 250;
const SWEEPS_PER_SECOND = 4;
/** Clients of one board send pongs only: more messages, pings and pongs in a second are a flood. */
export const MAX_MESSAGES_PER_SECOND = 100;

/**
 * An instance draws one of these ranges at random and numbers its connections from there; all numbers are safe
 * integers.
 */
const INSTANCES = 2 ** 24;
const CONNECTIONS_OF_INSTANCE = 2 ** 29;

export type Newcomer = Omit<BoardSocketOptions, 'place' | 'number'> & { readonly boardId: Uuid };

export interface Entered<S extends Follower> {
  readonly follower: S;
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
  /** How many sockets each user has. */
  readonly #socketsOf = new OwnerCounts<Uuid>();
  /** How many boards the shared sockets of each user follow. */
  readonly #followedBy = new OwnerCounts<Uuid>();
  readonly #feeds = new Feeds();
  readonly #sharedHost: SharedSocketHost;
  /** Signals times receivers of each board in the current second. */
  readonly #signalled = new OwnerCounts<Uuid>();
  readonly #monotonic: () => number;
  /** Since when a ping waits for its pong, by the monotonic clock. */
  readonly #pingedAt = new Map<Client, number>();
  readonly #backlog = new Backlog((client) => this.#endAsTooSlow(client));
  /** Clients already counted as too slow. */
  readonly #tooSlow = new WeakSet<Client>();
  /** Messages and control frames of each socket, or user, in the current second. */
  readonly #received = new Map<MessageSink | Uuid, number>();
  readonly #heartbeat: PingWheel<Client>;
  readonly #sweeper: NodeJS.Timeout;
  readonly #credentials: CredentialChecks;
  readonly #feedSubscription: Subscription;
  #size = 0;
  #followed = 0;
  #opened = 0;
  #sweeps = 0;
  #closedAsTooSlow = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    const { publisher, bus, eventLog, compress, log } = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.deliveries = new LargeDeliveries((client) => this.#endAsTooSlow(client), this.#monotonic);
    this.pages = new CatchUpPages((boardId, since) => eventLog.eventsAfter(boardId, since));
    const firstConnectionId = randomInt(INSTANCES) * CONNECTIONS_OF_INSTANCE;
    this.#host = {
      publisher,
      compress,
      firstConnectionId,
      isOwnConnection: (id) => id >= firstConnectionId && id < firstConnectionId + CONNECTIONS_OF_INSTANCE,
      allowSignal: (boardId, receivers) => this.#allowSignal(boardId, receivers),
      remembersPresence: bus.status() !== 'embedded',
      readEvents: (boardId, seq) => this.pages.read(boardId, seq),
      onError: (boardId, error) => log.warn({ err: error, boardId }, 'missing events of a board could not be read'),
      endAsTooSlow: (client) => this.#endAsTooSlow(client),
      backlog: this.#backlog,
      deliveries: this.deliveries,
      held: { total: 0 },
    };
    this.#sharedHost = { backlog: this.#backlog, onLeft: (follower) => this.#leave(follower) };
    this.#heartbeat = new PingWheel<Client>({
      intervalMs: options.heartbeatIntervalMs,
      pongTimeoutMs: options.pongTimeoutMs,
      numberOf: ({ number }) => number,
      onPing: (clients) => this.#ping(clients),
      onCheck: (clients) => this.#endSilent(clients),
    });
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS);
    this.#credentials = new CredentialChecks({
      ...options,
      clients: () => this.#heartbeat.items(),
      users: () => this.#socketsOf.ids(),
      hasClients: (userId) => this.#socketsOf.has(userId),
    });
    this.#feedSubscription = bus.subscribeToFeeds((message) => this.#feeds.publish(message));
  }

  get size(): number {
    return this.#size;
  }

  /** Boards that shared sockets follow; a board counts once a socket. */
  get followed(): number {
    return this.#followed;
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
    return this.#socketsOf.of(userId);
  }

  followedBy(userId: Uuid): number {
    return this.#followedBy.of(userId);
  }

  /** From here on every message of the board is held for the follower or sent to it. */
  enter(socket: WebSocket<SocketData>, { boardId, ...newcomer }: Newcomer): Entered<BoardSocket> {
    const { room } = this.#rooms.get(boardId) ?? this.#openRoom(boardId);
    const follower = new BoardSocket(socket, { ...newcomer, place: room, number: this.#nextNumber() });
    this.#add(follower);
    room.enter(follower);
    return { follower, room };
  }

  /** Like `enter`, for a stream of server-sent events. */
  enterStream({ boardId, ...newcomer }: Omit<StreamFollowerOptions, 'place' | 'number'> & { readonly boardId: Uuid }): Entered<StreamFollower> {
    const { room } = this.#rooms.get(boardId) ?? this.#openRoom(boardId);
    const options = { ...newcomer, place: room, number: this.#nextNumber() };
    const follower = new StreamFollower(options, (each) => this.remove(each));
    this.#add(follower);
    room.enter(follower);
    return { follower, room };
  }

  /** From here on the socket gets the feed of its user. */
  enterShared(socket: WebSocket<SocketData>, newcomer: Omit<SharedSocketOptions, 'number' | 'host'>): SharedSocket {
    const client = new SharedSocket(socket, { ...newcomer, number: this.#nextNumber(), host: this.#sharedHost });
    this.#add(client);
    this.#feeds.add(client);
    return client;
  }

  /** Like `enter`, for one more board of a socket. */
  follow(client: SharedSocket, boardId: Uuid): Entered<SharedFollower> {
    const { room } = this.#rooms.get(boardId) ?? this.#openRoom(boardId);
    // A number of its own: the shard might see the end of an earlier follower on the same board later than this one.
    const follower = new SharedFollower(client, room, this.#nextNumber());
    client.add(follower);
    this.#followed += 1;
    this.#followedBy.add(client.user.id, 1);
    room.enter(follower);
    return { follower, room };
  }

  /** The socket is closed. */
  remove(client: Client): void {
    const followers = [...client.followers];
    const present = followers.filter(({ isPresent }) => isPresent);
    client.noteEnd();
    this.#size -= 1;
    this.#socketsOf.add(client.user.id, -1);
    this.#heartbeat.remove(client);
    this.#pingedAt.delete(client);
    this.#received.delete(client.socket);
    for (const follower of followers) this.#leaveRoom(follower);
    this.#backlog.forget(client);
    if (client instanceof SharedSocket) {
      this.#feeds.remove(client);
      this.#backlog.forgetAudience(client);
    }
    for (const { connection } of present) this.#options.presence.leave(connection);
  }

  /** The clients here that get what a client says to its board. */
  receiversOf(follower: Follower): number {
    return this.#rooms.get(follower.place.boardId)?.room.followers.size ?? 0;
  }

  /** Sends a client's message to the others on its board; false if the board has too many. */
  signal(follower: SharedFollower, data: string): boolean {
    const { room } = this.#rooms.get(follower.place.boardId) ?? {};
    if (room === undefined || !this.#allowSignal(room.boardId, room.followers.size)) return false;
    const signal = { user_id: follower.client.user.id, connection_id: follower.connectionId, data };
    room.signal(follower, renderSignal(room.boardId, signal));
    this.#options.bus.publishToBoard(room.boardId, { kind: 'signal', signal });
    return true;
  }

  #add(client: Client): void {
    this.#size += 1;
    this.#socketsOf.add(client.user.id, 1);
    this.#heartbeat.add(client);
  }

  #nextNumber(): number {
    this.#opened += 1;
    return this.#opened;
  }

  /** One board of a socket that stays open. */
  #leave(follower: SharedFollower): void {
    const { isPresent, connection } = follower;
    this.#leaveRoom(follower);
    follower.noteEnd();
    if (isPresent) this.#options.presence.leave(connection);
  }

  #leaveRoom(follower: Follower): void {
    const { boardId } = follower.place;
    const open = this.#rooms.get(boardId);
    open?.room.leave(follower);
    this.deliveries.forget(follower);
    if (follower instanceof SharedFollower) {
      this.#followed -= 1;
      this.#followedBy.add(follower.client.user.id, -1);
    }
    if (open?.room.followers.size !== 0) return;
    open.subscription.stop();
    this.#backlog.forgetAudience(open.room);
    this.#rooms.delete(boardId);
  }

  #allowSignal(boardId: Uuid, receivers: number): boolean {
    if (this.#signalled.of(boardId) + receivers > MAX_SIGNAL_DELIVERIES_PER_SECOND) return false;
    this.#signalled.add(boardId, receivers);
    return true;
  }

  /**
   * Messages of these boards may have been lost, because a board got a new owner or the connection was cut. Compares
   * with their logs and their owners' presence.
   */
  recheck(isAffected: (boardId: Uuid) => boolean): void {
    const rooms = [...this.#rooms].filter(([boardId]) => isAffected(boardId));
    if (rooms.length === 0) return;
    const followers = rooms.flatMap(([, { room }]) => room.followers.list().filter(({ isPresent }) => isPresent));
    this.#options.presence.recheck(followers.map(({ connection }) => connection));
    for (const [, { room }] of rooms) room.check();
    for (const [, { room }] of rooms) for (const follower of room.followers) if (follower instanceof StreamFollower) this.#recheckStream(follower);
    setTimeout(() => {
      for (const [boardId, open] of rooms) {
        if (this.#rooms.get(boardId) === open) void this.#reconcile(boardId, open.room);
      }
    }, PRESENCE_REBUILD_MS).unref();
  }

  /** It has no presence, whose owner would find a user who was removed. */
  #recheckStream(follower: StreamFollower): void {
    follower.checkAccess().catch((error: unknown) => {
      if (error instanceof AppError && error.code !== 'unavailable') follower.end(refused(error.detail));
      else this.#options.log.debug({ err: error }, 'the access of a stream could not be checked');
    });
  }

  /** The message about a deactivation, or about sessions, may have been lost. */
  recheckUsers(): Promise<void> {
    return this.#credentials.recheck();
  }

  /** Closes every socket with this code. */
  stop(close: Close): void {
    clearInterval(this.#sweeper);
    this.#heartbeat.stop();
    this.#credentials.stop();
    this.#feedSubscription.stop();
    for (const client of [...this.#heartbeat.items()]) client.hangUp(close);
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
      room.noteStates(await this.#options.presence.states(boardId));
    } catch (error) {
      this.#options.log.debug({ err: error, boardId }, 'presence could not be read');
    }
  }

  async #reconcile(boardId: Uuid, room: Room): Promise<void> {
    try {
      room.reconcile((await this.#options.presence.list(boardId)) ?? []);
      room.reconcileStates(await this.#options.presence.states(boardId));
    } catch (error) {
      this.#options.log.debug({ err: error, boardId }, 'presence could not be compared');
    }
  }

  /** Also refreshes the presence of these clients. */
  #ping(clients: readonly Client[]): void {
    const now = this.#monotonic();
    const alive: Connection[] = [];
    for (const client of clients) {
      if (!client.isAdmitted) continue;
      const present = [...client.followers].filter(({ isPresent }) => isPresent);
      // A client that owes a pong may be gone: without the pong its presence expires, however long the pong time-out is.
      if (!this.#pingedAt.has(client)) for (const { connection } of present) alive.push(connection);
      // A ping cannot be sent inside a large message. `LargeDeliveries` checks whether the client reads.
      if (client.isReceiving) continue;
      if (client.answersPings && !this.#pingedAt.has(client)) this.#pingedAt.set(client, now);
      client.socket.send(client.ping);
    }
    if (alive.length > 0) this.#options.presence.refresh(alive);
  }

  #endSilent(clients: readonly Client[]): void {
    // The wheel turns in steps, so a ping may look slightly younger than it is.
    const latest = this.#monotonic() - this.#options.pongTimeoutMs * 0.9;
    for (const client of clients) {
      const pingedAt = this.#pingedAt.get(client);
      if (pingedAt === undefined || pingedAt > latest) continue;
      // The client may not have read up to the ping yet; it is pinged again afterwards.
      if (client.isReceiving) this.#pingedAt.delete(client);
      else client.hangUp(CLOSE.noPong);
    }
  }

  #sweep(): void {
    this.#credentials.endExpired();
    this.#sweeps += 1;
    if (this.#sweeps % SWEEPS_PER_SECOND !== 0) return;
    this.#received.clear();
    this.#signalled.clear();
    this.#credentials.sweep();
    this.#backlog.sweep();
    this.deliveries.sweep();
  }

  #endAsTooSlow(client: Client): void {
    this.noteTooSlow(client);
    client.hangUp(CLOSE.tooSlow);
  }

  /** Counts a client once, whichever code ends it. */
  noteTooSlow(client: Client): void {
    if (!this.#tooSlow.has(client)) this.#closedAsTooSlow += 1;
    this.#tooSlow.add(client);
  }

  notePong(client: Client): void {
    this.#pingedAt.delete(client);
  }

  /** How many messages, pings and pongs came from this socket or user in the current second, with one more. */
  countMessage(sender: MessageSink | Uuid): number {
    const received = (this.#received.get(sender) ?? 0) + 1;
    this.#received.set(sender, received);
    return received;
  }
}
