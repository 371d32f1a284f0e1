/**
 * A connection to a board, as an application holds it. All connections of a client to one board share the copy of the
 * board; each has its own listeners and its own end.
 */
import type { Changes } from './changes.js';
import type { ConnectionEvents, ConnectionState } from './connectionState.js';
import type { OnlineUser, PeerState } from '../events.js';
import type { FollowedBoard } from './followedBoard.js';
import { Listeners } from '../listeners.js';
import type { ChangeAnswer, ChangeArguments, ChangeName } from './predictions.js';
import type { FullBoard } from '../resources.js';

/** What the connections to one board share. */
export interface SharedBoard {
  readonly board: FollowedBoard;
  readonly changes: Changes;
  setState(state: unknown): void;
  signal(data: unknown): boolean;
  /** Called once by each connection. */
  release(): void;
}

export class BoardConnection {
  /** Resolves when the board is first `live`; rejects if the connection closes for good before. */
  readonly ready: Promise<FullBoard>;
  readonly #shared: SharedBoard;
  readonly #listeners = new Listeners<ConnectionEvents>();
  readonly #stopListening: () => void;
  #left: ConnectionState | null = null;
  #rejectReady: (error: Error) => void = () => undefined;

  constructor(shared: SharedBoard) {
    this.#shared = shared;
    this.#stopListening = shared.board.listeners.passTo(this.#listeners);
    this.ready = new Promise((resolve, reject) => {
      this.#rejectReady = reject;
      shared.board.ready.then(resolve, reject);
    });
    // `state` reports the same, so an unused rejection of `ready` must not end the process.
    this.ready.catch(() => undefined);
  }

  /**
   * The board with the changes of this client that are not confirmed yet, otherwise as `GET /boards/{board_id}` returns
   * it. Never changed, only replaced; null until it was first read.
   */
  get board(): FullBoard | null {
    return this.#shared.board.copy.board;
  }

  /** The board without these changes: exactly the service's board at `seq`. */
  get confirmed(): FullBoard | null {
    return this.#shared.board.copy.local.board;
  }

  /** The number of changes that are not confirmed yet. */
  get pending(): number {
    return this.#shared.board.copy.pending;
  }

  /** The number of the latest event in `confirmed`. */
  get seq(): number {
    return this.#shared.board.copy.local.seq;
  }

  /** The place of `confirmed` in the history of the board: `seq`, after a cut of the history with its epoch. */
  get position(): string {
    return this.#shared.board.copy.local.position;
  }

  get state(): ConnectionState {
    return this.#left ?? this.#shared.board.state;
  }

  /** The users connected to the board, in order of arrival. */
  get presence(): readonly OnlineUser[] {
    return this.#shared.board.online;
  }

  /** What the connections to the board show of themselves, this one included. */
  get states(): readonly PeerState[] {
    return this.#shared.board.peers;
  }

  /** Returns a function that removes the listener. */
  on<Name extends keyof ConnectionEvents>(name: Name, listener: (event: ConnectionEvents[Name]) => void): () => void {
    return this.#listeners.add(name, listener);
  }

  /**
   * Changes the board: at once in `board`, and then at the service. It has the arguments and the answer of the
   * operation. Changes are sent one after another. A refused one is taken back and also reported as `refused`.
   */
  change<Name extends ChangeName>(name: Name, ...args: ChangeArguments<Name>): Promise<ChangeAnswer<Name>> {
    const answer = this.#shared.changes.make(name, args);
    // `refused` reports the same.
    answer.catch(() => undefined);
    return answer;
  }

  /**
   * For a change that would overwrite what somebody else changed while the user was writing it: it is not sent, but reported as
   * `refused`, and with a store it stands in the list of refused changes until the user decides.
   */
  setAside<Name extends ChangeName>(name: Name, ...args: ChangeArguments<Name>): void {
    this.#shared.changes.setAside(name, args);
  }

  /**
   * Shows something of this client to the others, such as the card that is open; null for nothing. At most 1 KiB of
   * JSON. Kept over lost connections; if it changes often, only the latest is sent.
   */
  setState(state: unknown): void {
    if (this.#left === null) this.#shared.setState(state);
  }

  /**
   * Sends something to the others that nothing keeps, at most 1 KiB of JSON. Returns whether it was sent: not while the
   * connection is lost, and not more than 30 a second.
   */
  signal(data: unknown): boolean {
    return this.#left === null && this.#shared.signal(data);
  }

  /** Changes that were made before are still sent. */
  close(): void {
    if (this.state.kind === 'closed') return;
    this.#left = { kind: 'closed', cause: 'left', reason: 'Closed by the client' };
    this.#stopListening();
    this.#shared.release();
    this.#rejectReady(new Error(this.#left.reason));
    this.#listeners.emit('state', this.#left);
  }
}
