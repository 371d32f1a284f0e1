/** The users connected to a board: the list at the time of the subscription, and the messages after it. */
import type { OnlineUser, PresenceMessage } from '../events.js';

export function afterPresence(users: readonly OnlineUser[], { type, user_id, username }: PresenceMessage): readonly OnlineUser[] {
  const isKnown = users.some((user) => user.user_id === user_id);
  if (type === 'user_left') return isKnown ? users.filter((user) => user.user_id !== user_id) : users;
  return isKnown ? users : [...users, { user_id, username }];
}
