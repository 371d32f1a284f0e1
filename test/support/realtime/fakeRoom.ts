/** A room with sockets, topics and log in memory, for events that a real network does not produce on demand. */
import type { Position } from '../../../src/domain/position.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../../src/api/closeCodes.js';
import { LARGE_EVENT_CHARACTERS, type BoardEvent, type EventType, type LargeEvent, type PublishedEvent } from '../../../src/domain/events.js';
import type { MissedEvents } from '../../../src/domain/ports/eventLog.js';
import type { Connection, ConnectionState, Joined } from '../../../src/domain/ports/presence.js';
import { admit, closeFor } from '../../../src/realtime/entry/admission.js';
import { BoardSocket } from '../../../src/realtime/socket/boardSocket.js';
import { Backlog } from '../../../src/realtime/delivery/backlog.js';
import { CatchUpPages } from '../../../src/realtime/delivery/catchUpPages.js';
import { LargeDeliveries } from '../../../src/realtime/delivery/largeDeliveries.js';
import { Room } from '../../../src/realtime/room.js';
import type { Client, Follower, RoomPlace, Since, SocketData, SocketToken } from '../../../src/realtime/socket/follower.js';
import { SharedFollower, SharedSocket } from '../../../src/realtime/socket/sharedSocket.js';

/** A token that never expires. */
const ENDLESS: SocketToken = { sessionId: null, issuedAt: 0, expiresAt: Infinity, key: null };

export interface FakeRoomOptions {
  readonly boardId?: string;
  /** Another room of the same instance. */
  readonly beside?: FakeRoom;
}

export class FakeRoom {
  readonly room: Room;
  /** All events of the board; those from the number `kept` can still be read. */
  readonly log: BoardEvent[] = [];
  kept = 1;
  page = 500;
  /** Called at each read of the log, before the answer. */
  onRead: () => void = () => undefined;
  readonly errors: unknown[] = [];
  reads = 0;
  /** Of the board's history. */
  epoch = '0';
  /** Of the connections on the board, for those who join. */
  states: readonly ConnectionState[] = [];
  /** In milliseconds; a manual clock. */
  now = 0;
  readonly backlog: Backlog;
  readonly deliveries = new LargeDeliveries(
    (client) => client.hangUp(CLOSE.tooSlow),
    () => this.now,
  );
  readonly pages: CatchUpPages;
  /** The rooms of the instance. */
  readonly rooms: Map<string, FakeRoom>;
  readonly #clients = new Set<FakeSocket>();
  #entered = 0;

  constructor({ boardId = '00000000-0000-4000-8000-000000000000', beside }: FakeRoomOptions = {}) {
    this.rooms = beside?.rooms ?? new Map<string, FakeRoom>();
    this.rooms.set(boardId, this);
    this.backlog = beside?.backlog ?? new Backlog((client) => client.hangUp(CLOSE.tooSlow));
    this.pages = beside?.pages ?? new CatchUpPages((id, since) => (this.rooms.get(id) ?? this).read(since));
    const publish = (topic: string, text: string): boolean => {
      for (const client of this.#clients) if (client.topics.has(topic)) client.receive(text);
      return true;
    };
    this.room = new Room(boardId, {
      publisher: { publish },
      compress: false,
      firstConnectionId: 1,
      isOwnConnection: () => true,
      allowSignal: () => true,
      remembersPresence: true,
      readEvents: (_boardId, since) => this.read(since),
      onError: (_boardId, error) => this.errors.push(error),
      endAsTooSlow: (client) => client.hangUp(CLOSE.tooSlow),
      backlog: this.backlog,
      deliveries: this.deliveries,
      held: { total: 0 },
    });
  }

  /** Adds events to the log without publishing them. */
  write(count = 1, type: EventType = 'label.created'): BoardEvent[] {
    const events = Array.from({ length: count }, (_, index): BoardEvent => {
      const seq = this.log.length + index + 1;
      return { seq, type, json: `{"n":${seq}}` };
    });
    this.log.push(...events);
    return events;
  }

  /** A large event that the log does not keep: a client that missed it must read the board again. */
  writeLarge(bytes = LARGE_EVENT_CHARACTERS): LargeEvent[] {
    const [{ seq, type } = { seq: 0, type: 'column.updated' as const }] = this.write();
    this.kept = seq + 1;
    const json = `{"n":${seq},"x":""}`;
    return [{ seq, type, bytes: Buffer.from(json.replace('""', `"${'x'.repeat(bytes - json.length)}"`)) }];
  }

  /** Resolves when every delivery is done, or waits for a client that does not read. */
  async delivered(): Promise<void> {
    for (let turn = 0; turn < 2 || this.deliveries.isBusy; turn += 1) await nextTurn();
  }

  publish(events: readonly PublishedEvent[]): void {
    this.room.receive({ kind: 'events', epoch: this.epoch, events });
  }

  /** Connects as the real edge does: enters the room, then asks for admission. */
  async connect(since: Since): Promise<FakeClient> {
    const client = this.enter(since);
    await this.letIn(client, since);
    return client;
  }

  enter(since: Since): FakeClient {
    const client = new FakeClient(this, this.nextNumber(), since.kind !== 'unnumbered');
    this.add(client, client.follower);
    return client;
  }

  nextNumber(): number {
    this.#entered += 1;
    return this.#entered;
  }

  add(client: FakeSocket, follower: Follower): void {
    this.#clients.add(client);
    this.room.enter(follower);
  }

  letIn({ follower }: { readonly follower: Follower }, since: Since): Promise<void> {
    const { room, deliveries, pages } = this;
    const join = () => this.#join(follower.connection);
    return admit(follower, since, { join, presence: { leave: () => undefined } }, { room, pages, deliveries });
  }

  /** As the hub does when a follower ends. */
  forget(follower: Follower): void {
    this.room.leave(follower);
    this.deliveries.forget(follower);
  }

  async read(since: Position): Promise<MissedEvents> {
    this.reads += 1;
    this.onRead();
    return this.#missed(since);
  }

  #missed({ epoch: asked, seq: since }: Position): MissedEvents {
    const { epoch } = this;
    const seq = this.log.length;
    const isLost = since > seq || (since < seq && since + 1 < this.kept);
    if (isLost || asked !== epoch) return { epoch, seq, events: [], resync: true };
    return { epoch, seq, events: this.log.slice(since, since + this.page), resync: false };
  }

  async #join(connection: Connection): Promise<Joined> {
    const seq = this.log.length;
    const message = { type: 'user_joined', user_id: connection.user_id, username: connection.username } as const;
    this.room.receive({ kind: 'presence', connection_id: connection.id, message });
    return { ok: true, epoch: this.epoch, seq, attendance: { online: [], states: this.states } };
  }
}

/** The client end of a socket. */
export abstract class FakeSocket {
  readonly received: string[] = [];
  /** How often the system was asked to send, apart from topics. */
  writes = 0;
  /** Null while it is open; `cut` if there was no code. */
  closedWith: number | 'cut' | null = null;
  /** Bytes that it has not read. */
  backlog = 0;
  /** Slices of a message that is not complete. */
  readonly slices: Buffer[] = [];
  /** Whether it reads messages and slices as they arrive. */
  isReading = true;
  readonly topics = new Set<string>();
  protected readonly socket: WebSocket<SocketData>;

  constructor() {
    const close = (code: number | 'cut'): void => {
      this.closedWith = code;
      this.topics.clear();
      this.noteClosed();
    };
    let isCorked = false;
    const socket = {
      send: (text: string) => {
        if (!isCorked) this.writes += 1;
        this.receive(text);
      },
      cork: (send: () => void) => {
        this.writes += 1;
        isCorked = true;
        send();
        isCorked = false;
      },
      sendFirstFragment: (slice: Uint8Array) => this.#take(slice),
      sendFragment: (slice: Uint8Array) => this.#take(slice),
      sendLastFragment: (slice: Uint8Array) => {
        this.#take(slice);
        this.received.push(Buffer.concat(this.slices.splice(0)).toString());
      },
      subscribe: (topic: string) => this.topics.add(topic),
      unsubscribe: (topic: string) => this.topics.delete(topic),
      getBufferedAmount: () => this.backlog,
      end: close,
      close: () => close('cut'),
    };
    this.socket = socket as unknown as WebSocket<SocketData>;
  }

  abstract readonly client: Client;
  /** As the hub does when a socket is closed. */
  protected abstract noteClosed(): void;

  /** Whether it gets the messages of a board directly. */
  get isLive(): boolean {
    return this.topics.size > 0;
  }

  receive(text: string): void {
    if (this.closedWith !== null) throw new Error('the socket is closed');
    this.received.push(text);
    if (!this.isReading) this.backlog += text.length;
  }

  /** Reads everything that waits for it. */
  read(): void {
    this.backlog = 0;
    this.client.noteDrain();
  }

  #take(slice: Uint8Array): void {
    this.slices.push(Buffer.from(slice));
    if (!this.isReading) this.backlog += slice.byteLength;
  }

  /** The numbers of the received events. */
  get seqs(): number[] {
    return this.#parsed().flatMap(({ n }) => n ?? []);
  }

  seqsOn({ room }: FakeRoom): number[] {
    return this.#parsed().flatMap(({ n, board_id }) => (board_id === room.boardId && n !== undefined ? [n] : []));
  }

  /** The other messages. */
  get others(): string[] {
    return this.#parsed().flatMap(({ type }) => type ?? []);
  }

  #parsed(): Array<{ readonly type?: string; readonly n?: number; readonly board_id?: string }> {
    return this.received.map((text) => JSON.parse(text) as object);
  }
}

/** A client of one board. */
export class FakeClient extends FakeSocket {
  readonly follower: BoardSocket;
  readonly #fake: FakeRoom;

  constructor(fake: FakeRoom, number: number, numbered: boolean) {
    super();
    this.#fake = fake;
    const user = { id: `user ${number}`, username: `user ${number}` };
    this.follower = new BoardSocket(this.socket, { place: fake.room, user, number, token: ENDLESS, numbered });
  }

  get client(): BoardSocket {
    return this.follower;
  }

  protected noteClosed(): void {
    this.follower.noteEnd();
    this.#fake.forget(this.follower);
    this.#fake.backlog.forget(this.follower);
  }
}

/** A client of several boards. */
export class FakeSharedClient extends FakeSocket {
  readonly client: SharedSocket;
  readonly #backlog: Backlog;
  readonly #rooms = new Map<RoomPlace, FakeRoom>();

  constructor({ backlog }: FakeRoom, name: string) {
    super();
    this.#backlog = backlog;
    const host = { backlog, onLeft: (follower: SharedFollower) => this.#leave(follower) };
    this.client = new SharedSocket(this.socket, { user: { id: name, username: name }, number: 0, token: ENDLESS, host });
  }

  /** As the real edge does. Resolves when the client is live on the board, or was refused. */
  async follow(fake: FakeRoom, since: Since): Promise<void> {
    const follower = new SharedFollower(this.client, fake.room, fake.nextNumber());
    this.#rooms.set(fake.room, fake);
    this.client.add(follower);
    fake.add(this, follower);
    await fake.letIn({ follower }, since).catch((error: unknown) => follower.end(closeFor(error)));
  }

  unfollow({ room }: FakeRoom): void {
    this.client.followerOn(room.boardId)?.end({ code: 1000, reason: '' });
  }

  #leave(follower: SharedFollower): void {
    this.#rooms.get(follower.place)?.forget(follower);
    follower.noteEnd();
  }

  protected noteClosed(): void {
    const { followers } = this.client;
    this.client.noteEnd();
    for (const follower of followers) this.#rooms.get(follower.place)?.forget(follower);
    this.#backlog.forget(this.client);
    this.#backlog.forgetAudience(this.client);
  }
}
