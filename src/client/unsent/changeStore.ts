/** Where a client keeps the changes that the service has not answered, so that they outlive the program. */
import type { ChangeName } from '../board/predictions.js';

/** Why a change was not made. */
export interface Refusal {
  /** Of the service's answer; 0 if the change was not sent, or got no answer. */
  readonly status: number;
  readonly detail: string;
}

/** A change as it is kept: plain data. */
export interface KeptChange {
  /** Its idempotency key. */
  readonly key: string;
  readonly boardId: string;
  readonly name: ChangeName;
  /** Of the operation, without its options. */
  readonly args: readonly unknown[];
  /** When the user made it, in milliseconds since 1970. */
  readonly madeAt: number;
  /** The state of the board that it was based on; null if that is unknown. */
  readonly basis: string | null;
  /** Null while it is to be sent. */
  readonly refusal: Refusal | null;
}

export interface ChangeStore {
  /**
   * Adds the change, or replaces the one with its key in its place. What can be written at once is written when this returns:
   * the change is shown then. It is safe when the promise resolves.
   */
  put(userId: string, change: KeptChange): Promise<void>;
  remove(userId: string, key: string): Promise<void>;
  /**
   * Hands over the changes of the user that nobody else will send, in order. The first time soon, also if there are none:
   * those of earlier runs, and those that this holder has put before. Then those of other holders of the store when they
   * end. Returns a function that ends this; then another holder may take them.
   */
  adopt(userId: string, take: (changes: readonly KeptChange[]) => void): () => void;
}
