/** A link with which a person registers or joins a board. */
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { Role } from '../model.js';

export interface Invitation {
  readonly id: Uuid;
  /** Of the secret in the link. */
  readonly token_hash: string;
  readonly created_by: Uuid;
  readonly created_at: string;
  readonly expires_at: string;
  readonly max_uses: number;
  readonly uses: number;
  /** The board that its users join, with this role; both null for none. */
  readonly board_id: Uuid | null;
  readonly role: Role | null;
}

/** Of one user; the expired ones do not count. */
export const MAX_INVITATIONS_PER_USER = 200;

/** The same for every cause, so that a guess learns nothing. */
export function invalidInvitation(): AppError {
  return new AppError('forbidden', 'The invitation is not valid, was used up, or has expired');
}
