/** What the connections to a board show of themselves. */
import type { PeerState } from '../events.js';

export function afterState(states: readonly PeerState[], { user_id, connection_id, state }: PeerState): readonly PeerState[] {
  const others = states.filter((other) => other.connection_id !== connection_id);
  if (state !== null) return [...others, { user_id, connection_id, state }];
  return others.length === states.length ? states : others;
}

/** A user without connections shows nothing any more. */
export function withoutUser(states: readonly PeerState[], userId: string): readonly PeerState[] {
  const others = states.filter(({ user_id }) => user_id !== userId);
  return others.length === states.length ? states : others;
}
