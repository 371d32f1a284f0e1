/** What an application sees of the changes that the service has not made yet. */
import type { BoardPosition } from '../events.js';
import type { KeptChange } from './changeStore.js';

export interface ChangeResult {
  readonly body: unknown;
  /** Of the board after the change; null if the service did not say it. */
  readonly position: BoardPosition | null;
}

export interface UnsentEvents {
  /** What waits, or what was refused, is no longer the same. */
  readonly change: null;
  /** The service refused a change because of its session. Nothing is sent until `resume`. */
  readonly loggedOut: { readonly error: unknown };
  /** A change could not be written to the store. It is sent all the same, unless the program ends before. */
  readonly unsafe: { readonly error: unknown };
}

/** As an application sees it. */
export interface Unsent {
  /** In the order in which they were made. */
  readonly waiting: readonly KeptChange[];
  /** With a store; without one, the caller decides. */
  readonly refused: readonly KeptChange[];
  /** Whether the end of the program would lose a change that waits. */
  readonly isUnsafe: boolean;
  on<Name extends keyof UnsentEvents>(name: Name, listener: (event: UnsentEvents[Name]) => void): () => void;
  /** Sends a refused change once more. */
  retry(key: string): void;
  /** Forgets a refused change. */
  discard(key: string): void;
  /** Forgets all, also those that wait. One that is under way may still be made. */
  discardAll(): void;
}

/** A change in the queue of its board. */
export interface Waiting {
  readonly change: KeptChange;
  readonly result: Promise<ChangeResult>;
}

/** It waited longer than the service keeps its key, and does not fit any more. */
export class StaleChange extends Error {
  override readonly name = 'StaleChange';

  constructor() {
    super('It waited for more than a day, and what it was based on may have been changed since.');
  }
}

/** It was set aside: somebody else changed the same while it was being written. */
export class OvertakenChange extends Error {
  override readonly name = 'OvertakenChange';

  constructor() {
    super('Somebody else has changed the same meanwhile.');
  }
}

/** The user discarded it, or another user has logged in. It is not reported as refused. */
export class WithdrawnChange extends Error {
  override readonly name = 'WithdrawnChange';
}
