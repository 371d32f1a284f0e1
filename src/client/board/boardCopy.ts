/**
 * The client's copy of a board: what the service has confirmed by its events, and on top of it the changes of this
 * client that are not confirmed yet. After every event they are applied again, in order, so that changes of others in
 * between are shown correctly.
 */
import type { BoardEvent, BoardPosition } from '../events.js';
import { LocalBoard, type LoadedBoard, type Taken } from './localBoard.js';
import type { FullBoard } from '../resources.js';

/** A change that is shown but not confirmed. */
export interface PendingChange {
  readonly apply: (board: FullBoard) => FullBoard;
  /** The board's position after the change; null until the service has answered. */
  position: BoardPosition | null;
}

export class BoardCopy {
  readonly local = new LocalBoard();
  #pending: readonly PendingChange[] = [];
  #board: FullBoard | null = null;

  /** With the pending changes; null until it was first read. */
  get board(): FullBoard | null {
    return this.#board;
  }

  /** The number of pending changes. */
  get pending(): number {
    return this.#pending.length;
  }

  load(loaded: LoadedBoard): void {
    this.local.load(loaded);
    this.#confirm();
  }

  take(event: BoardEvent): Taken {
    const taken = this.local.take(event);
    if (taken === 'applied') this.#confirm();
    return taken;
  }

  add(change: PendingChange): void {
    this.#pending = [...this.#pending, change];
    this.#apply();
  }

  /** The service made the change. It stays pending until its event has arrived; without a position, no longer. */
  answered(change: PendingChange, position: BoardPosition | null): void {
    if (position === null || this.local.includes(position)) return this.takeBack(change);
    change.position = position;
  }

  /** Shows it no longer. */
  takeBack(change: PendingChange): void {
    this.#pending = this.#pending.filter((other) => other !== change);
    this.#apply();
  }

  #confirm(): void {
    this.#pending = this.#pending.filter(({ position }) => position === null || !this.local.includes(position));
    this.#apply();
  }

  #apply(): void {
    const { board } = this.local;
    this.#board = board === null ? null : this.#pending.reduce((shown, { apply }) => apply(shown), board);
  }
}
