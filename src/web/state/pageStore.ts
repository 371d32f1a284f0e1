/**
 * The changes that the service has not answered, in the browser's database: they outlive a reload, a closed window and a
 * crash. Each window sends its own; another takes over changes of a window that is gone.
 */
import { inTime } from '../kept/pageTable.js';
import { newKey, type ChangeStore, type KeptChange } from '../../client/index.js';

const DATABASE = 'switchboard';
const VERSION = 1;
const CHANGES = 'changes';
const BY_KEY = 'by key';

interface Row {
  /** Rises in the order in which the changes were made. */
  readonly order?: number;
  readonly userId: string;
  readonly key: string;
  /** The window that sends it. */
  readonly holder: string;
  readonly change: KeptChange;
}

/** This window. */
const HOLDER = newKey();
const LOCK_PREFIX = 'switchboard window ';

export const pageStore: ChangeStore = {
  put: async (userId, change) => {
    const row: Row = { userId, key: change.key, holder: HOLDER, change };
    const isNoted = note(row);
    try {
      await transact('readwrite', (changes) => write(changes, row));
      erase(change.key);
    } catch (error) {
      if (!isNoted) throw error;
    }
  },
  remove: async (userId, key) => {
    erase(key);
    await transact('readwrite', async (changes) => {
      const order = await answered(changes.index(BY_KEY).getKey([userId, key]));
      if (order !== undefined) await answered(changes.delete(order));
    });
  },
  adopt: (userId, take) => {
    const adopting = new AbortController();
    const start = async (): Promise<void> => new Adoption(userId, take, adopting.signal).start();
    start().catch((error: unknown) => {
      if (adopting.signal.aborted) return;
      console.warn(error);
      take([], false);
    });
    return () => adopting.abort();
  },
};

/** What is kept for a user, also by other windows, in the order in which it was made. It is only read. Null if the database does not answer. */
export async function keptChanges(userId: string): Promise<readonly KeptChange[] | null> {
  const rows = await allRows();
  if (isSilent) return null;
  const own = [...rows, ...noted()].filter((row) => row.userId === userId);
  const changes = new Map(own.map(({ key, change }) => [key, change]));
  return [...changes.values()].sort((one, other) => one.madeAt - other.madeAt);
}

async function write(changes: IDBObjectStore, row: Row): Promise<void> {
  const order = await answered(changes.index(BY_KEY).getKey([row.userId, row.key]));
  await answered(order === undefined ? changes.add(row) : changes.put({ ...row, order }));
}

/**
 * The database answers some milliseconds later, and nothing must be shown before it is written. So a change is noted
 * here first, where writing takes no time, until the database has it.
 */
const NOTE_PREFIX = 'unsent ';
let notes = 0;

function note(row: Row): boolean {
  notes += 1;
  try {
    localStorage.setItem(NOTE_PREFIX + row.key, JSON.stringify({ ...row, order: Date.now() + notes / 1_000 }));
    return true;
  } catch {
    // It is full, or not allowed. The database decides.
    return false;
  }
}

function erase(key: string): void {
  try {
    localStorage.removeItem(NOTE_PREFIX + key);
  } catch {
    // It is not allowed, so nothing was noted.
  }
}

/** Those that can be read. */
function noted(): Array<Required<Row>> {
  return readable(() =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith(NOTE_PREFIX))
      .flatMap((name) => readable(() => JSON.parse(localStorage.getItem(name) ?? '[]') as Required<Row> | [])),
  );
}

function readable<Read>(read: () => Read): Read | [] {
  try {
    return read();
  } catch (error) {
    console.warn(error);
    return [];
  }
}

/** The database counts in the order in which changes reach it: a note that is taken over reaches it late. */
function inOrder(one: Row, next: Row): number {
  return one.change.madeAt - next.change.madeAt || (one.order ?? 0) - (next.order ?? 0);
}

/** Moves the notes of a window that is gone into the database. */
async function collectNotes(holder: string, userId: string): Promise<void> {
  const own = noted().filter((row) => row.holder === holder && row.userId === userId);
  if (own.length === 0) return;
  own.sort(inOrder);
  await transact('readwrite', async (changes) => {
    for (const { order: _order, ...row } of own) await write(changes, row);
  });
  for (const { key } of own) erase(key);
}

/** Takes over the changes of one user from windows that are gone. */
class Adoption {
  readonly #userId: string;
  readonly #take: Parameters<ChangeStore['adopt']>[1];
  readonly #signal: AbortSignal;
  readonly #watched = new Set<string>([HOLDER]);
  readonly #channel = new BroadcastChannel(DATABASE);
  /** What the database has of this window is known. */
  #isRead = true;

  constructor(userId: string, take: Parameters<ChangeStore['adopt']>[1], signal: AbortSignal) {
    this.#userId = userId;
    this.#take = take;
    this.#signal = signal;
  }

  async start(): Promise<void> {
    this.#channel.onmessage = ({ data }: MessageEvent<Holding>) => {
      if (data.userId === this.#userId) void this.#watch(data.holder);
    };
    await this.#hold();
    await this.#adoptAll();
    if (!isSilent) return;
    // What this window makes is sent meanwhile.
    await openedDatabase();
    await this.#adoptAll();
  }

  async #adoptAll(): Promise<void> {
    const holdings = [...(await otherWindows()), ...noted(), ...(await allRows())].filter(({ userId }) => userId === this.#userId);
    const others = [...new Set(holdings.map(({ holder }) => holder))].filter((holder) => holder !== HOLDER);
    // Changes of an earlier login in this window, and of windows that are gone; perhaps none.
    const rows = await this.#rowsOf(HOLDER);
    for (const other of others) rows.push(...(await this.#rowsIfGone(other)));
    this.#hand(rows);
    for (const other of others) void this.#watch(other);
  }

  /** While this window sends the changes of the user, and lives. */
  async #hold(): Promise<void> {
    this.#signal.addEventListener('abort', () => this.#channel.close());
    const ended = new Promise((resolve) => this.#signal.addEventListener('abort', resolve));
    const { locks } = navigator as { readonly locks?: LockManager };
    await new Promise<void>((resolve, reject) => {
      if (locks === undefined) return resolve();
      const held = (): Promise<unknown> => {
        resolve();
        return ended;
      };
      locks.request(lockName({ holder: HOLDER, userId: this.#userId }), { signal: this.#signal }, held).catch(reject);
    });
    this.#channel.postMessage({ holder: HOLDER, userId: this.#userId } satisfies Holding);
  }

  /** Until the other window is gone, or sends nothing of this user any more. */
  async #watch(other: string): Promise<void> {
    if (this.#watched.has(other)) return;
    this.#watched.add(other);
    const { locks } = navigator as { readonly locks?: LockManager };
    // Without locks, this window cannot know when another one ends.
    if (locks === undefined) return;
    try {
      await locks.request(lockName({ holder: other, userId: this.#userId }), { signal: this.#signal }, async () =>
        this.#hand(await this.#rowsOf(other)),
      );
    } catch (error) {
      if (!this.#signal.aborted) console.error(error);
    }
    this.#watched.delete(other);
  }

  /** Without locks it is not known who lives; two windows may then send the same, and the service recognizes its key. */
  async #rowsIfGone(other: string): Promise<Row[]> {
    const { locks } = navigator as { readonly locks?: LockManager };
    if (locks === undefined) return this.#rowsOf(other);
    const rowsIf = (lock: Lock | null): Promise<Row[]> => (lock === null ? Promise.resolve([]) : this.#rowsOf(other));
    return locks.request(lockName({ holder: other, userId: this.#userId }), { ifAvailable: true }, rowsIf);
  }

  #hand(rows: readonly Row[]): void {
    if (this.#signal.aborted) return;
    const changes = [...rows].sort(inOrder).map(({ change }) => change);
    this.#take(changes, this.#isRead);
  }

  /** They are this window's from now on. If the database fails, what was noted. */
  async #rowsOf(other: string): Promise<Row[]> {
    const isTheirs = ({ userId, holder }: Row): boolean => userId === this.#userId && holder === other;
    try {
      // This window writes its own notes itself.
      if (other !== HOLDER) await collectNotes(other, this.#userId);
      const rows = await transact('readwrite', async (changes) => {
        const theirs = (await answered(changes.getAll() as IDBRequest<Row[]>)).filter(isTheirs);
        for (const row of theirs) changes.put({ ...row, holder: HOLDER });
        return theirs;
      });
      if (other !== HOLDER) return rows;
      this.#isRead = true;
      // A change that the database did not take is only noted.
      const notes = noted().filter(isTheirs);
      const keys = new Set(notes.map(({ key }) => key));
      return [...rows.filter(({ key }) => !keys.has(key)), ...notes];
    } catch {
      if (other === HOLDER) this.#isRead = false;
      const notes = noted().filter(isTheirs).sort(inOrder);
      if (other !== HOLDER) notes.forEach((row) => note({ ...row, holder: HOLDER }));
      return notes;
    }
  }
}

/** A window that sends the changes of a user. */
interface Holding {
  readonly holder: string;
  readonly userId: string;
}

/** Held by the window; the others wait for its end. Browsers have no locks on pages without HTTPS. */
function lockName({ holder, userId }: Holding): string {
  return `${LOCK_PREFIX}${holder} ${userId}`;
}

async function otherWindows(): Promise<Holding[]> {
  const { locks } = navigator as { readonly locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  return held.flatMap(({ name = '' }) => {
    const [holder, userId] = name.startsWith(LOCK_PREFIX) ? name.slice(LOCK_PREFIX.length).split(' ') : [];
    return holder === undefined || userId === undefined ? [] : [{ holder, userId }];
  });
}

/** None if the database cannot be read: then there are only notes. */
function allRows(): Promise<Row[]> {
  return transact('readonly', (changes) => answered(changes.getAll() as IDBRequest<Row[]>)).catch(() => []);
}

let opened: Promise<IDBDatabase> | null = null;
/** It is asked to open, and has not answered in time: until it does, it counts as one that cannot be read. */
let isSilent = false;

async function database(): Promise<IDBDatabase> {
  const asked = openedDatabase();
  const made = isSilent ? null : await inTime(asked, null);
  if (made !== null) return made;
  isSilent = true;
  const answers = (): void => void (isSilent = false);
  asked.then(answers, answers);
  throw new Error('no answer');
}

function openedDatabase(): Promise<IDBDatabase> {
  opened ??= openDatabase().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, VERSION);
  request.onupgradeneeded = () => {
    const changes = request.result.createObjectStore(CHANGES, { keyPath: 'order', autoIncrement: true });
    changes.createIndex(BY_KEY, ['userId', 'key'], { unique: true });
  };
  const made = await answered(request);
  // A newer page wants to change it, or the user has cleared the data of the site.
  const letGo = (): void => {
    made.close();
    opened = null;
  };
  made.onversionchange = letGo;
  made.onclose = letGo;
  return made;
}

/** Resolves when what was done is in the database. */
async function transact<T>(mode: IDBTransactionMode, work: (changes: IDBObjectStore) => Promise<T>): Promise<T> {
  const transaction = (await database()).transaction(CHANGES, mode, { durability: 'strict' });
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave a transaction up'));
  });
  const [result] = await Promise.all([work(transaction.objectStore(CHANGES)), done]);
  return result;
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser refused a request to its database'));
  });
}
