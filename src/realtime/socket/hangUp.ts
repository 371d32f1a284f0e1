import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../../api/closeCodes.js';
import { endingOf } from '../delivery/slowClients.js';

/** Ends a socket. Its close handler runs before this returns. */
export function hangUp(socket: Pick<WebSocket<unknown>, 'getBufferedAmount' | 'end' | 'close'>, { code, reason }: Close): void {
  if (endingOf(socket.getBufferedAmount()) === 'cut') socket.close();
  else socket.end(code, reason);
}
