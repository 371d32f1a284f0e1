/** Calls of uWebSockets that need care. */
import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../../api/closeCodes.js';
import { endingOf } from '../delivery/slowClients.js';
import { toSent } from '../../flow/sentText.js';

/** Ends a socket. Its close handler runs before this returns. */
export function hangUp(socket: Pick<WebSocket<unknown>, 'getBufferedAmount' | 'end' | 'close'>, { code, reason }: Close): void {
  if (endingOf(socket.getBufferedAmount()) === 'cut') socket.close();
  else socket.end(code, toSent(reason));
}

/**
 * In one write to the system. The socket must not be ended within `cork`: uWebSockets would close the connection only
 * after four seconds (seen with v20.49).
 */
export function sendTogether(socket: Pick<WebSocket<unknown>, 'cork' | 'send'>, texts: readonly string[]): void {
  socket.cork(() => {
    for (const text of texts) socket.send(toSent(text));
  });
}
