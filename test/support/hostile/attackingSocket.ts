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
