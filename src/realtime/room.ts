/** The sockets of this instance on one board, and the board's messages on their way to them: in order, each once. */
import type { BoardMessage } from '../bus/bus.js';
import { AppError } from '../domain/errors.js';
import { isLarge, withSeq, type BoardEvent, type LargeEvent, type PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { MissedEvents } from '../domain/ports/eventLog.js';
import { NO_CONNECTION, renderPresence, type OnlineUser, type PresenceMessage } from '../domain/ports/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import { Arrivals, type ArrivalsOptions } from './arrivals.js';
import type { Backlog } from './backlog.js';
import { CompactSet, type ReadonlyCompactSet } from './compactSet.js';
import { sizeUp } from './eventSize.js';
import { renderResync, seqOf, type Arrival, type Held, type Place, type Session } from './session.js';

/** Messages that wait while events are missing. Past it events are dropped, and read from the log. */
const MAX_WAITING_MESSAGES = 1_000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** While the owner of a board is being replaced. */
const RETRY_READ_MS = 250;

/** Sends one message to every socket that subscribed to a topic. */
export interface Publisher {
  publish(topic: string, message: string, isBinary: boolean, compress: boolean): unknown;
}

/** The same for all rooms of an instance. */
export interface RoomHost extends ArrivalsOptions {
  readonly publisher: Publisher;
  readonly compress: boolean;
  /** The ids of all connections to this instance begin here. */
  readonly firstConnectionId: number;
  /** Whether messages can get lost on their way here. Where none can, nobody asks who was told as present. */
  readonly remembersPresence: boolean;
  /** Reads from the board's log. */
  readonly readEvents: (boardId: Uuid, seq: number) => Promise<MissedEvents>;
  readonly onError: (boardId: Uuid, error: unknown) => void;
  readonly backlog: Backlog;
}

/** While events are missing, what comes after them waits. `again`: the log may have grown since it was last read. */
type Flow = { readonly kind: 'open' } | Mending;

interface Mending {
  readonly kind: 'mending';
  waiting: BoardMessage[];
  waitingBytes: number;
  again: boolean;
}

const OPEN: Flow = { kind: 'open' };
const NOBODY: readonly Session[] = [];

export class Room implements Place {
  readonly boardId: Uuid;
  readonly #sessions = new CompactSet<Session>();
  /** Those that are not live yet: a few, where thousands may be live and events come many times a second. */
  #arrivals: Arrivals | null = null;
  readonly #host: RoomHost;
  #flow: Flow = OPEN;
  /** The last event that was handed out; null while none is known. */
  #seq: number | null = null;
  /** Who is on the board, as far as the clients here were told. */
  readonly #online: Map<Uuid, string> | null;

  constructor(boardId: Uuid, host: RoomHost) {
    this.boardId = boardId;
    this.#host = host;
    this.#online = host.remembersPresence ? new Map() : null;
  }

  get sessions(): ReadonlyCompactSet<Session> {
    return this.#sessions;
  }

  connectionId(number: number): number {
    return this.#host.firstConnectionId + number;
  }

  /** From here on the session holds, or gets, everything that is told of the board. */
  enter(session: Session): void {
    this.#sessions.add(session);
    this.#noteArriving(session);
  }

  leave(session: Session): void {
    this.#sessions.delete(session);
    this.#noteArrived(session);
  }

  receive(message: BoardMessage): void {
    if (this.#flow.kind === 'mending') return keepWaiting(this.#flow, message);
    switch (message.kind) {
      case 'events':
        return this.#receiveEvents(message);
      case 'presence':
        return this.#announce(message.connection_id, message.message);
      case 'left':
        return this.#endWhere(refused('No longer a member'), ({ user }) => message.user_ids.includes(user.id));
      case 'gone':
        return this.#endWhere(CLOSE.boardDeleted, () => true);
    }
  }

  /** All that the client missed has been sent: from here on it gets what everyone gets. */
  settle(session: Session): void {
    const { arrival } = session;
    if (arrival === null) return;
    this.#seq ??= arrival.seq;
    arrival.step = 'settled';
    this.#goLiveWhenLevel(session);
  }

  /** Whether events that were handed out are neither with the client nor held for it. */
  misses(arrival: Arrival): boolean {
    let { seq } = arrival;
    for (const held of arrival.held) {
      const next = seqOf(held);
      if (next === null || next <= seq) continue;
      if (next > seq + 1) return true;
      seq = next;
    }
    return this.#seq !== null && seq < this.#seq;
  }

  /** Something may have been lost at the end, where no later number gives it away. */
  check(): void {
    if (this.#flow.kind === 'mending') this.#flow.again = true;
    else if (this.#seq !== null) void this.#mend(this.#seq, []);
  }

  /** Tells of those who came or went unheard. */
  reconcile(online: readonly OnlineUser[]): void {
    if (this.#online === null) return;
    const now = new Map(online.map(({ user_id, username }) => [user_id, username]));
    for (const [user_id, username] of [...this.#online]) {
      if (!now.has(user_id)) this.#announce(NO_CONNECTION, { type: 'user_left', user_id, username });
    }
    for (const [user_id, username] of now) {
      if (!this.#online.has(user_id)) this.#announce(NO_CONNECTION, { type: 'user_joined', user_id, username });
    }
  }

  /** Those who were there before this room was. */
  noteOnline(online: readonly OnlineUser[]): void {
    for (const { user_id, username } of online) this.#online?.set(user_id, username);
  }

  /** Before so many bytes are sent to one client alone. */
  makeRoomFor(bytes: number): void {
    this.#host.backlog.makeRoom(this, bytes, 1);
  }

  // The names of the topics are made when they are needed: kept, they were 13 bytes of every resting socket.
  get #plainTopic(): string {
    return `plain ${this.boardId}`;
  }

  get #numberedTopic(): string {
    return `numbered ${this.boardId}`;
  }

  #receiveEvents(message: BoardMessage & { kind: 'events' }): void {
    const [first] = message.events;
    if (first !== undefined && this.#seq !== null && first.seq > this.#seq + 1) {
      void this.#mend(this.#seq, [message]);
      return;
    }
    this.#handOut(message.events);
  }

  #handOut(events: readonly PublishedEvent[]): void {
    for (const event of events) {
      if (this.#seq !== null && event.seq <= this.#seq) continue;
      this.#seq = event.seq;
      const sized = sizeUp(event, this.#sessions.size);
      if (isLarge(sized)) this.#handOutLarge(sized);
      else this.#handOutSmall(sized);
    }
    for (const session of this.#arrivals ?? NOBODY) this.#goLiveWhenLevel(session);
  }

  #handOutSmall(event: BoardEvent): void {
    this.#host.backlog.makeRoom(this, Buffer.byteLength(event.json), this.#sessions.size);
    this.#publish(this.#plainTopic, event.json);
    this.#publish(this.#numberedTopic, withSeq(event));
    const held: Held = { kind: 'event', event };
    this.#arrivals?.hold(() => held);
  }

  /** Those with numbers read the board anew. The others get the event, each as fast as it reads. */
  #handOutLarge(event: LargeEvent): void {
    this.#publish(this.#numberedTopic, renderResync(event.seq));
    for (const session of this.#sessions) {
      if (session.numbered || session.state !== 'live') continue;
      session.leaveTopic(this.#plainTopic, event.seq - 1);
      this.#noteArriving(session);
    }
    const resync: Held = { kind: 'resync', seq: event.seq };
    const large: Held = { kind: 'large', event };
    this.#arrivals?.hold(({ numbered }) => (numbered ? resync : large));
  }

  /** Messages got lost on their way to this instance: the board's log has them. */
  async #mend(seq: number, waiting: BoardMessage[]): Promise<void> {
    const flow: Mending = { kind: 'mending', waiting, waitingBytes: 0, again: true };
    this.#flow = flow;
    try {
      for (let known = seq; flow.again; ) {
        flow.again = false;
        const missed = await this.#readMissed(known);
        if (missed === null) return;
        // A log never gets shorter at its end: the board was deleted.
        if (missed.seq < known) return this.#endWhere(CLOSE.boardDeleted, () => true);
        if (missed.resync) this.#resyncAll(missed.seq);
        else this.#handOut(missed.events);
        known = missed.resync ? missed.seq : (missed.events.at(-1)?.seq ?? known);
        flow.again ||= known < missed.seq;
      }
    } catch (error) {
      // Nobody may go on with a gap behind them. Whoever uses numbers finds the rest when they connect again.
      this.#host.onError(this.boardId, error);
      this.#seq = null;
      this.#flow = OPEN;
      this.#endWhere(CLOSE.tryAgainLater, () => true);
      return;
    }
    this.#flow = OPEN;
    for (const each of flow.waiting) this.receive(each);
  }

  /** Waits for as long as the board is out of reach; null when nobody is left to wait for it. */
  async #readMissed(seq: number): Promise<MissedEvents | null> {
    while (this.#sessions.size > 0) {
      try {
        return await this.#host.readEvents(this.boardId, seq);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_READ_MS).unref());
    }
    return null;
  }

  #resyncAll(seq: number): void {
    this.#seq = seq;
    this.#publish(this.#numberedTopic, renderResync(seq));
    // A client without numbers cannot be told what it lacks, and one that is not live may have read only a part of it:
    // connecting anew puts both right.
    this.#endWhere(CLOSE.tryAgainLater, ({ numbered, state }) => !numbered || state !== 'live');
  }

  #announce(connectionId: number, message: PresenceMessage): void {
    if (message.type === 'user_joined') this.#online?.set(message.user_id, message.username);
    else this.#online?.delete(message.user_id);
    const text = renderPresence(message);
    this.#host.backlog.makeRoom(this, text.length, this.#sessions.size);
    this.#publish(this.#plainTopic, text);
    this.#publish(this.#numberedTopic, text);
    for (const session of this.#arrivals ?? NOBODY) {
      if (session.arrival !== null && this.connectionId(session.number) === connectionId) session.arrival.hasJoined = true;
    }
    const held: Held = { kind: 'presence', text };
    this.#arrivals?.hold(() => held);
  }

  #publish(topic: string, text: string): void {
    this.#host.publisher.publish(topic, text, false, this.#host.compress);
  }

  /** A client ahead of this room (it read the log) must not get from the topic what it already has. */
  #goLiveWhenLevel(session: Session): void {
    const { arrival } = session;
    if (arrival?.step !== 'settled' || arrival.isReceiving || (this.#seq ?? 0) < arrival.seq) return;
    if (this.misses(arrival)) return session.end(CLOSE.tryAgainLater);
    for (let next = arrival.held.shift(); next !== undefined; next = arrival.held.shift()) {
      if (!session.isDrained) {
        // What is held is shared by all; what is sent to one that does not read would be a copy for each.
        arrival.held.unshift(next);
        arrival.onDrain = () => this.#goLiveWhenLevel(session);
        return;
      }
      const isKnown = (seqOf(next) ?? Infinity) <= arrival.seq;
      if (isKnown) this.#arrivals?.forgo(session, next);
      else if (next.kind === 'large') return this.#deliver(session, arrival, next.event);
      else this.#sendHeld(session, next);
      // It may have been the slowest of all, and have made room itself.
      if (session.isEnded) return;
    }
    session.goLive(session.numbered ? this.#numberedTopic : this.#plainTopic);
    this.#noteArrived(session);
  }

  #sendHeld(session: Session, held: Exclude<Held, { kind: 'large' }>): void {
    switch (held.kind) {
      case 'event':
        this.makeRoomFor(Buffer.byteLength(held.event.json));
        return session.sendEvent(held.event);
      case 'resync':
        return session.sendResync(held.seq);
      case 'presence':
        return session.send(held.text);
    }
  }

  /** The client goes on with what was held meanwhile. */
  #deliver(session: Session, arrival: Arrival, { seq, bytes }: LargeEvent): void {
    arrival.seq = seq;
    this.#host.deliveries.deliver(session, arrival, bytes, () => this.#goLiveWhenLevel(session));
  }

  #noteArriving(session: Session): void {
    this.#arrivals ??= new Arrivals(this.#host);
    this.#arrivals.add(session);
  }

  #noteArrived(session: Session): void {
    this.#arrivals?.delete(session);
    if (this.#arrivals?.size === 0) this.#arrivals = null;
  }

  #endWhere(close: Close, isMeant: (session: Session) => boolean): void {
    for (const session of this.#sessions.list().filter(isMeant)) session.end(close);
  }
}

function keepWaiting(flow: Mending, message: BoardMessage): void {
  flow.waiting.push(message);
  flow.waitingBytes += sizeOf(message);
  if (flow.waiting.length <= MAX_WAITING_MESSAGES && flow.waitingBytes <= MAX_WAITING_BYTES) return;
  // Who comes and goes is compared with the owner's list anyway, after whatever made this wait necessary.
  flow.waiting = flow.waiting.filter(({ kind }) => kind !== 'events' && kind !== 'presence');
  flow.waitingBytes = 0;
  flow.again = true;
}

function sizeOf(message: BoardMessage): number {
  if (message.kind !== 'events') return 0;
  return message.events.reduce((sum, event) => sum + (isLarge(event) ? event.bytes.byteLength : event.json.length), 0);
}
