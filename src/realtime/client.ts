/** One open socket, as the hub sees it. It follows one board or several. */
import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../api/closeCodes.js';
import type { PublicUser } from '../domain/user.js';
import type { Session, SessionBoard, SocketData } from './session.js';

export type SocketUser = Pick<PublicUser, 'id' | 'username'>;

export interface Client {
  readonly socket: WebSocket<SocketData>;
  readonly user: SocketUser;
  /** Unique in this instance. */
  readonly number: number;
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt: number;
  /** The boards that it follows. */
  readonly sessions: Iterable<Session>;
  /** Whether a large message is being sent to it: nothing may be sent before its end. */
  readonly isReceiving: boolean;
  /** The message that the client must answer with a pong. */
  readonly ping: string;
  isOn(place: SessionBoard): boolean;
  /** The socket took unsent data. */
  noteDrain(): void;
  /** The socket is closed. */
  noteEnd(): void;
  /** Closes the socket; its close handler runs before this returns. */
  hangUp(close: Close): void;
}
