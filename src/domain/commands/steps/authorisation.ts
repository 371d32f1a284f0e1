/** What a handler demands of the caller of its command. */
import type { Draft } from '../../board/draft.js';
import { AppError } from '../../errors.js';
import { notMember, notOwner, notService } from '../../refusals.js';
import type { Access, Caller } from '../commands.js';

export function authorise(draft: Draft, caller: Caller, access: Access, input: object): void {
  const denied = denial(draft, caller, access, input);
  if (denied !== null) throw denied;
}

/** Null if the caller has access. */
export function denial(draft: Draft, caller: Caller, access: Access, input: object): AppError | null {
  if (caller === 'system' || access === 'anyone') return null;
  if (access === 'system') return notService();
  const member = draft.get('member', caller.user_id);
  if (member === undefined) return notMember();
  if (access === 'member' || member.role === 'owner' || isOwnMatter(caller, access, input)) return null;
  return notOwner();
}

/** Whether everyone may do it to themself, and the caller does. */
export function isOwnMatter(caller: Caller, access: Access, input: object): boolean {
  return caller !== 'system' && access === 'self_or_owner' && 'user_id' in input && input.user_id === caller.user_id;
}
