/** Who is on a board and what their connections show: the lists at the time of the subscription, and the messages after it. */
import type { OnlineUser, PeerState, PresenceMessage } from '../events.js';

export function afterPresence(users: readonly OnlineUser[], { type, user_id, username }: PresenceMessage): readonly OnlineUser[] {
  const isKnown = users.some((user) => user.user_id === user_id);
  if (type === 'user_left') return isKnown ? users.filter((user) => user.user_id !== user_id) : users;
  return isKnown ? users : [...users, { user_id, username }];
}

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
