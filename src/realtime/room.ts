/** The sockets of this instance on one board, and the board's messages on their way to them: in order, each once. */
import type { BoardMessage } from '../bus/bus.js';
import { AppError } from '../domain/errors.js';
import { isLarge, withSeq, type BoardEvent, type LargeEvent, type PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import {
  NO_CONNECTION,
  renderPresence,
  type MissedEvents,
  type OnlineUser,
  type PresenceMessage,
} from '../domain/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import type { Backlog } from './backlog.js';
import { Crowd, type ReadonlyCrowd } from './crowd.js';
import { sizeUp } from './eventSize.js';
import type { HeldBudget } from './heldBudget.js';
import type { LargeDeliveries } from './largeDeliveries.js';
import { renderResync, seqOf, type Arrival, type Held, type Place, type Session } from './session.js';

/** Messages held back, for a client or while events are missing. Past it events are dropped, and read from the log. */
const MOST_HELD = 1_000;
/** What a held message costs each client besides its text, which they share. */
const HELD_ENTRY_BYTES = 16;
/** Messages that wait while events are missing, in bytes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** While the owner of a board is being replaced. */
const RETRY_READ_MS = 250;

/** Sends one message to every socket that subscribed to a topic. */
export interface Publisher {
  publish(topic: string, message: string, isBinary: boolean, compress: boolean): unknown;
}

/** The same for all rooms of an instance. */
export interface RoomSurroundings {
  readonly publisher: Publisher;
  readonly compress: boolean;
  /** The ids of all connections to this instance begin here. */
  readonly firstConnectionId: number;
  /** Whether messages can get lost on their way here. Where none can, nobody asks who was told as present. */
  readonly remembersPresence: boolean;
  /** Reads from the board's log. */
  readonly readEvents: (boardId: Uuid, seq: number) => Promise<MissedEvents>;
  readonly onError: (boardId: Uuid, error: unknown) => void;
  /** Ends the session, and counts it. */
  readonly endAsTooSlow: (session: Session) => void;
  readonly backlog: Backlog;
  readonly deliveries: LargeDeliveries;
  readonly held: HeldBudget;
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
const NOBODY: ReadonlySet<Session> = new Set();

export class Room implements Place {
  readonly boardId: Uuid;
  readonly #sessions = new Crowd<Session>();
  /** Those that are not live yet: a few, where thousands may be live and events come many times a second. */
  #arrivals: Set<Session> | null = null;
  /** What is held for them, in bytes: at most this, until it is counted again. */
  #heldBytes = 0;
  readonly #surroundings: RoomSurroundings;
  #flow: Flow = OPEN;
  /** The last event that was handed out; null while none is known. */
  #seq: number | null = null;
  /** Who is on the board, as far as the clients here were told. */
  readonly #online: Map<Uuid, string> | null;

  constructor(boardId: Uuid, surroundings: RoomSurroundings) {
    this.boardId = boardId;
    this.#surroundings = surroundings;
    this.#online = surroundings.remembersPresence ? new Map() : null;
  }

  get sessions(): ReadonlyCrowd<Session> {
    return this.#sessions;
  }

  connectionId(number: number): number {
    return this.#surroundings.firstConnectionId + number;
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
    this.#surroundings.backlog.makeRoom(this, bytes, 1);
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
    for (const session of this.#arriving) this.#goLiveWhenLevel(session);
  }

  #handOutSmall(event: BoardEvent): void {
    this.#surroundings.backlog.makeRoom(this, Buffer.byteLength(event.json), this.#sessions.size);
    this.#publish(this.#plainTopic, event.json);
    this.#publish(this.#numberedTopic, withSeq(event));
    this.#holdForAll({ kind: 'event', event }, event.json.length);
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
    for (const session of this.#arriving) {
      if (!session.numbered) this.#surroundings.deliveries.keep(session, event.bytes);
      this.#hold(session, session.numbered ? resync : large);
    }
    this.#noteHeld(HELD_ENTRY_BYTES * this.#arriving.size);
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
      this.#surroundings.onError(this.boardId, error);
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
        return await this.#surroundings.readEvents(this.boardId, seq);
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
    this.#surroundings.backlog.makeRoom(this, text.length, this.#sessions.size);
    this.#publish(this.#plainTopic, text);
    this.#publish(this.#numberedTopic, text);
    for (const session of this.#arriving) {
      if (session.arrival !== null && this.connectionId(session.number) === connectionId) session.arrival.hasJoined = true;
    }
    this.#holdForAll({ kind: 'presence', text }, text.length);
  }

  #publish(topic: string, text: string): void {
    this.#surroundings.publisher.publish(topic, text, false, this.#surroundings.compress);
  }

  #holdForAll(message: Held, bytes: number): void {
    if (this.#arriving.size === 0) return;
    for (const session of this.#arriving) this.#hold(session, message);
    this.#noteHeld(bytes + HELD_ENTRY_BYTES * this.#arriving.size);
  }

  #hold(session: Session, message: Held): void {
    const { arrival } = session;
    if (arrival === null) return;
    // Who came and went before is no news to a client that was not there.
    if (message.kind === 'presence' && !arrival.hasJoined) return;
    // A client ahead of this room has it from the log.
    if (arrival.step === 'settled' && (seqOf(message) ?? Infinity) <= arrival.seq) return;
    if (arrival.held.length >= MOST_HELD) this.#letGo(session, arrival);
    if (session.isEnded) return;
    arrival.held.push(message);
    // Who came and went is in no log.
    if (arrival.held.length > MOST_HELD) this.#surroundings.endAsTooSlow(session);
  }

  /** Lets go of the events that are held for a client: it reads them from the log, or has to come back. */
  #letGo(session: Session, { step, held }: Arrival): void {
    if (step === 'settled') return this.#surroundings.endAsTooSlow(session);
    for (const each of held) if (each.kind === 'large') this.#surroundings.deliveries.release(session, each.event.bytes);
    held.splice(0, held.length, ...held.filter(({ kind }) => kind === 'presence'));
  }

  #noteHeld(bytes: number): void {
    const { held } = this.#surroundings;
    if (this.#arriving.size === 0) return;
    this.#heldBytes += bytes;
    held.change(bytes);
    if (!held.isExceededBy(this.#heldBytes)) return;
    this.#countHeld();
    if (!held.isExceededBy(this.#heldBytes)) return;
    for (const session of this.#arriving) if (session.arrival !== null) this.#letGo(session, session.arrival);
    this.#countHeld();
  }

  #countHeld(): void {
    const messages = new Set<Held>();
    let bytes = 0;
    for (const { arrival } of this.#arriving) {
      for (const each of arrival?.held ?? []) messages.add(each);
      bytes += (arrival?.held.length ?? 0) * HELD_ENTRY_BYTES;
    }
    for (const each of messages) bytes += textBytes(each);
    this.#surroundings.held.change(bytes - this.#heldBytes);
    this.#heldBytes = bytes;
  }

  /** A client ahead of this room (it read the log) must not get from the topic what it already has. */
  #goLiveWhenLevel(session: Session): void {
    const { arrival } = session;
    if (arrival?.step !== 'settled' || arrival.isReceiving || (this.#seq ?? 0) < arrival.seq) return;
    if (this.misses(arrival)) return session.end(CLOSE.tryAgainLater);
    for (let next = arrival.held.shift(); next !== undefined; next = arrival.held.shift()) {
      if (next.kind === 'large') return this.#deliver(session, arrival, next.event);
      if (next.kind === 'presence') session.send(next.text);
      else if (next.kind === 'resync') session.sendResync(next.seq);
      else if (next.event.seq > arrival.seq) session.sendEvent(next.event);
    }
    session.goLive(session.numbered ? this.#numberedTopic : this.#plainTopic);
    this.#noteArrived(session);
  }

  /** The client goes on with what was held meanwhile. */
  #deliver(session: Session, arrival: Arrival, { seq, bytes }: LargeEvent): void {
    const goOn = (): void => this.#goLiveWhenLevel(session);
    const { deliveries } = this.#surroundings;
    if (seq > arrival.seq) {
      arrival.seq = seq;
      return deliveries.deliver(session, arrival, bytes, goOn);
    }
    deliveries.release(session, bytes);
    goOn();
  }

  get #arriving(): ReadonlySet<Session> {
    return this.#arrivals ?? NOBODY;
  }

  #noteArriving(session: Session): void {
    this.#arrivals ??= new Set();
    this.#arrivals.add(session);
  }

  #noteArrived(session: Session): void {
    if (this.#arrivals?.delete(session) !== true || this.#arrivals.size > 0) return;
    this.#arrivals = null;
    this.#surroundings.held.change(-this.#heldBytes);
    this.#heldBytes = 0;
  }

  #endWhere(close: Close, isMeant: (session: Session) => boolean): void {
    for (const session of this.#sessions.list().filter(isMeant)) session.end(close);
  }
}

function keepWaiting(flow: Mending, message: BoardMessage): void {
  flow.waiting.push(message);
  flow.waitingBytes += sizeOf(message);
  if (flow.waiting.length <= MOST_HELD && flow.waitingBytes <= MAX_WAITING_BYTES) return;
  // Who comes and goes is compared with the owner's list anyway, after whatever made this wait necessary.
  flow.waiting = flow.waiting.filter(({ kind }) => kind !== 'events' && kind !== 'presence');
  flow.waitingBytes = 0;
  flow.again = true;
}

function sizeOf(message: BoardMessage): number {
  if (message.kind !== 'events') return 0;
  return message.events.reduce((sum, event) => sum + (isLarge(event) ? event.bytes.byteLength : event.json.length), 0);
}

/** Large events are counted with their deliveries. */
function textBytes(held: Held): number {
  switch (held.kind) {
    case 'event':
      return held.event.json.length;
    case 'presence':
      return held.text.length;
    default:
      return 0;
  }
}
