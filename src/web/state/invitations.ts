/** Links with which people come onto a board, also those without an account. */
import { signal } from '@preact/signals';
import { ApiError, type InviteLink, type NewInviteLink } from '../../client/index.js';
import { client, currentUser } from './session.js';

/** The user whom the service did not let make links: its settings decide that, and nothing else tells. */
const refusedUser = signal<string | null>(null);

export function mayMakeLinks(): boolean {
  return refusedUser.value !== currentUser().id;
}

export interface LinkWish {
  readonly boardId: string;
  readonly maxUses: number;
  readonly days: number;
}

export async function makeLink({ boardId, maxUses, days }: LinkWish): Promise<NewInviteLink> {
  try {
    return await client.invitation.create({ board_id: boardId, max_uses: maxUses, expires_in_hours: days * 24 });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) refusedUser.value = currentUser().id;
    throw error;
  }
}

/** Those that can still be used, the latest first. */
export async function readLinks(boardId: string): Promise<InviteLink[]> {
  const links = new Map<string, InviteLink>();
  for (;;) {
    const known = links.size;
    for (const link of await client.invitation.list({ offset: known })) links.set(link.id, link);
    if (links.size === known) break;
  }
  const now = new Date().toISOString();
  return [...links.values()].filter(({ board_id, uses, max_uses, expires_at }) => board_id === boardId && uses < max_uses && expires_at > now);
}

/** The token is behind the #, which browsers do not send: it appears in no log. */
export function addressOf({ token, url }: NewInviteLink): string {
  return url ?? `${location.origin}/app/invitation#token=${token}`;
}
