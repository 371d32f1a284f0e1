/** Invitations: links with which people come onto a board, also those without an account. */
import type { InviteLink, NewInviteLink } from '../../client/index.js';
import type { Role } from './people.js';
import type { Methods } from './methods.js';
import { client, currentUser } from './session.js';

/**
 * What an owner can offer to a person who is not found here. `invite`: a link makes them an account. `register`: they make
 * one themselves. `nothing`: an administrator makes the accounts.
 */
export type Offer = { readonly kind: 'invite'; readonly hasMail: boolean } | { readonly kind: 'register' } | { readonly kind: 'nothing' };

export function offerToNewcomers(methods: Methods): Offer {
  const { registration, sso, mail } = methods;
  const isClosed = registration === 'closed' && (sso === null || sso.registration === 'closed');
  if (isClosed) return { kind: 'nothing' };
  if (mayMakeLinks(methods)) return { kind: 'invite', hasMail: mail };
  return registration === 'open' ? { kind: 'register' } : { kind: 'nothing' };
}

/** The service decides it; of boards of one's own. */
export function mayMakeLinks({ invitations }: Methods): boolean {
  return invitations === 'owners' || currentUser().is_superuser;
}

/** As the service takes it, roughly: it decides. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);
}

export interface LinkWish {
  readonly boardId: string;
  readonly role: Role;
  readonly maxUses: number;
  readonly days: number;
  /** Where the link is mailed to as well. */
  readonly email?: string;
}

export function makeLink({ boardId, role, maxUses, days, email }: LinkWish): Promise<NewInviteLink> {
  const wish = { board_id: boardId, role, max_uses: maxUses, expires_in_hours: days * 24 };
  return client.invitation.create(email === undefined ? wish : { ...wish, email });
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
