/**
 * One socket on one board, from handshake to close. Ten thousand of them are idle for hours, so state that only few
 * need, or only briefly, is in `Arrival` or the hub.
 */
import type { WebSocket } from 'uWebSockets.js';
import { renderPosition, withSeq, type BoardEvent, type LargeEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { Position } from '../domain/position.js';
import type { Connection } from '../domain/ports/presence.js';
import type { PublicUser } from '../domain/user.js';
import type { Close } from '../api/closeCodes.js';
import { hangUp } from './hangUp.js';
import { isDrained } from './slowClients.js';

/** The data of each socket in uWebSockets; the session is created when the client is identified. */
export interface SocketData {
  /** `TAKEN` once it was read: a token is longer than everything else kept for a socket. */
  request: SocketRequest;
  session: Session | null;
  /** A closed socket must not be used. */
  closed: boolean;
}

/** The request in the address of the connection. */
export interface SocketRequest {
  /** Null if it is not an id. */
  readonly boardId: Uuid | null;
  readonly token: string | null;
  readonly since: Since;
}

export const TAKEN: SocketRequest = { boardId: null, token: null, since: { kind: 'unnumbered' } };

/** The events that a client wants first, and whether it wants numbers. */
export type Since =
  | { readonly kind: 'unnumbered' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'after'; readonly position: Position }
  | { readonly kind: 'invalid' };

/** A message for a client that is not live. A client with numbers gets `resync` for a large event. */
export type Held =
  | { readonly kind: 'event'; readonly event: BoardEvent }
  | { readonly kind: 'large'; readonly event: LargeEvent }
  | { readonly kind: 'resync'; readonly seq: number }
  | { readonly kind: 'presence'; readonly text: string };

/** Null for a message without a number. */
export function seqOf(held: Held): number | null {
  switch (held.kind) {
    case 'event':
    case 'large':
      return held.event.seq;
    case 'resync':
      return held.seq;
    case 'presence':
      return null;
  }
}

/**
 * A client that is not live: it is connecting, or was taken off the topic for a large event. Messages of the board are
 * held for it.
 */
export class Arrival {
  /**
   * `checking`: identity and access are being checked. `catching up`: missed events are being sent. `settled`: the
   * client has all missed events and waits until the room reaches the same number.
   */
  step: 'checking' | 'catching up' | 'settled' = 'checking';
  /** A large message is being sent in slices: nothing may be sent before its end. */
  isReceiving = false;
  readonly held: Held[] = [];
  /** The number of the last event that was sent. */
  seq = 0;
  /** Whether the client's own join was published. */
  hasJoined = false;
  onDrain: () => void = () => undefined;

  /** For a client that was live: it has everything up to this number. */
  static ofLive(seq: number): Arrival {
    const arrival = new Arrival();
    arrival.step = 'settled';
    arrival.seq = seq;
    arrival.hasJoined = true;
    return arrival;
  }
}

/** `live`: subscribed to the board's topic, so uWebSockets delivers directly. */
export type SessionState = Arrival | 'live' | 'ended';

/** The board of a session: one object for all its sessions, so that none stores an id. */
export interface SessionBoard {
  readonly boardId: Uuid;
  /** To which the numbers of its events belong. */
  readonly epoch: string;
  connectionId(number: number): number;
}

export interface SessionOptions {
  readonly place: SessionBoard;
  readonly user: Pick<PublicUser, 'id' | 'username'>;
  /** Unique in this instance. */
  readonly number: number;
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt: number;
  readonly numbered: boolean;
}

export class Session {
  readonly socket: WebSocket<SocketData>;
  readonly place: SessionBoard;
  readonly user: SessionOptions['user'];
  readonly number: number;
  readonly expiresAt: number;
  readonly numbered: boolean;
  state: SessionState = new Arrival();

  constructor(socket: WebSocket<SocketData>, { place, user, number, expiresAt, numbered }: SessionOptions) {
    this.socket = socket;
    this.place = place;
    this.user = user;
    this.number = number;
    this.expiresAt = expiresAt;
    this.numbered = numbered;
  }

  get connection(): Connection {
    const { id: user_id, username } = this.user;
    return { id: this.place.connectionId(this.number), board_id: this.place.boardId, user_id, username };
  }

  /** Null if it is live or has ended. */
  get arrival(): Arrival | null {
    return this.state instanceof Arrival ? this.state : null;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  /** Whether a large message is being sent to it. */
  get isReceiving(): boolean {
    return this.state instanceof Arrival && this.state.isReceiving;
  }

  /** Whether the board's presence includes this socket. */
  get isPresent(): boolean {
    return this.state instanceof Arrival ? this.state.step !== 'checking' : this.state === 'live';
  }

  sendEvent(event: BoardEvent): void {
    if (this.state instanceof Arrival) this.state.seq = event.seq;
    this.send(this.numbered ? withSeq(event, this.place.epoch) : event.json);
  }

  sendResync(seq: number): void {
    if (this.state instanceof Arrival) this.state.seq = seq;
    this.send(renderResync({ epoch: this.place.epoch, seq }));
  }

  send(text: string): void {
    if (!this.isEnded) this.socket.send(text);
  }

  goLive(topic: string): void {
    if (this.isEnded) return;
    this.socket.subscribe(topic);
    this.state = 'live';
  }

  /** From here on messages are held for it. */
  leaveTopic(topic: string, seq: number): void {
    this.socket.unsubscribe(topic);
    this.state = Arrival.ofLive(seq);
  }

  /** Whether the socket has taken most of what was sent, or has ended. */
  get isDrained(): boolean {
    return this.isEnded || isDrained(this.socket.getBufferedAmount());
  }

  /** Resolves when `isDrained` is true. */
  async drained(arrival: Arrival): Promise<void> {
    while (!this.isDrained) {
      await new Promise<void>((resolve) => {
        arrival.onDrain = resolve;
      });
    }
  }

  /**
   * One turn later: bytes sent inside uWebSockets' drain handler that do not fit the system's buffer are never sent
   * (seen with v20.49), because the socket is no longer watched for room.
   */
  noteDrain(): void {
    if (this.state instanceof Arrival) setImmediate(this.state.onDrain);
  }

  noteEnd(): void {
    const { arrival } = this;
    this.state = 'ended';
    arrival?.onDrain();
  }

  /** The close handler runs before this returns. */
  end(close: Close): void {
    if (!this.isEnded) hangUp(this.socket, close);
  }
}

/** For clients with numbers: read the board again; events after this number follow. */
export function renderResync(position: Position): string {
  return `{"type":"resync",${renderPosition(position)}}`;
}
