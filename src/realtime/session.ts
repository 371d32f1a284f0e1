/**
 * One socket on one board, from its handshake to its end. Ten thousand of them rest for hours: what only few need, or
 * for a moment, is in `Arrival` or with the hub.
 */
import type { WebSocket } from 'uWebSockets.js';
import type { BoardEvent } from '../domain/events.js';
import { withSeq } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { Connection } from '../domain/presence.js';
import type { PublicUser } from '../domain/user.js';
import type { Close } from '../api/closeCodes.js';

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

/** A message on its way to a client that is not live yet. */
export type Held = { readonly event: BoardEvent } | { readonly text: string };

/** A client on its way from the handshake to being live. Messages of the board are held back for it. */
export class Arrival {
  /**
   * `checking`: who is it, and may they? `catching up`: they may; what they missed is being sent. `settled`: they have
   * all that they missed and wait for the board's messages to come level with it.
   */
  step: 'checking' | 'catching up' | 'settled' = 'checking';
  readonly held: Held[] = [];
  /** The last event that was sent. */
  seq = 0;
  /** Whether the client's own arrival was announced. */
  hasJoined = false;
  onDrain: () => void = () => undefined;
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

  /** Whether the board knows of this socket. */
  get isPresent(): boolean {
    return this.state instanceof Arrival ? this.state.step !== 'checking' : this.state === 'live';
  }

  sendEvent(event: BoardEvent): void {
    if (this.state instanceof Arrival) this.state.seq = event.seq;
    this.send(this.numbered ? withSeq(event) : event.json);
  }

  send(text: string): void {
    if (!this.isEnded) this.socket.send(text);
  }

  goLive(topic: string): void {
    if (this.isEnded) return;
    this.socket.subscribe(topic);
    this.state = 'live';
  }

  /** Resolves when the socket has taken most of what was sent, or has ended. */
  async drained(arrival: Arrival): Promise<void> {
    while (!this.isEnded && this.socket.getBufferedAmount() > DRAINED_BYTES) {
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
  end({ code, reason }: Close): void {
    if (!this.isEnded) this.socket.end(code, reason);
  }
}
