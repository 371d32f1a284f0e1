/** What happens to the boards of the user: which are added, removed and renamed. And what concerns the user. Nothing is kept for a lost connection. */
import type { FeedMessage } from '../events.js';
import type { Notification } from '../resources.js';
import { Listeners } from '../listeners.js';
import type { SharedSocket, SocketMember } from './sharedSocket.js';

export interface FeedEvents {
  readonly board_added: { readonly board_id: string };
  readonly board_removed: { readonly board_id: string };
  readonly board_changed: { readonly board_id: string; readonly title: string };
  readonly notification: { readonly notification: Notification };
  /** The connection was lost and is back: messages may be missing, so lists must be read again. */
  readonly reconnected: { readonly reason: string };
  /** The service refused the client: nothing more follows. */
  readonly closed: { readonly reason: string };
}

export class Feed {
  /** Resolves when messages arrive: a list that is read after that misses nothing. Rejects if it is closed before. */
  readonly ready: Promise<void>;
  readonly #socket: SharedSocket;
  readonly #listeners = new Listeners<FeedEvents>();
  readonly #member: SocketMember<FeedMessage>;
  /** Why the connection was lost; null if it is open or was never open. */
  #lostBy: string | null = null;
  #hasBeenOpen = false;
  #rejectReady: (error: Error) => void = () => undefined;

  constructor(socket: SharedSocket) {
    let open: () => void = () => undefined;
    this.ready = new Promise((resolve, reject) => {
      open = resolve;
      this.#rejectReady = reject;
    });
    // `closed` reports the same.
    this.ready.catch(() => undefined);
    this.#socket = socket;
    this.#member = {
      opened: () => {
        open();
        this.#opened();
      },
      received: (message) => this.#received(message),
      lost: (reason) => {
        if (this.#hasBeenOpen) this.#lostBy ??= reason;
      },
      refused: (reason, error) => {
        this.#rejectReady(error);
        this.#listeners.emit('closed', { reason });
      },
    };
    socket.joinFeed(this.#member);
  }

  /** Returns a function that removes the listener. */
  on<Name extends keyof FeedEvents>(name: Name, listener: (event: FeedEvents[Name]) => void): () => void {
    return this.#listeners.add(name, listener);
  }

  close(): void {
    this.#socket.leaveFeed(this.#member);
    this.#rejectReady(new Error('Closed by the client'));
  }

  #opened(): void {
    const reason = this.#lostBy;
    this.#hasBeenOpen = true;
    this.#lostBy = null;
    if (reason !== null) this.#listeners.emit('reconnected', { reason });
  }

  #received(message: FeedMessage): void {
    const { board_id } = message;
    switch (message.type) {
      case 'user.board_added':
        return this.#listeners.emit('board_added', { board_id });
      case 'user.board_removed':
        return this.#listeners.emit('board_removed', { board_id });
      case 'user.notification':
        return this.#listeners.emit('notification', { notification: message.notification });
      case 'user.board_changed':
        return this.#listeners.emit('board_changed', { board_id, title: message.title });
    }
  }
}
