/** A room with sockets, topics and log in memory, for events that a real network does not produce on demand. */
import type { Position } from '../../../src/domain/position.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'uWebSockets.js';
import { CLOSE } from '../../../src/api/closeCodes.js';
import { LARGE_EVENT_CHARACTERS, type BoardEvent, type LargeEvent, type PublishedEvent } from '../../../src/domain/events.js';
import type { MissedEvents } from '../../../src/domain/ports/eventLog.js';
import type { Connection, PresencePort } from '../../../src/domain/ports/presence.js';
import { admit } from '../../../src/realtime/admission.js';
import { BoardSocket } from '../../../src/realtime/boardSocket.js';
import { Backlog } from '../../../src/realtime/backlog.js';
import { CatchUpPages } from '../../../src/realtime/catchUpPages.js';
import { LargeDeliveries } from '../../../src/realtime/largeDeliveries.js';
import { Room } from '../../../src/realtime/room.js';
import type { Since, SocketData } from '../../../src/realtime/session.js';

const BOARD_ID = '00000000-0000-4000-8000-000000000000';

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
  /** In milliseconds; a manual clock. */
  now = 0;
  readonly backlog = new Backlog((client) => client.hangUp(CLOSE.tooSlow));
  readonly deliveries = new LargeDeliveries((client) => client.hangUp(CLOSE.tooSlow), () => this.now);
  readonly #pages = new CatchUpPages((_boardId, since) => this.read(since));
  readonly #clients = new Set<FakeClient>();

  constructor() {
    const publish = (topic: string, text: string): boolean => {
      for (const client of this.#clients) if (client.topic === topic) client.receive(text);
      return true;
    };
    this.room = new Room(BOARD_ID, {
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
  write(count = 1): BoardEvent[] {
    const events = Array.from({ length: count }, (_, index): BoardEvent => {
      const seq = this.log.length + index + 1;
      return { seq, type: 'label.created', json: `{"n":${seq}}` };
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
    const client = new FakeClient(this, this.#clients.size, since.kind !== 'unnumbered');
    this.#clients.add(client);
    this.room.enter(client.session);
    return client;
  }

  letIn({ session }: FakeClient, since: Since): Promise<void> {
    const { room, deliveries } = this;
    return admit(session, since, this.#presence(), { room, pages: this.#pages, deliveries });
  }

  /** As the hub does when a socket is closed. */
  remove({ session }: FakeClient): void {
    session.noteEnd();
    this.room.leave(session);
    this.backlog.forget(session);
    this.deliveries.forget(session);
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

  #presence(): PresencePort {
    const join = async (connection: Connection) => {
      const seq = this.log.length;
      const message = { type: 'user_joined', user_id: connection.user_id, username: connection.username } as const;
      this.room.receive({ kind: 'presence', connection_id: connection.id, message });
      return { ok: true, epoch: this.epoch, seq } as const;
    };
    return { join, leave: () => undefined } as unknown as PresencePort;
  }
}

export class FakeClient {
  readonly session: BoardSocket;
  readonly received: string[] = [];
  topic: string | null = null;
  /** Null while it is open; `cut` if there was no code. */
  closedWith: number | 'cut' | null = null;
  /** Bytes that it has not read. */
  backlog = 0;
  /** Slices of a message that is not complete. */
  readonly slices: Buffer[] = [];
  /** Whether it reads messages and slices as they arrive. */
  isReading = true;

  constructor(fake: FakeRoom, number: number, numbered: boolean) {
    const close = (code: number | 'cut'): void => {
      this.closedWith = code;
      this.topic = null;
      fake.remove(this);
    };
    const socket = {
      send: (text: string) => this.receive(text),
      sendFirstFragment: (slice: Uint8Array) => this.#take(slice),
      sendFragment: (slice: Uint8Array) => this.#take(slice),
      sendLastFragment: (slice: Uint8Array) => {
        this.#take(slice);
        this.received.push(Buffer.concat(this.slices.splice(0)).toString());
      },
      subscribe: (topic: string) => (this.topic = topic),
      unsubscribe: () => (this.topic = null),
      getBufferedAmount: () => this.backlog,
      end: close,
      close: () => close('cut'),
    };
    const user = { id: `user ${number}`, username: `user ${number}` };
    const options = { place: fake.room, user, number, expiresAt: Infinity, numbered };
    this.session = new BoardSocket(socket as unknown as WebSocket<SocketData>, options);
  }

  receive(text: string): void {
    this.received.push(text);
    if (!this.isReading) this.backlog += text.length;
  }

  /** Reads everything that waits for it. */
  read(): void {
    this.backlog = 0;
    this.session.noteDrain();
  }

  #take(slice: Uint8Array): void {
    this.slices.push(Buffer.from(slice));
    if (!this.isReading) this.backlog += slice.byteLength;
  }

  /** The numbers of the received events. */
  get seqs(): number[] {
    return this.received.flatMap((text) => {
      const { n } = JSON.parse(text) as { n?: number };
      return n === undefined ? [] : [n];
    });
  }

  /** The other messages. */
  get others(): string[] {
    return this.received.map((text) => JSON.parse(text) as { type?: string }).flatMap(({ type }) => type ?? []);
  }
}
