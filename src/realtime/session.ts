/**
 * One socket on one board, from its handshake to its end. Ten thousand of them rest for hours: what only few need, or
 * for a moment, is in `Arrival` or with the hub.
 */
import type { WebSocket } from 'uWebSockets.js';
import { withSeq, type BoardEvent, type LargeEvent } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { Connection } from '../domain/ports/presence.js';
import type { PublicUser } from '../domain/user.js';
import type { Close } from '../api/closeCodes.js';
import { hangUp } from './hangUp.js';

/** A client that is catching up is given the next event when it has taken all but this of those before. */
const DRAINED_BYTES = 64 * 1024;

/** What uWebSockets keeps for each socket; the session is made when the client is known. */
export interface SocketData {
  /** `TAKEN` as soon as it was read: a token is longer than all that is kept of a socket. */
  request: SocketRequest;
  session: Session | null;
  /** A closed socket may not be touched any more. */
  closed: boolean;
}

/** What the client asked for in the address that it connected to. */
export interface SocketRequest {
  /** Null when it is no id. */
  readonly boardId: Uuid | null;
  readonly token: string | null;
  readonly since: Since;
}

export const TAKEN: SocketRequest = { boardId: null, token: null, since: { kind: 'unnumbered' } };

/** Which events a client wants first, and whether it wants their numbers. */
export type Since =
  | { readonly kind: 'unnumbered' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'after'; readonly seq: number }
  | { readonly kind: 'invalid' };

/** A message on its way to a client that is not live. A client with numbers gets a `resync` for a large event. */
export type Held =
  | { readonly kind: 'event'; readonly event: BoardEvent }
  | { readonly kind: 'large'; readonly event: LargeEvent }
  | { readonly kind: 'resync'; readonly seq: number }
  | { readonly kind: 'presence'; readonly text: string };

/** Null for what has no number. */
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
 * A client that is not live: on its way from the handshake, or taken off the topic for a large event. Messages of the
 * board are held back for it.
 */
export class Arrival {
  /**
   * `checking`: who is it, and may they? `catching up`: they may; what they missed is being sent. `settled`: they have
   * all that they missed and wait for the board's messages to come level with it.
   */
  step: 'checking' | 'catching up' | 'settled' = 'checking';
  /** A large message is on its way in slices: nothing may be sent before its end. */
  isReceiving = false;
  readonly held: Held[] = [];
  /** The last event that was sent. */
  seq = 0;
  /** Whether the client's own arrival was announced. */
  hasJoined = false;
  onDrain: () => void = () => undefined;

  /** Of a client that was live: it has everything up to the event with this number. */
  static ofLive(seq: number): Arrival {
    const arrival = new Arrival();
    arrival.step = 'settled';
    arrival.seq = seq;
    arrival.hasJoined = true;
    return arrival;
  }
}

/** `live`: subscribed to the board's topic, so that uWebSockets delivers without us. */
export type SessionState = Arrival | 'live' | 'ended';

/** The board that a session is on: one object for all sessions there, so that none has an id of its own to keep. */
export interface Place {
  readonly boardId: Uuid;
  connectionId(number: number): number;
}

export interface SessionOptions {
  readonly place: Place;
  readonly user: Pick<PublicUser, 'id' | 'username'>;
  /** Of all sessions of this instance, none has the same. */
  readonly number: number;
  /** When the token ends, in seconds since the epoch. */
  readonly expiresAt: number;
  readonly numbered: boolean;
}

export class Session {
  readonly socket: WebSocket<SocketData>;
  readonly place: Place;
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

  /** Null when it is live, or has ended. */
  get arrival(): Arrival | null {
    return this.state instanceof Arrival ? this.state : null;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  /** Whether it is in the middle of a large message. */
  get isReceiving(): boolean {
    return this.state instanceof Arrival && this.state.isReceiving;
  }

  /** Whether the board knows of this socket. */
  get isPresent(): boolean {
    return this.state instanceof Arrival ? this.state.step !== 'checking' : this.state === 'live';
  }

  sendEvent(event: BoardEvent): void {
    if (this.state instanceof Arrival) this.state.seq = event.seq;
    this.send(this.numbered ? withSeq(event) : event.json);
  }

  sendResync(seq: number): void {
    if (this.state instanceof Arrival) this.state.seq = seq;
    this.send(renderResync(seq));
  }

  send(text: string): void {
    if (!this.isEnded) this.socket.send(text);
  }

  goLive(topic: string): void {
    if (this.isEnded) return;
    this.socket.subscribe(topic);
    this.state = 'live';
  }

  /** From here on messages are held back for it. */
  leaveTopic(topic: string, seq: number): void {
    this.socket.unsubscribe(topic);
    this.state = Arrival.ofLive(seq);
  }

  /** Whether the socket has taken most of what was sent, or has ended. */
  get isDrained(): boolean {
    return this.isEnded || this.socket.getBufferedAmount() <= DRAINED_BYTES;
  }

  /** Resolves when it is so. */
  async drained(arrival: Arrival): Promise<void> {
    while (!this.isDrained) {
      await new Promise<void>((resolve) => {
        arrival.onDrain = resolve;
      });
    }
  }

  /**
   * A turn later, because what is sent from inside uWebSockets' drain handler and does not fit the system's buffer is
   * never sent at all (seen with v20.49): the socket is no longer watched for room.
   */
  noteDrain(): void {
    if (this.state instanceof Arrival) setImmediate(this.state.onDrain);
  }

  noteEnd(): void {
    const { arrival } = this;
    this.state = 'ended';
    arrival?.onDrain();
  }

  /** The close handler follows at once. */
  end(close: Close): void {
    if (!this.isEnded) hangUp(this.socket, close);
  }
}

/** For clients with numbers: read the board anew, events after this one follow. */
export function renderResync(seq: number): string {
  return `{"type":"resync","seq":${seq}}`;
}
