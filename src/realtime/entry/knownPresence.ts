/**
 * Who is on a board and what they show of themselves, as the clients of this instance know it: compared with the owner's
 * list after messages may have been lost. Not kept where messages cannot get lost.
 */
import type { Uuid } from '../../domain/ids.js';
import type { ConnectionState, OnlineUser, PresenceMessage } from '../../domain/ports/presence.js';

export class KnownPresence {
  readonly #online = new Map<Uuid, string>();
  readonly #states = new Map<number, ConnectionState>();

  note({ type, user_id, username }: PresenceMessage): void {
    if (type === 'user_joined') {
      this.#online.set(user_id, username);
      return;
    }
    this.#online.delete(user_id);
    for (const state of [...this.#states.values()]) if (state.user_id === user_id) this.#states.delete(state.connection_id);
  }

  noteState(change: ConnectionState): void {
    if (change.state === null) this.#states.delete(change.connection_id);
    else this.#states.set(change.connection_id, change);
  }

  /** The joins and leaves that the clients have not heard of. */
  missedPresence(online: readonly OnlineUser[]): PresenceMessage[] {
    const now = new Set(online.map(({ user_id }) => user_id));
    const left = Array.from(this.#online, ([user_id, username]) => ({ type: 'user_left' as const, user_id, username }));
    const joined = online.map(({ user_id, username }) => ({ type: 'user_joined' as const, user_id, username }));
    return [...left.filter(({ user_id }) => !now.has(user_id)), ...joined.filter(({ user_id }) => !this.#online.has(user_id))];
  }

  missedStates(states: readonly ConnectionState[]): ConnectionState[] {
    const now = new Set(states.map(({ connection_id }) => connection_id));
    const ended = [...this.#states.values()].filter(({ connection_id }) => !now.has(connection_id));
    return [
      ...ended.map((each) => ({ ...each, state: null })),
      ...states.filter(({ connection_id, state }) => this.#states.get(connection_id)?.state !== state),
    ];
  }
}
