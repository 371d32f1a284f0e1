import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../api/closeCodes.js';

/**
 * The unsent bytes up to which a socket is closed with a code. uWebSockets keeps unsent bytes of a closed socket until
 * the client takes them or a time-out of minutes, and does not count them. With more, the connection is cut, which
 * frees them at once; a client that far behind would see the code late or never.
 */
export const MAX_BACKLOG_OF_ENDED_BYTES = 16 * 1024;

/** Ends a socket. Its close handler runs before this returns. */
export function hangUp(socket: Pick<WebSocket<unknown>, 'getBufferedAmount' | 'end' | 'close'>, { code, reason }: Close): void {
  if (socket.getBufferedAmount() > MAX_BACKLOG_OF_ENDED_BYTES) socket.close();
  else socket.end(code, reason);
}
