import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import type { BoardMessage, Bus, Subscription } from './bus.js';

/** The bus of a process that is alone: messages arrive at once, in the order in which they were told. */
export class LocalBus implements Bus {
  readonly #boards = new Map<Uuid, Set<(message: BoardMessage) => void>>();
  readonly #users = new Set<(user: PublicUser) => void>();

  tellBoard(boardId: Uuid, message: BoardMessage): void {
    for (const receive of this.#boards.get(boardId) ?? []) receive(message);
  }

  listenToBoard(boardId: Uuid, receive: (message: BoardMessage) => void): Subscription {
    const receivers = this.#boards.get(boardId) ?? new Set();
    this.#boards.set(boardId, receivers);
    receivers.add(receive);
    return {
      stop: () => {
        receivers.delete(receive);
        if (receivers.size === 0 && this.#boards.get(boardId) === receivers) this.#boards.delete(boardId);
      },
    };
  }

  tellUser(user: PublicUser): void {
    for (const receive of this.#users) receive(user);
  }

  listenToUsers(receive: (user: PublicUser) => void): Subscription {
    this.#users.add(receive);
    return { stop: () => this.#users.delete(receive) };
  }

  status(): 'embedded' {
    return 'embedded';
  }

  async close(): Promise<void> {
    this.#boards.clear();
    this.#users.clear();
  }
}
