/**
 * The changes of the user that the service has not made yet. Changes of a board are sent one after another, until they
 * are answered. What the service refuses stays in a list until the user decides; nothing is dropped.
 */
import { ApiError } from '../apiError.js';
import { abortedBy } from '../abort.js';
import type { CallOptions } from '../calls/call.js';
import { newKey } from '../calls/idempotencyKey.js';
import { FOREVER, KEY_LIFE_MS, type RetryOptions } from '../calls/retry.js';
import type { Clock } from '../clock.js';
import { Listeners } from '../listeners.js';
import type { FullBoard } from '../resources.js';
import { verdictOn } from './basis.js';
import type { ChangeStore, KeptChange, Refusal } from './changeStore.js';
import { withNewBase } from './textBase.js';
import { OvertakenChange, StaleChange, WithdrawnChange, type ChangeResult, type Unsent, type UnsentEvents, type Waiting } from './unsent.js';

export interface UnsentOptions {
  /** Null: they end with the program. */
  readonly store: ChangeStore | null;
  readonly clock: Clock;
  /** For changes that do not say it. */
  readonly retry: RetryOptions | false | undefined;
  send(change: KeptChange, options: CallOptions): Promise<ChangeResult>;
  readBoard(boardId: string, options: CallOptions): Promise<FullBoard>;
}

interface Queued extends Waiting {
  change: KeptChange;
  readonly options: CallOptions;
  /** The login in which it was queued. */
  login: number;
  resolve(result: ChangeResult): void;
  reject(error: unknown): void;
}

interface Queue {
  readonly items: Queued[];
  isSending: boolean;
}

const NOTHING = (): void => undefined;

export class UnsentChanges implements Unsent {
  readonly #options: UnsentOptions;
  readonly #listeners = new Listeners<UnsentEvents>();
  readonly #queues = new Map<string, Queue>();
  readonly #adoptListeners = new Set<(waiting: Waiting) => void>();
  /** Of changes that are not in the store. */
  readonly #unsafe = new Set<string>();
  #refused: readonly KeptChange[] = [];
  /** Whose changes these are, also after the end of the session. */
  #userId: string | null = null;
  /** Rises with every `resume`. */
  #login = 0;
  /** Aborted when the session ends: what is under way is not repeated in another. */
  #session = new AbortController();
  /** `adopting`: what comes first may still be in the store. */
  #state: 'sending' | 'adopting' | 'logged out' = 'sending';
  #stopAdopting: () => void = NOTHING;

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
    if (userId === this.#userId && this.#state !== 'logged out') return;
    this.suspend();
    if (this.#userId !== null && this.#userId !== userId) this.#drop('Another user has logged in');
    const isFirst = this.#userId === null;
    this.#userId = userId;
    this.#login += 1;
    this.#session = new AbortController();
    if (isFirst) this.#keepAll();
    if (store === null) return this.#begin();
    this.#state = 'adopting';
    const login = this.#login;
    this.#stopAdopting = store.adopt(userId, (changes, isWhole = true) => this.#take(changes, login, isWhole));
  }

  /** What was queued before anybody was known to be logged in belongs to the first who is. */
  #keepAll(): void {
    for (const { items } of this.#queues.values()) {
      for (const queued of items) {
        queued.login = this.#login;
        this.#keep(queued.change);
      }
    }
  }

  /** Nothing is sent until `resume`; another holder of the store may send what waits, if the user is logged in there. */
  suspend(): void {
    this.#state = 'logged out';
    this.#stopAdopting();
    this.#stopAdopting = NOTHING;
    this.#session.abort();
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
    const queued = this.#newQueued(change, options);
    this.#enqueue(queued);
    this.#keep(change);
    return queued.result;
  }

  /** Refuses it without sending it. */
  setAside(change: KeptChange, error: OvertakenChange): void {
    this.#refuse(change, error);
    this.#emitChange();
  }

  retry(key: string): void {
    const change = this.#refused.find((each) => each.key === key);
    if (change === undefined) return;
    this.#refused = this.#refused.filter((each) => each !== change);
    // The user has seen what became of the board, and wants it all the same. A second card is not made all the same.
    const isCreation = change.name.endsWith('.create');
    const again = isCreation ? { ...change, refusal: null } : { ...change, key: newKey(), madeAt: this.#options.clock.now(), refusal: null };
    this.#adopt(again);
    this.#keep(again);
    if (!isCreation) this.#forget(key);
  }

  discard(key: string): void {
    this.#refused = this.#refused.filter((each) => each.key !== key);
    this.#forget(key);
    this.#emitChange();
  }

  discardAll(): void {
    for (const { key } of [...this.waiting, ...this.#refused]) this.#forget(key);
    this.#session.abort();
    this.#session = new AbortController();
    this.#drop('Discarded');
  }

  /** From memory. */
  #drop(reason: string): void {
    const queues = [...this.#queues.values()];
    this.#queues.clear();
    this.#unsafe.clear();
    this.#refused = [];
    for (const { items } of queues) for (const { reject } of items) reject(new WithdrawnChange(reason));
    this.#emitChange();
  }

  #begin(): void {
    this.#state = 'sending';
    for (const boardId of [...this.#queues.keys()]) void this.#sendAll(boardId);
  }

  #take(changes: readonly KeptChange[], login: number, isWhole: boolean): void {
    if (login !== this.#login || this.#state === 'logged out') return;
    if (this.#state === 'adopting' && isWhole) this.#leaveToOthers(new Set(changes.map(({ key }) => key)));
    const known = new Set([...this.waiting, ...this.#refused].map(({ key }) => key));
    for (const change of changes) {
      if (known.has(change.key)) continue;
      if (change.refusal === null) this.#adopt(change);
      else this.#refused = [...this.#refused, change];
    }
    this.#emitChange();
    this.#begin();
  }

  /** What waited for this login and is not in the store any more was taken over by another holder: it will come as an event. */
  #leaveToOthers(stored: ReadonlySet<string>): void {
    for (const [boardId, { items }] of this.#queues) {
      const gone = items.filter(({ change: { key }, login }) => login < this.#login && !stored.has(key) && !this.#unsafe.has(key));
      const left = items.filter((item) => !gone.includes(item));
      if (left.length === 0) this.#queues.delete(boardId);
      else this.#queues.set(boardId, { items: left, isSending: false });
      for (const { resolve } of gone) resolve({ body: undefined, position: null });
    }
    this.#refused = this.#refused.filter(({ key }) => stored.has(key) || this.#unsafe.has(key));
  }

  #adopt(change: KeptChange): void {
    const queued = this.#newQueued(change, {});
    this.#enqueue(queued);
    // The connection that shows the change reports its refusal, and the list contains it.
    queued.result.catch(NOTHING);
    for (const listener of [...this.#adoptListeners]) listener(queued);
  }

  #newQueued(change: KeptChange, options: CallOptions): Queued {
    let [resolve, reject]: [Queued['resolve'], Queued['reject']] = [NOTHING, NOTHING];
    const result = new Promise<ChangeResult>((resolved, rejected) => {
      [resolve, reject] = [resolved, rejected];
    });
    return { change, options, login: this.#login, result, resolve, reject };
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
    if (queue === undefined || queue.isSending || this.#state !== 'sending') return;
    const session = this.#session;
    queue.isSending = true;
    for (let [first] = queue.items; first !== undefined; [first] = queue.items) {
      const settle = await this.#attempt(first, session.signal);
      if (session.signal.aborted || this.#queues.get(boardId) !== queue) break;
      queue.items.shift();
      settle();
      this.#emitChange();
    }
    queue.isSending = false;
    if (queue.items.length === 0 && this.#queues.get(boardId) === queue) this.#queues.delete(boardId);
    // The next session has begun meanwhile.
    if (session !== this.#session) void this.#sendAll(boardId);
  }

  /** Sends a change, and returns how it ends. */
  async #attempt({ change, options, resolve, reject }: Queued, session: AbortSignal): Promise<() => void> {
    try {
      const result = await this.#sendUntilAnswered(change, options, session);
      return () => {
        this.#forget(change.key);
        this.#renewBases(change, result.body);
        resolve(result);
      };
    } catch (error) {
      if (session.aborted) return NOTHING;
      if (isLoggedOut(error) && this.#userId !== null && this.#options.store !== null) {
        this.suspend();
        this.#listeners.emit('loggedOut', { error });
        return NOTHING;
      }
      return () => {
        if (options.signal?.aborted === true) this.#forget(change.key);
        else this.#refuse(change, error);
        reject(error);
      };
    }
  }

  #renewBases(made: KeptChange, answer: unknown): void {
    for (const queued of this.#queues.get(made.boardId)?.items ?? []) {
      const renewed = withNewBase(queued.change, made, answer);
      if (renewed === null) continue;
      queued.change = renewed;
      this.#keep(renewed);
    }
  }

  /** The service recognizes the key of a change for a day; then the board is compared before it is sent again. */
  async #sendUntilAnswered(change: KeptChange, options: CallOptions, session: AbortSignal): Promise<ChangeResult> {
    const { clock, send } = this.#options;
    const retry = options.retry ?? this.#options.retry ?? FOREVER;
    const given = { ...options, retry, ...(this.#userId === null ? {} : { asUser: this.#userId }) };
    for (let since = change.madeAt; ;) {
      if (clock.now() - since >= KEY_LIFE_MS) {
        const signal = abortedBy(options.signal, session);
        if ((await this.#verdict(change, { ...given, retry: FOREVER, signal })) === 'made') return { body: undefined, position: null };
        since = clock.now();
      }
      const aged = new AbortController();
      const timer = clock.set(() => aged.abort(), since + KEY_LIFE_MS - clock.now());
      try {
        return await send(change, { ...given, signal: abortedBy(options.signal, session, aged.signal) });
      } catch (error) {
        if (!aged.signal.aborted || session.aborted || options.signal?.aborted === true) throw error;
      } finally {
        clock.clear(timer);
      }
      since = -Infinity;
    }
  }

  async #verdict(change: KeptChange, options: CallOptions): Promise<'open' | 'made'> {
    const verdict = verdictOn(await this.#options.readBoard(change.boardId, options), change);
    if (verdict === 'stale') throw new StaleChange();
    return verdict;
  }

  #refuse(change: KeptChange, error: unknown): void {
    if (this.#options.store === null) return;
    const refused = { ...change, refusal: refusalIn(error) };
    this.#refused = [...this.#refused, refused];
    this.#keep(refused);
  }

  #keep(change: KeptChange): void {
    const { store } = this.#options;
    const { key } = change;
    if (store === null || this.#userId === null) return;
    store.put(this.#userId, change).then(
      () => this.#unsafe.delete(key),
      (error: unknown) => {
        // Answered meanwhile.
        if (![...this.waiting, ...this.#refused].some((each) => each.key === key)) return;
        this.#unsafe.add(key);
        this.#listeners.emit('unsafe', { error });
      },
    );
  }

  #forget(key: string): void {
    const { store } = this.#options;
    this.#unsafe.delete(key);
    if (store === null || this.#userId === null) return;
    // If it stays in the store it is sent again, and the service recognizes its key.
    store.remove(this.#userId, key).catch(NOTHING);
  }

  #emitChange(): void {
    this.#listeners.emit('change', null);
  }
}

function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof ApiError) return { status: error.status, detail: error.detail };
  const isOwn = error instanceof StaleChange || error instanceof OvertakenChange;
  return { status: 0, detail: isOwn ? error.message : 'The service did not answer.' };
}
