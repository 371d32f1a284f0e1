/** The sockets of this instance on one board, and the board's messages on their way to them: in order, each once. */
import type { BoardMessage } from '../bus/bus.js';
import { AppError } from '../domain/errors.js';
import { withSeq, type BoardEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import {
  NO_CONNECTION,
  renderPresence,
  type MissedEvents,
  type OnlineUser,
  type PresenceMessage,
} from '../domain/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import { Crowd, type ReadonlyCrowd } from './crowd.js';
import type { Arrival, Held, Place, Session } from './session.js';

/** Messages held back, for a client or while events are missing. Past it events are dropped, and read from the log. */
const MOST_HELD = 1_000;
/** What the clients of a board may have to read, all together. Past it those with the most go before another event. */
const MOST_BACKLOG_BYTES = 512 * 1024 * 1024;
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
}

/** While events are missing, what comes after them waits. `again`: the log may have grown since it was last read. */
type Flow = { readonly kind: 'open' } | Mending;

interface Mending {
  readonly kind: 'mending';
  waiting: BoardMessage[];
  again: boolean;
}

const OPEN: Flow = { kind: 'open' };
const NOBODY: readonly Session[] = [];

export class Room implements Place {
  readonly boardId: Uuid;
  readonly #sessions = new Crowd<Session>();
  /** Those that are not live yet: a few, where thousands may be live and events come many times a second. */
  #arriving: readonly Session[] = NOBODY;
  readonly #surroundings: RoomSurroundings;
  #flow: Flow = OPEN;
  /** The last event that was handed out; null while none is known. */
  #seq: number | null = null;
  /** Who is on the board, as far as the clients here were told. */
  readonly #online: Map<Uuid, string> | null;
  /** Whether anything was published since `takeActivity` was last called. */
  #active = false;

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
    this.#arriving = [...this.#arriving, session];
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
      if ('text' in held || held.event.seq <= seq) continue;
      if (held.event.seq > seq + 1) return true;
      seq = held.event.seq;
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

  // The names of the topics are made when they are needed: kept, they were 13 bytes of every resting socket.
  get #plainTopic(): string {
    return `plain ${this.boardId}`;
  }

  get #numberedTopic(): string {
    return `numbered ${this.boardId}`;
  }

  takeActivity(): boolean {
    const active = this.#active;
    this.#active = false;
    return active;
  }

  #receiveEvents(message: BoardMessage & { kind: 'events' }): void {
    const [first] = message.events;
    if (first !== undefined && this.#seq !== null && first.seq > this.#seq + 1) {
      void this.#mend(this.#seq, [message]);
      return;
    }
    this.#handOut(message.events);
  }

  #handOut(events: readonly BoardEvent[]): void {
    for (const event of events) {
      if (this.#seq !== null && event.seq <= this.#seq) continue;
      this.#seq = event.seq;
      this.#makeRoomFor(event.json);
      this.#publish(this.#plainTopic, event.json);
      this.#publish(this.#numberedTopic, withSeq(event));
      for (const session of this.#arriving) this.#hold(session, { event });
    }
    for (const session of this.#arriving) this.#goLiveWhenLevel(session);
  }

  /** Messages got lost on their way to this instance: the board's log has them. */
  async #mend(seq: number, waiting: BoardMessage[]): Promise<void> {
    const flow: Mending = { kind: 'mending', waiting, again: true };
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
    this.#publish(this.#plainTopic, text);
    this.#publish(this.#numberedTopic, text);
    for (const session of this.#arriving) {
      const { arrival } = session;
      if (arrival === null) continue;
      if (this.connectionId(session.number) === connectionId) arrival.hasJoined = true;
      // Who came and went before is no news to a client that was not there.
      if (arrival.hasJoined) this.#hold(session, { text });
    }
  }

  /** Events about a column carry its cards, and each client that does not read keeps its own copy in memory. */
  #makeRoomFor(text: string): void {
    // Nearly always: looking at every socket would cost more than sending.
    if (text.length * this.#sessions.size <= MOST_BACKLOG_BYTES / 8) return;
    const lagging = this.#sessions
      .list()
      .map((session) => ({ session, backlog: session.socket.getBufferedAmount() }))
      .filter(({ backlog }) => backlog > 0)
      .sort((a, b) => b.backlog - a.backlog);
    let total = lagging.reduce((sum, { backlog }) => sum + backlog + text.length, 0);
    for (const { session, backlog } of lagging) {
      if (total <= MOST_BACKLOG_BYTES) return;
      total -= backlog + text.length;
      this.#surroundings.endAsTooSlow(session);
    }
  }

  #publish(topic: string, text: string): void {
    this.#active = true;
    this.#surroundings.publisher.publish(topic, text, false, this.#surroundings.compress);
  }

  #hold(session: Session, message: Held): void {
    const { arrival } = session;
    if (arrival === null) return;
    const { held } = arrival;
    if (held.length >= MOST_HELD) held.splice(0, held.length, ...held.filter((each) => 'text' in each));
    held.push(message);
    // Who came and went is in no log.
    if (held.length > MOST_HELD) this.#surroundings.endAsTooSlow(session);
  }

  /** A client ahead of this room (it read the log) must not get from the topic what it already has. */
  #goLiveWhenLevel(session: Session): void {
    const { arrival } = session;
    if (arrival?.step !== 'settled' || (this.#seq ?? 0) < arrival.seq) return;
    if (this.misses(arrival)) return session.end(CLOSE.tryAgainLater);
    for (const held of arrival.held) {
      if ('text' in held) session.send(held.text);
      else if (held.event.seq > arrival.seq) session.sendEvent(held.event);
    }
    session.goLive(session.numbered ? this.#numberedTopic : this.#plainTopic);
    this.#noteArrived(session);
  }

  #noteArrived(session: Session): void {
    if (!this.#arriving.includes(session)) return;
    const others = this.#arriving.filter((each) => each !== session);
    this.#arriving = others.length > 0 ? others : NOBODY;
  }

  #endWhere(close: Close, isMeant: (session: Session) => boolean): void {
    for (const session of this.#sessions.list().filter(isMeant)) session.end(close);
  }
}

function keepWaiting(flow: Mending, message: BoardMessage): void {
  flow.waiting.push(message);
  if (flow.waiting.length <= MOST_HELD) return;
  // Who comes and goes is compared with the owner's list anyway, after whatever made this wait necessary.
  flow.waiting = flow.waiting.filter(({ kind }) => kind !== 'events' && kind !== 'presence');
  flow.again = true;
}

export function renderResync(seq: number): string {
  return `{"type":"resync","seq":${seq}}`;
}
