import { CLOSE, type Close } from '../../../src/api/closeCodes.js';
import { RawSocket } from '../realtime/rawSocket.js';
import type { AttackedService } from './attackedService.js';

export interface AttackingSocketOptions {
  readonly token?: string;
  readonly since?: number;
  readonly reading?: boolean;
}

/** A socket, by default of the attacker. Resolves after the handshake. */
export async function openAttacking(
  { url, attacker }: AttackedService,
  boardId: string,
  { token = attacker.token, since, reading = true }: AttackingSocketOptions = {},
): Promise<RawSocket> {
  const query = since === undefined ? '' : `&since=${since}`;
  return RawSocket.open(url, `/ws/boards/${boardId}?token=${token}${query}`, { reading });
}

/**
 * Sends the flood again and again until the server ends the socket: limits are for a second, and on a slow machine one flood
 * may take several. Null when the connection broke without a code.
 */
export async function floodToTheEnd(socket: RawSocket, flood: Uint8Array): Promise<Close | null> {
  let hasEnded = false;
  const ended = socket.closing().finally(() => (hasEnded = true));
  while (!hasEnded) await Promise.race([ended, socket.writeAll(flood)]);
  socket.destroy();
  return ended;
}

/** Whether a socket that floods ended as it should: for its messages, or without a code because it did not read. */
export function isEarned(end: Close | null): boolean {
  return end === null || end.code === CLOSE.refused.code;
}
