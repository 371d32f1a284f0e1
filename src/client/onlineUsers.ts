/** The users connected to a board: a list that is read once a connection, and the messages after it. */
import type { OnlineUser, PresenceMessage } from './events.js';

/** A list that is being read may or may not include messages that arrive meanwhile: they are applied to it again. */
type Reading =
  | { readonly kind: 'not read' }
  | { readonly kind: 'under way'; readonly meanwhile: PresenceMessage[] }
  | { readonly kind: 'read' };

export class OnlineUsers {
  #users: readonly OnlineUser[] = [];
  #reading: Reading = { kind: 'not read' };

  /** In order of arrival. */
  get users(): readonly OnlineUser[] {
    return this.#users;
  }

  apply(message: PresenceMessage): void {
    if (this.#reading.kind === 'under way') this.#reading.meanwhile.push(message);
    this.#users = afterMessage(this.#users, message);
  }

  /** On a new connection messages were missed, so the list must be read again. Until then it stays. */
  expectAll(): void {
    this.#reading = { kind: 'not read' };
  }

  /** Reads the list unless it is already read. Resolves to whether it is; after a failure the next call tries again. */
  async readOnce(read: () => Promise<readonly OnlineUser[]>): Promise<boolean> {
    if (this.#reading.kind !== 'not read') return false;
    const reading: Reading = { kind: 'under way', meanwhile: [] };
    this.#reading = reading;
    try {
      const users = await read();
      if (this.#reading !== reading) return false;
      this.#users = reading.meanwhile.reduce(afterMessage, users);
      this.#reading = { kind: 'read' };
      return true;
    } catch {
      // Presence is optional: the board works without it, and the next heartbeat tries again.
      if (this.#reading === reading) this.#reading = { kind: 'not read' };
      return false;
    }
  }
}

function afterMessage(users: readonly OnlineUser[], message: PresenceMessage): readonly OnlineUser[] {
  const { type, user_id, username } = message;
  const isKnown = users.some((user) => user.user_id === user_id);
  if (type === 'user_left') return isKnown ? users.filter((user) => user.user_id !== user_id) : users;
  return isKnown ? users : [...users, { user_id, username }];
}
