/** One socket on one board, from its handshake to its end. */
import type { WebSocket } from 'uWebSockets.js';
import type { BoardEvent } from '../domain/events.js';
import { withSeq } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';
import type { Connection } from '../domain/presence.js';
import type { Close } from '../api/closeCodes.js';

/** A client that is catching up is given the next event when it has taken all but this of those before. */
const DRAINED_BYTES = 64 * 1024;

/** What uWebSockets keeps for each socket; the session is made when the socket opens. */
export interface SocketData {
  /** `ANSWERED` from its answer on: a token is longer than all that is kept of a socket. */
  request: SocketRequest;
  /** Null until the client is known. */
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

export const ANSWERED: SocketRequest = { boardId: null, token: null, since: { kind: 'unnumbered' } };

/** Which events a client wants first, and whether it wants their numbers. */
export type Since =
  | { readonly kind: 'unnumbered' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'after'; readonly seq: number }
  | { readonly kind: 'invalid' };

/** A message on its way to a client that is not live yet. */
export type Held = { readonly event: BoardEvent } | { readonly text: string };

/**
 * `checking`: who is it, and may they? Messages of the board are held back.
 * `catching up`: they may; what they missed is being sent, and messages are still held back. Settled, they have all
 * that they missed and wait for the board's messages to come level with it.
 * `live`: subscribed to the board's topic, so that uWebSockets delivers without us.
 */
export type SessionState =
  | { readonly kind: 'checking'; readonly held: Held[] }
  | { readonly kind: 'catching up'; readonly held: Held[]; readonly settled: boolean }
  | { readonly kind: 'live' }
  | { readonly kind: 'ended' };

export class Session {
  readonly numbered: boolean;
  readonly connection: Connection;
  /** When the token ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly socket: WebSocket<SocketData>;
  state: SessionState = { kind: 'checking', held: [] };
  /** The last event that was sent. */
  seq = 0;
  /** Since when a ping waits for its pong; null when none does. */
  pingedAt: number | null = null;
  /** What the socket had not taken when it was last looked at, in bytes. */
  backlog = 0;
  /** Whether it was counted as too slow. */
  isTooSlow = false;
  /** Whether the client's own arrival was announced. */
  hasJoined = false;
  /** Messages from the client in the current second. */
  received = 0;
  #onDrain: () => void = () => undefined;

  constructor(socket: WebSocket<SocketData>, connection: Connection, expiresAt: number, numbered: boolean) {
    this.socket = socket;
    this.connection = connection;
    this.expiresAt = expiresAt;
    this.numbered = numbered;
  }

  get isEnded(): boolean {
    return this.state.kind === 'ended';
  }

  sendEvent(event: BoardEvent): void {
    this.seq = event.seq;
    this.send(this.numbered ? withSeq(event) : event.json);
  }

  send(text: string): void {
    if (!this.isEnded) this.socket.send(text);
  }

  goLive(topic: string): void {
    if (this.isEnded) return;
    this.socket.subscribe(topic);
    this.state = { kind: 'live' };
  }

  /** Resolves when the socket has taken most of what was sent, or has ended. */
  async drained(): Promise<void> {
    while (!this.isEnded && this.socket.getBufferedAmount() > DRAINED_BYTES) {
      await new Promise<void>((resolve) => {
        this.#onDrain = resolve;
      });
    }
  }

  /**
   * A turn later, because what is sent from inside uWebSockets' drain handler and does not fit the system's buffer is
   * never sent at all (seen with v20.49): the socket is no longer watched for room.
   */
  noteDrain(): void {
    setImmediate(this.#onDrain);
  }

  noteEnd(): void {
    this.state = { kind: 'ended' };
    this.#onDrain();
  }

  /** The close handler follows at once. */
  end({ code, reason }: Close): void {
    if (!this.isEnded) this.socket.end(code, reason);
  }
}
