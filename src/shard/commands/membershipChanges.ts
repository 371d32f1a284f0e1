import type { BoardState } from '../../domain/board/board.js';
import type { Decision } from '../../domain/commands/decide.js';
import type { MembershipChanges } from '../../domain/commands/directoryCommands.js';

/** The membership changes of an applied decision for the directory; null if there are none. */
export function membershipChanges(board: BoardState, decision: Decision): MembershipChanges['members'] | null {
  if (decision.boardDeleted) return 'none left';
  if (decision.memberships.length === 0) return null;
  return decision.memberships.map(({ user_id }) => ({ user_id, profile: board.get('member', user_id)?.user ?? null }));
}
