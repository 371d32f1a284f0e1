/** Where a client keeps the changes that the service has not answered, so that they outlive the program. */
import type { ChangeName } from '../board/predictions.js';

/** Why a change was not made. */
export interface Refusal {
  /** Of the service's answer; 0 if the change was not sent, or got no answer. */
  readonly status: number;
  readonly detail: string;
}

/** What a change was about: a moved card is named by nothing else. */
export interface ChangedThing {
  readonly boardTitle: string;
  /** Of the thing that the path of the operation names; of a creation, what it is created in. */
  readonly title: string;
  /** What else the change names: the column of a move, the picture of a cover, a label, people. */
  readonly named?: string;
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
  /** For people, as the board was when the change was made; absent if it was not read yet. */
  readonly about?: ChangedThing;
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
   * Calls `take` with the changes of the user that no other holder sends, in order: first with changes of earlier runs and of
   * this holder, even if the list is empty, and later with changes of each holder that ends. `isWhole` is false if the store
   * cannot be read: it may have more of this holder. Returns a function that stops this; after it, another holder may take them.
   */
  adopt(userId: string, take: (changes: readonly KeptChange[], isWhole?: boolean) => void): () => void;
}
