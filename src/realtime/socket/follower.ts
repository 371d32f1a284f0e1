/**
 * A client on one board, from its request to follow the board until it leaves. Ten thousand of them are idle for hours,
 * so state that only few need, or only briefly, is in `Arrival` or the hub.
 */
import type { BoardEvent, LargeEvent } from '../../domain/events.js';
import { renderPosition } from '../../domain/events.js';
import type { Uuid } from '../../domain/ids.js';
import type { Role } from '../../domain/model.js';
import type { Position } from '../../domain/position.js';
import type { JoinDetails, Connection } from '../../domain/ports/presence.js';
import type { Close } from '../../api/closeCodes.js';
import type { VerifiedToken } from '../../auth/tokens.js';
import type { PublicUser } from '../../domain/account/user.js';
import type { MessageForm } from '../delivery/messageForm.js';
import { isDrained } from '../delivery/slowClients.js';
import { toSent } from '../../flow/sentText.js';

/** Where messages to a client go: a WebSocket, or a stream. */
export interface MessageSink {
  send(text: string | Uint8Array): unknown;
  getBufferedAmount(): number;
}

/** The token of a socket. It expires later if its session was refreshed. */
export type SocketToken = Pick<VerifiedToken, 'sessionId' | 'issuedAt' | 'expiresAt' | 'key'>;

export type SocketUser = Pick<PublicUser, 'id' | 'username'>;

/** One open socket or stream, as the hub sees it. It follows one board or several. */
export interface Client {
  readonly socket: MessageSink;
  readonly user: SocketUser;
  /** Unique in this instance. */
  readonly number: number;
  /** What it was admitted or last renewed with. */
  token: SocketToken;
  /** The boards that it follows. */
  readonly followers: Iterable<Follower>;
  /** Whether a large message is being sent to it: nothing may be sent before its end. */
  readonly isReceiving: boolean;
  /** Whether it may be sent anything. */
  readonly isAdmitted: boolean;
  /** The message that the client must answer with a pong, if it answers pings. */
  readonly ping: string;
  readonly answersPings: boolean;
  isOn(place: RoomPlace): boolean;
  /** The socket took unsent data. */
  noteDrain(): void;
  /** The socket is closed. */
  noteEnd(): void;
  /** Closes the socket; its close handler runs before this returns. */
  hangUp(close: Close): void;
}

/** The data of each socket in uWebSockets; the client is created when its user is identified. */
export interface SocketData {
  /** `TAKEN` once it was read: a token is longer than everything else kept for a socket. */
  request: SocketRequest;
  /** Whether the socket is for several boards. */
  readonly isShared: boolean;
  client: Client | null;
  /** A closed socket must not be used. */
  closed: boolean;
}

/** The request in the address of the connection. */
export type SocketRequest =
  | {
      readonly kind: 'board';
      /** Null if it is not an id. */
      readonly boardId: Uuid | null;
      readonly token: string | null;
      readonly since: Since;
    }
  /** For any number of boards, which the client names later. */
  | { readonly kind: 'shared'; readonly token: string | null };

export const TAKEN: SocketRequest = { kind: 'shared', token: null };

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
  /** Presence, or the state of this connection. */
  | { readonly kind: 'presence'; readonly text: string; readonly stateOf?: number };

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

/** `live`: gets each message of the board at once; a WebSocket by the board's topic. */
export type FollowerState = Arrival | 'live' | 'ended';

/** The board of a follower: one object for all its followers, so that none stores an id. */
export interface RoomPlace {
  readonly boardId: Uuid;
  /** To which the numbers of its events belong. */
  readonly epoch: string;
  connectionId(number: number): number;
}

export abstract class Follower {
  readonly place: RoomPlace;
  /** Unique in this instance. */
  readonly number: number;
  state: FollowerState = new Arrival();

  constructor(place: RoomPlace, number: number) {
    this.place = place;
    this.number = number;
  }

  abstract get client(): Client;
  abstract get form(): MessageForm;

  abstract sendEvent(event: BoardEvent): void;
  abstract sendResync(seq: number): void;
  /**
   * Presence, or states of connections, as `renderPresence` and `renderState` write them; in one write to the system,
   * because of a hundred clients that arrive together each hears of all the others.
   */
  abstract sendPresence(texts: readonly string[]): void;
  /** The client was admitted; the missed events follow. `attendance` is known for the form `shared` only. */
  abstract noteJoined(joined: Position & JoinDetails): void;
  /** The user’s role on the board. Only what a client sends depends on it. */
  noteRole(_role: Role): void {}

  /** The client no longer follows the board. */
  abstract end(close: Close): void;

  get numbered(): boolean {
    return this.form !== 'plain';
  }

  get connection(): Connection {
    const { id: user_id, username } = this.client.user;
    return { id: this.connectionId, board_id: this.place.boardId, user_id, username };
  }

  get connectionId(): number {
    return this.place.connectionId(this.number);
  }

  /** Null if it is live or has ended. */
  get arrival(): Arrival | null {
    return this.state instanceof Arrival ? this.state : null;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  /** Whether the board's presence includes this client. */
  get isPresent(): boolean {
    return this.state instanceof Arrival ? this.state.step !== 'checking' : this.state === 'live';
  }

  send(text: string): void {
    if (!this.isEnded) this.client.socket.send(toSent(text));
  }

  /** From here on the room delivers to it directly. */
  goLive(): void {
    if (!this.isEnded) this.state = 'live';
  }

  /** From here on messages are held for it. */
  leaveLive(seq: number): void {
    this.state = Arrival.ofLive(seq);
  }

  /** Whether the socket has taken most of what was sent, or the follower has ended. */
  get isDrained(): boolean {
    return this.isEnded || isDrained(this.client.socket.getBufferedAmount());
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

  protected noteSent(seq: number): void {
    if (this.state instanceof Arrival) this.state.seq = seq;
  }
}

/** For clients with numbers: read the board again; events after this number follow. */
export function renderResync(position: Position): string {
  return `{"type":"resync",${renderPosition(position)}}`;
}
