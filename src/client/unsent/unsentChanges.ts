/**
 * The changes of the user that the service has not made yet. Those of a board are sent one after another, until they are
 * answered. What the service refuses stays in a list until somebody decides; nothing is dropped.
 */
import { ApiError } from '../apiError.js';
import type { CallOptions } from '../calls/call.js';
import { newKey } from '../calls/idempotencyKey.js';
import { KEY_LIFE_MS, UNTIL_ANSWERED, type RetryOptions } from '../calls/retry.js';
import type { Clock } from '../clock.js';
import type { BoardPosition } from '../events.js';
import { Listeners } from '../listeners.js';
import type { FullBoard } from '../resources.js';
import { verdictOn } from './basis.js';
import type { ChangeStore, KeptChange, Refusal } from './changeStore.js';

export interface ChangeResult {
  readonly body: unknown;
  /** Of the board after the change; null if the service did not say it. */
  readonly position: BoardPosition | null;
}

export interface UnsentOptions {
  /** Null: they end with the program. */
  readonly store: ChangeStore | null;
  readonly clock: Clock;
  /** For changes that do not say it. */
  readonly retry: RetryOptions | false | undefined;
  send(change: KeptChange, options: CallOptions): Promise<ChangeResult>;
  readBoard(boardId: string): Promise<FullBoard>;
}

export interface UnsentEvents {
  /** What waits, or what was refused, is no longer the same. */
  readonly change: null;
  /** Nothing is sent any more: nobody is logged in, or somebody else. `resume` goes on. */
  readonly loggedOut: { readonly error: unknown };
  /** A change could not be written to the store. It is sent all the same, unless the program ends before. */
  readonly unsafe: { readonly error: unknown };
}

/** As an application sees it. */
export interface Unsent {
  /** In the order in which they were made. */
  readonly waiting: readonly KeptChange[];
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

interface Queued extends Waiting {
  readonly options: CallOptions;
  resolve(result: ChangeResult): void;
  reject(error: unknown): void;
}

interface Queue {
  readonly items: Queued[];
  isSending: boolean;
}

const STALE = 'What this change was based on was changed by somebody else while it waited.';

export class UnsentChanges implements Unsent {
  readonly #options: UnsentOptions;
  readonly #listeners = new Listeners<UnsentEvents>();
  readonly #queues = new Map<string, Queue>();
  readonly #adoptListeners = new Set<(waiting: Waiting) => void>();
  /** Of changes that are not in the store. */
  readonly #unsafe = new Set<string>();
  #refused: readonly KeptChange[] = [];
  #userId: string | null = null;
  /** Those of a session that has ended, by key: their callers still wait for an answer. */
  readonly #suspended = new Map<string, Queued>();
  #stopAdopting: () => void = () => undefined;

  constructor(options: UnsentOptions) {
    this.#options = options;
  }

  get userId(): string | null {
    return this.#userId;
  }

  get waiting(): readonly KeptChange[] {
    const all = [...this.#queues.values()].flatMap(({ items }) => items.map(({ change }) => change));
    return all.sort((one, other) => one.madeAt - other.madeAt);
  }

  get refused(): readonly KeptChange[] {
    return this.#refused;
  }

  get isUnsafe(): boolean {
    return this.#unsafe.size > 0;
  }

  on<Name extends keyof UnsentEvents>(name: Name, listener: (event: UnsentEvents[Name]) => void): () => void {
    return this.#listeners.add(name, listener);
  }

  /** The user is logged in: what was kept for this user is sent, and nothing of another. */
  resume(userId: string): void {
    const { store } = this.#options;
    if (userId === this.#userId) return;
    if (this.#userId !== null && store !== null) this.#suspend();
    this.#userId = userId;
    for (const change of this.waiting) this.#keep(change);
    this.#stopAdopting = store?.adopt(userId, (changes) => this.#take(changes)) ?? (() => undefined);
  }

  /** The changes of a board that wait to be sent. */
  waitingOn(boardId: string): readonly Waiting[] {
    return this.#queues.get(boardId)?.items ?? [];
  }

  /** Reports changes that are taken over from earlier runs and other holders of the store, or sent once more. */
  onAdopted(boardId: string, listener: (waiting: Waiting) => void): () => void {
    const own = (waiting: Waiting): void => {
      if (waiting.change.boardId === boardId) listener(waiting);
    };
    this.#adoptListeners.add(own);
    return () => this.#adoptListeners.delete(own);
  }

  /** Keeps the change, and sends it when those before it are answered. */
  send(change: KeptChange, options: CallOptions): Promise<ChangeResult> {
    const queued = newQueued(change, options);
    this.#keep(change);
    this.#enqueue(queued);
    return queued.result;
  }

  retry(key: string): void {
    const change = this.#refused.find((each) => each.key === key);
    if (change === undefined) return;
    this.#refused = this.#refused.filter((each) => each !== change);
    // The user has seen what became of the board, and wants it all the same. A second card is not made all the same.
    const isCreation = change.name.endsWith('.create');
    const again = isCreation ? { ...change, refusal: null } : { ...change, key: newKey(), madeAt: this.#options.clock.now(), refusal: null };
    this.#keep(again);
    if (!isCreation) this.#forget(key);
    this.#adopt(again);
  }

  discardAll(): void {
    for (const { key } of [...this.waiting, ...this.#refused]) this.#forget(key);
    const queues = [...this.#queues.values()];
    this.#clear();
    for (const { items } of queues) for (const { reject } of items) reject(new Error('Discarded'));
  }

  discard(key: string): void {
    this.#refused = this.#refused.filter((each) => each.key !== key);
    this.#forget(key);
    this.#emitChange();
  }

  /** Another holder of the store may send them, as soon as the user logs in there. */
  #suspend(): void {
    this.#stopAdopting();
    this.#stopAdopting = () => undefined;
    this.#userId = null;
    for (const { items } of this.#queues.values()) for (const queued of items) this.#suspended.set(queued.change.key, queued);
    this.#clear();
  }

  #clear(): void {
    this.#queues.clear();
    this.#unsafe.clear();
    this.#refused = [];
    this.#emitChange();
  }

  #take(changes: readonly KeptChange[]): void {
    const known = new Set([...this.waiting, ...this.#refused].map(({ key }) => key));
    for (const change of changes) {
      if (known.has(change.key)) continue;
      if (change.refusal === null) this.#adopt(change);
      else this.#refused = [...this.#refused, change];
    }
    this.#emitChange();
  }

  #adopt(change: KeptChange): void {
    const suspended = this.#suspended.get(change.key);
    this.#suspended.delete(change.key);
    const queued = suspended ?? newQueued(change, {});
    this.#enqueue(queued);
    // Whoever shows it reports its refusal; the list has it in any case.
    queued.result.catch(() => undefined);
    for (const listener of [...this.#adoptListeners]) listener(queued);
  }

  #enqueue(queued: Queued): void {
    const { boardId } = queued.change;
    const queue = this.#queues.get(boardId) ?? { items: [], isSending: false };
    this.#queues.set(boardId, queue);
    queue.items.push(queued);
    this.#emitChange();
    void this.#sendAll(boardId);
  }

  /**
   * One at a time: the service must see them in the order in which the user made them, and a change may need what the
   * one before creates.
   */
  async #sendAll(boardId: string): Promise<void> {
    const queue = this.#queues.get(boardId);
    if (queue === undefined || queue.isSending) return;
    queue.isSending = true;
    for (let [first] = queue.items; first !== undefined; [first] = queue.items) {
      const settle = await this.#attempt(first);
      // Suspended or discarded meanwhile.
      if (this.#queues.get(boardId) !== queue) return;
      queue.items.shift();
      settle();
      this.#emitChange();
    }
    queue.isSending = false;
    if (queue.items.length === 0) this.#queues.delete(boardId);
  }

  /** Sends a change, and returns how it ends. */
  async #attempt(queued: Queued): Promise<() => void> {
    const { change, options, resolve, reject } = queued;
    try {
      const result = await this.#sendUntilAnswered(change, options);
      return () => {
        this.#forget(change.key);
        resolve(result);
      };
    } catch (error) {
      if (isLoggedOut(error) && this.#userId !== null && this.#options.store !== null) {
        this.#suspend();
        this.#listeners.emit('loggedOut', { error });
      }
      return () => {
        if (options.signal?.aborted === true) this.#forget(change.key);
        else this.#refuse(change, error);
        reject(error);
      };
    }
  }

  async #sendUntilAnswered(change: KeptChange, options: CallOptions): Promise<ChangeResult> {
    const { clock } = this.#options;
    const retry = options.retry ?? this.#options.retry;
    const asUser = this.#userId;
    const send = (sent: KeptChange, given: CallOptions): Promise<ChangeResult> =>
      this.#options.send(sent, asUser === null ? given : { ...given, asUser });
    for (let since = change.madeAt; ; ) {
      if (clock.now() - since >= KEY_LIFE_MS) {
        if ((await this.#verdict(change)) === 'made') return { body: undefined, position: null };
        since = clock.now();
      }
      if (retry !== undefined) return await send(change, { ...options, retry });
      try {
        return await send(change, { ...options, retry: { ...UNTIL_ANSWERED, maxMs: since + KEY_LIFE_MS - clock.now() } });
      } catch (error) {
        if (error instanceof ApiError && error.status !== 429 && error.status !== 503) throw error;
        if (options.signal?.aborted === true || clock.now() - since < KEY_LIFE_MS) throw error;
      }
    }
  }

  async #verdict(change: KeptChange): Promise<'open' | 'made'> {
    const verdict = verdictOn(await this.#options.readBoard(change.boardId), change);
    if (verdict === 'stale') throw new StaleChange();
    return verdict;
  }

  /** Without a store there is only the caller to decide. */
  #refuse(change: KeptChange, error: unknown): void {
    if (this.#options.store === null) return;
    const refused = { ...change, refusal: refusalIn(error) };
    this.#refused = [...this.#refused, refused];
    this.#keep(refused);
  }

  #keep(change: KeptChange): void {
    const { store } = this.#options;
    if (store === null || this.#userId === null) return;
    store.put(this.#userId, change).catch((error: unknown) => this.#noteUnsafe(change, error));
  }

  #forget(key: string): void {
    const { store } = this.#options;
    this.#unsafe.delete(key);
    if (store === null || this.#userId === null) return;
    // If it stays in the store it is sent again, and the service recognizes its key.
    store.remove(this.#userId, key).catch((error: unknown) => this.#listeners.emit('unsafe', { error }));
  }

  #noteUnsafe({ key }: KeptChange, error: unknown): void {
    this.#unsafe.add(key);
    this.#listeners.emit('unsafe', { error });
  }

  #emitChange(): void {
    this.#listeners.emit('change', null);
  }
}

function newQueued(change: KeptChange, options: CallOptions): Queued {
  let [resolve, reject]: [Queued['resolve'], Queued['reject']] = [() => undefined, () => undefined];
  const result = new Promise<ChangeResult>((resolved, rejected) => {
    [resolve, reject] = [resolved, rejected];
  });
  return { change, options, result, resolve, reject };
}

/** It waited longer than the service keeps its key, and does not fit any more. */
export class StaleChange extends Error {
  override readonly name = 'StaleChange';

  constructor() {
    super(STALE);
  }
}

function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof ApiError) return { status: error.status, detail: error.detail };
  return { status: 0, detail: error instanceof StaleChange ? error.message : 'The service did not answer.' };
}
