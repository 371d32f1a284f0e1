/** The sockets of this instance on one board. Delivers the board's messages in order, each once. */
import type { BoardMessage, Signal } from '../bus/bus.js';
import type { NewRole } from '../domain/commands/decide.js';
import { AppError } from '../domain/errors.js';
import { isLarge, isSentUnnumbered, withBoard, withSeq, type BoardEvent, type LargeEvent, type PublishedEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import { FIRST_EPOCH, type Position } from '../domain/position.js';
import type { MissedEvents } from '../domain/ports/eventLog.js';
import { NO_CONNECTION, renderPresence, renderState, type ConnectionState, type OnlineUser, type PresenceMessage } from '../domain/ports/presence.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import type { WebSocket } from 'uWebSockets.js';
import { Arrivals, type ArrivalsOptions } from './delivery/arrivals.js';
import { KnownPresence } from './entry/knownPresence.js';
import type { Audience, Backlog } from './delivery/backlog.js';
import { CompactSet, type ReadonlyCompactSet } from '../flow/compactSet.js';
import { sizeUp } from './delivery/eventSize.js';
import { type Arrival, type Client, type Held, renderResync, seqOf, type Follower, type RoomPlace, type SocketData } from './socket/follower.js';
import { onBoard, renderSharedResync } from './socket/sharedSocket.js';
import { deliveryOfLarge } from './delivery/slowClients.js';
import { toSent } from '../flow/sentText.js';

/** Messages that wait while events are missing. Beyond this, events are dropped and read from the log. */
const MAX_WAITING_MESSAGES = 1_000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Delay between reads of the log while the owner of a board is being replaced. */
const RETRY_READ_MS = 250;
/** uWebSockets collects what one write takes in a buffer of 16 KiB. */
const MAX_CHARACTERS_IN_WRITE = 12 * 1024;

/** Sends one message to every socket that subscribed to a topic. */
export interface Publisher {
  publish(topic: string, message: string | Uint8Array, isBinary: boolean, compress: boolean): unknown;
}

/** Shared by all rooms of an instance. */
export interface RoomHost extends ArrivalsOptions {
  readonly publisher: Publisher;
  readonly compress: boolean;
  /** The first connection id of this instance. */
  readonly firstConnectionId: number;
  readonly isOwnConnection: (connectionId: number) => boolean;
  /** Whether a board may deliver one more signal to this many receivers now. */
  readonly allowSignal: (boardId: Uuid, receivers: number) => boolean;
  /** Whether messages can get lost on their way here. If not, presence need not be remembered for a comparison. */
  readonly remembersPresence: boolean;
  /** Reads from the board's log. */
  readonly readEvents: (boardId: Uuid, since: Position) => Promise<MissedEvents>;
  readonly onError: (boardId: Uuid, error: unknown) => void;
  readonly backlog: Backlog;
}

/** While events are missing, later messages wait. `again`: the log may have grown since it was read. */
type Flow = { readonly kind: 'open' } | Mending;

interface Mending {
  readonly kind: 'mending';
  waiting: BoardMessage[];
  waitingBytes: number;
  again: boolean;
}

const OPEN: Flow = { kind: 'open' };
const NO_FOLLOWERS: readonly Follower[] = [];

export class Room implements RoomPlace, Audience {
  readonly boardId: Uuid;
  readonly #followers = new CompactSet<Follower>();
  /** Clients that are not live yet: few, while thousands may be live and events come many times a second. */
  #arrivals: Arrivals | null = null;
  readonly #host: RoomHost;
  #flow: Flow = OPEN;
  /** The number of the last delivered event; null while unknown. */
  #seq: number | null = null;
  /** To which the numbers belong; null while unknown. */
  #epoch: string | null = null;
  readonly #known: KnownPresence | null;
  /** Live followers that are on no topic; null for none. */
  #streams: CompactSet<Follower> | null = null;
  /** How many followers are on sockets for several boards: without one, their messages need not be rendered. */
  #shared = 0;

  constructor(boardId: Uuid, host: RoomHost) {
    this.boardId = boardId;
    this.#host = host;
    this.#known = host.remembersPresence ? new KnownPresence() : null;
  }

  get followers(): ReadonlyCompactSet<Follower> {
    return this.#followers;
  }

  get clients(): Iterable<Client> {
    return clientsOf(this.#followers);
  }

  includes(client: Client): boolean {
    return client.isOn(this);
  }

  get epoch(): string {
    return this.#epoch ?? FIRST_EPOCH;
  }

  /** The board is at this position. In a new epoch its numbers have another meaning, and every client reads it again. */
  noteEpoch(position: Position): void {
    const isNew = this.#epoch !== null && this.#epoch !== position.epoch;
    this.#epoch = position.epoch;
    if (isNew) this.#resyncAll(position.seq);
  }

  connectionId(number: number): number {
    return this.#host.firstConnectionId + number;
  }

  /** From here on every message of the board is held for the follower or sent to it. */
  enter(follower: Follower): void {
    this.#followers.add(follower);
    if (follower.form === 'shared') this.#shared += 1;
    this.#noteArriving(follower);
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (follower.form === 'shared') this.#shared -= 1;
    this.#streams?.delete(follower);
    // Otherwise the socket is closed, or was on no topic yet.
    if (follower.state === 'live') this.#unsubscribe(follower);
    this.#noteArrived(follower);
  }

  receive(message: BoardMessage): void {
    // A signal that waited would be of no use, and would take the place of messages that must wait.
    if (message.kind === 'signal') return this.#deliverSignal(message.signal);
    if (this.#flow.kind === 'mending') return keepWaiting(this.#flow, message);
    switch (message.kind) {
      case 'events':
        return this.#receiveEvents(message);
      case 'presence':
        return this.#announce(message.connection_id, message.message);
      case 'state':
        return this.#announceState(message.change);
      case 'left':
        return this.#endWhere(refused('No longer a member'), ({ client }) => message.user_ids.includes(client.user.id));
      case 'roles':
        return this.#noteRoles(message.roles);
      case 'gone':
        return this.#endWhere(CLOSE.boardDeleted, () => true);
    }
  }

  #noteRoles(roles: readonly NewRole[]): void {
    for (const follower of this.#followers) {
      const changed = roles.find(({ user_id }) => user_id === follower.client.user.id);
      if (changed !== undefined) follower.noteRole(changed.role);
    }
  }

  /** The client has all missed events: from here on it gets live messages. */
  settle(follower: Follower): void {
    const { arrival } = follower;
    if (arrival === null) return;
    this.#seq ??= arrival.seq;
    arrival.step = 'settled';
    this.#goLiveWhenLevel(follower);
  }

  /** Whether delivered events are neither sent to the client nor held for it. */
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

  /** The last events may have been lost, and no later number reveals that. */
  check(): void {
    if (this.#flow.kind === 'mending') this.#flow.again = true;
    else if (this.#seq !== null) void this.#mend(this.#seq, []);
  }

  /** Publishes joins and leaves whose messages were lost. */
  reconcile(online: readonly OnlineUser[]): void {
    for (const message of this.#known?.missedPresence(online) ?? []) this.#announce(NO_CONNECTION, message);
  }

  /** Publishes states whose messages were lost. */
  reconcileStates(states: readonly ConnectionState[]): void {
    for (const change of this.#known?.missedStates(states) ?? []) this.#announceState(change);
  }

  /** The states from before this room was opened. */
  noteStates(states: readonly ConnectionState[]): void {
    for (const each of states) this.#known?.noteState(each);
  }

  /** Sends a message of a client here to the others here. */
  signal(follower: Follower, text: string): void {
    this.#host.backlog.makeRoom(this, text.length, this.#shared);
    if (follower.state === 'live') socketOf(follower).publish(this.#sharedTopic, toSent(text), false, this.#host.compress);
    else this.#publish(this.#sharedTopic, text);
  }

  /** The users who were online before this room was opened. */
  noteOnline(online: readonly OnlineUser[]): void {
    for (const user of online) this.#known?.note({ type: 'user_joined', ...user });
  }

  /** Called before bytes are sent to a single client. */
  makeRoomFor(bytes: number): void {
    this.#host.backlog.makeRoom(this, bytes, 1);
  }

  // Topic names are computed when needed: stored, they took 13 bytes of every idle socket.
  get #plainTopic(): string {
    return `plain ${this.boardId}`;
  }

  get #numberedTopic(): string {
    return `numbered ${this.boardId}`;
  }

  get #sharedTopic(): string {
    return `shared ${this.boardId}`;
  }

  #topicOf({ form }: Follower): string {
    return `${form} ${this.boardId}`;
  }

  #receiveEvents(message: BoardMessage & { kind: 'events' }): void {
    const [first] = message.events;
    if (first !== undefined) this.noteEpoch({ epoch: message.epoch, seq: first.seq - 1 });
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
      const sized = sizeUp(event, this.#followers.size);
      if (isLarge(sized)) this.#handOutLarge(sized);
      else this.#handOutSmall(sized);
    }
    for (const follower of this.#arrivals ?? NO_FOLLOWERS) this.#goLiveWhenLevel(follower);
  }

  #handOutSmall(event: BoardEvent): void {
    this.#host.backlog.makeRoom(this, Buffer.byteLength(event.json), this.#followers.size);
    if (isSentUnnumbered(event)) this.#publish(this.#plainTopic, event.json);
    this.#publish(this.#numberedTopic, withSeq(event, this.epoch));
    if (this.#shared > 0) this.#publish(this.#sharedTopic, withBoard(event, this.boardId, this.epoch));
    for (const follower of this.#streams?.list() ?? NO_FOLLOWERS) follower.sendEvent(event);
    const held: Held = { kind: 'event', event };
    this.#arrivals?.hold(() => held);
  }

  /** As `deliveryOfLarge` decides: topics with numbers get `resync`, the other clients leave their topic. */
  #handOutLarge(event: LargeEvent): void {
    this.#publishResync(event.seq);
    for (const follower of this.#followers) {
      if (follower.state !== 'live' || deliveryOfLarge(follower.numbered) === 'resync') continue;
      this.#unsubscribe(follower);
      follower.leaveLive(event.seq - 1);
      this.#noteArriving(follower);
    }
    const resync: Held = { kind: 'resync', seq: event.seq };
    const large: Held = { kind: 'large', event };
    this.#arrivals?.hold(({ numbered }) => (deliveryOfLarge(numbered) === 'resync' ? resync : large));
  }

  /** Messages were lost on their way to this instance: reads them from the board's log. */
  async #mend(seq: number, waiting: BoardMessage[]): Promise<void> {
    const flow: Mending = { kind: 'mending', waiting, waitingBytes: 0, again: true };
    this.#flow = flow;
    try {
      for (let known = seq; flow.again;) {
        flow.again = false;
        const missed = await this.#readMissed(known);
        if (missed === null) return;
        if (missed.epoch !== this.epoch) {
          this.noteEpoch(missed);
          known = missed.seq;
          continue;
        }
        // A log never shrinks at its end: the board was deleted.
        if (missed.seq < known) return this.#endWhere(CLOSE.boardDeleted, () => true);
        if (missed.resync) this.#resyncAll(missed.seq);
        else this.#handOut(missed.events);
        known = missed.resync ? missed.seq : (missed.events.at(-1)?.seq ?? known);
        flow.again ||= known < missed.seq;
      }
    } catch (error) {
      // No client may continue with a gap. Clients with numbers get the rest when they reconnect.
      this.#host.onError(this.boardId, error);
      this.#seq = null;
      this.#flow = OPEN;
      this.#endWhere(CLOSE.tryAgainLater, () => true);
      return;
    }
    this.#flow = OPEN;
    for (const each of flow.waiting) this.receive(each);
  }

  /** Retries while the board is out of reach; null if no client is left. */
  async #readMissed(seq: number): Promise<MissedEvents | null> {
    while (this.#followers.size > 0) {
      try {
        return await this.#host.readEvents(this.boardId, { epoch: this.epoch, seq });
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_READ_MS).unref());
    }
    return null;
  }

  #resyncAll(seq: number): void {
    this.#seq = seq;
    this.#publishResync(seq);
    // A client without numbers cannot learn what it missed, and one that is not live may have read only a part: both
    // must reconnect.
    this.#endWhere(CLOSE.tryAgainLater, ({ numbered, state }) => !numbered || state !== 'live');
  }

  #announce(connectionId: number, message: PresenceMessage): void {
    this.#known?.note(message);
    const text = renderPresence(message);
    this.#host.backlog.makeRoom(this, text.length, this.#followers.size);
    this.#publish(this.#plainTopic, text);
    this.#publish(this.#numberedTopic, text);
    if (this.#shared > 0) this.#publish(this.#sharedTopic, onBoard(this.boardId, text));
    for (const follower of this.#arrivals ?? NO_FOLLOWERS) {
      if (follower.arrival !== null && follower.connectionId === connectionId) follower.arrival.hasJoined = true;
    }
    const held: Held = { kind: 'presence', text };
    this.#arrivals?.hold(({ form }) => (form === 'stream' ? null : held));
  }

  #announceState(change: ConnectionState): void {
    this.#known?.noteState(change);
    if (this.#shared === 0) return;
    const text = renderState(change);
    this.#host.backlog.makeRoom(this, text.length, this.#shared);
    this.#publish(this.#sharedTopic, onBoard(this.boardId, text));
    const held: Held = { kind: 'presence', text, stateOf: change.connection_id };
    this.#arrivals?.hold(({ form }) => (form === 'shared' ? held : null));
  }

  /** From another instance: clients here were served by `signal`. */
  #deliverSignal(signal: Signal): void {
    if (this.#shared === 0 || this.#host.isOwnConnection(signal.connection_id)) return;
    if (!this.#host.allowSignal(this.boardId, this.#shared)) return;
    const text = renderSignal(this.boardId, signal);
    this.#host.backlog.makeRoom(this, text.length, this.#shared);
    this.#publish(this.#sharedTopic, text);
  }

  #publishResync(seq: number): void {
    this.#publish(this.#numberedTopic, renderResync({ epoch: this.epoch, seq }));
    if (this.#shared > 0) this.#publish(this.#sharedTopic, renderSharedResync(this, seq));
    for (const follower of this.#streams?.list() ?? NO_FOLLOWERS) follower.sendResync(seq);
  }

  #publish(topic: string, text: string): void {
    this.#host.publisher.publish(topic, toSent(text), false, this.#host.compress);
  }

  /** A client that read ahead from the log must not get the same events from the topic. */
  #goLiveWhenLevel(follower: Follower): void {
    const { arrival } = follower;
    if (arrival?.step !== 'settled' || arrival.isReceiving || (this.#seq ?? 0) < arrival.seq) return;
    if (this.misses(arrival)) return follower.end(CLOSE.tryAgainLater);
    for (let next = arrival.held.shift(); next !== undefined; next = arrival.held.shift()) {
      if (!follower.isDrained) {
        // Held messages are shared; messages sent to a client that does not read would be a copy each.
        arrival.held.unshift(next);
        arrival.onDrain = () => this.#goLiveWhenLevel(follower);
        return;
      }
      const isKnown = (seqOf(next) ?? Infinity) <= arrival.seq;
      if (isKnown) this.#arrivals?.forgo(follower, next);
      else if (next.kind === 'large') return this.#deliver(follower, arrival, next.event);
      else if (next.kind === 'presence') follower.sendPresence([next.text, ...takePresence(arrival.held)]);
      else this.#sendHeld(follower, next);
      // The client may have been the slowest and was disconnected to make room.
      if (follower.isEnded) return;
    }
    this.#goLive(follower);
    this.#noteArrived(follower);
  }

  #goLive(follower: Follower): void {
    if (follower.isEnded) return;
    if (follower.form === 'stream') (this.#streams ??= new CompactSet()).add(follower);
    else socketOf(follower).subscribe(this.#topicOf(follower));
    follower.goLive();
  }

  #unsubscribe(follower: Follower): void {
    if (follower.form !== 'stream') socketOf(follower).unsubscribe(this.#topicOf(follower));
  }

  #sendHeld(follower: Follower, held: Extract<Held, { kind: 'event' | 'resync' }>): void {
    if (held.kind === 'resync') return follower.sendResync(held.seq);
    this.makeRoomFor(Buffer.byteLength(held.event.json));
    follower.sendEvent(held.event);
  }

  /** Afterwards the client continues with the messages held meanwhile. */
  #deliver(follower: Follower, arrival: Arrival, { seq, bytes }: LargeEvent): void {
    arrival.seq = seq;
    this.#host.deliveries.deliver(follower, arrival, bytes, () => this.#goLiveWhenLevel(follower));
  }

  #noteArriving(follower: Follower): void {
    this.#arrivals ??= new Arrivals(this.#host);
    this.#arrivals.add(follower);
  }

  #noteArrived(follower: Follower): void {
    this.#arrivals?.delete(follower);
    if (this.#arrivals?.size === 0) this.#arrivals = null;
  }

  #endWhere(close: Close, isMeant: (follower: Follower) => boolean): void {
    for (const follower of this.#followers.list().filter(isMeant)) follower.end(close);
  }
}

/** Every form but `stream` has one. */
function socketOf({ client }: Follower): WebSocket<SocketData> {
  return client.socket as WebSocket<SocketData>;
}

/** Takes presence from the head of the held messages, as much as fits into one write. */
function takePresence(held: Held[]): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (let next = held[0]; next?.kind === 'presence'; next = held[0]) {
    characters += next.text.length;
    if (texts.length > 0 && characters > MAX_CHARACTERS_IN_WRITE) break;
    texts.push(next.text);
    held.shift();
  }
  return texts;
}

function* clientsOf(followers: Iterable<Follower>): Iterable<Client> {
  for (const { client } of followers) yield client;
}

export function renderSignal(boardId: Uuid, { user_id, connection_id, data }: Signal): string {
  const sender = `"user_id":"${user_id}","connection_id":${connection_id}`;
  return `{"board_id":"${boardId}","type":"signal",${sender},"data":${data}}`;
}

function keepWaiting(flow: Mending, message: BoardMessage): void {
  flow.waiting.push(message);
  flow.waitingBytes += sizeOf(message);
  if (flow.waiting.length <= MAX_WAITING_MESSAGES && flow.waitingBytes <= MAX_WAITING_BYTES) return;
  // Presence is compared with the owner's list anyway, after the cause of this wait.
  flow.waiting = flow.waiting.filter(({ kind }) => kind === 'left' || kind === 'roles' || kind === 'gone');
  flow.waitingBytes = 0;
  flow.again = true;
}

function sizeOf(message: BoardMessage): number {
  if (message.kind !== 'events') return 0;
  return message.events.reduce((sum, event) => sum + (isLarge(event) ? event.bytes.byteLength : event.json.length), 0);
}
