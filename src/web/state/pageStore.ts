/**
 * The changes that the service has not answered, in the browser's database: they outlive a reload, a closed window and a
 * crash. Each window sends its own; those of a window that is gone are taken over by another.
 */
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
  remove: (userId, key) => {
    erase(key);
    return transact('readwrite', async (changes) => {
      const order = await answered(changes.index(BY_KEY).getKey([userId, key]));
      if (order !== undefined) await answered(changes.delete(order));
    });
  },
  adopt: (userId, take) => {
    const adopting = new AbortController();
    void new Adoption(userId, take, adopting.signal).start();
    return () => adopting.abort();
  },
};

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
  localStorage.removeItem(NOTE_PREFIX + key);
}

function noted(): Array<Required<Row>> {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(NOTE_PREFIX));
  return names.flatMap((name) => (JSON.parse(localStorage.getItem(name) ?? '[]') as Required<Row> | []));
}

/** Moves the notes of a window that is gone into the database. */
async function collectNotes(holder: string): Promise<void> {
  const own = noted().filter((row) => row.holder === holder);
  if (own.length === 0) return;
  own.sort((one, other) => one.order - other.order);
  await transact('readwrite', async (changes) => {
    for (const { order: _order, ...row } of own) await write(changes, row);
  });
  for (const { key } of own) erase(key);
}

/** Takes over the changes of one user from windows that are gone. */
class Adoption {
  readonly #userId: string;
  readonly #take: (changes: readonly KeptChange[]) => void;
  readonly #signal: AbortSignal;
  readonly #watched = new Set<string>([HOLDER]);

  constructor(userId: string, take: (changes: readonly KeptChange[]) => void, signal: AbortSignal) {
    this.#userId = userId;
    this.#take = take;
    this.#signal = signal;
  }

  async start(): Promise<void> {
    const channel = new BroadcastChannel(DATABASE);
    this.#signal.addEventListener('abort', () => channel.close());
    channel.onmessage = ({ data }) => void this.#watch(String(data));
    await isHeld;
    channel.postMessage(HOLDER);
    try {
      // Those of an earlier login in this window.
      await this.#takeOver(HOLDER);
      const holders = [...noted().map(({ holder }) => holder), ...(await transact('readonly', (changes) => answered(changes.getAll() as IDBRequest<Row[]>))).map(({ holder }) => holder)];
      for (const other of [...(await otherWindows()), ...holders]) void this.#watch(other);
    } catch (error) {
      // Nothing can be read, so there is nothing to send. Writing reports the same to the user.
      console.error(error);
    }
  }

  /** Until the other window is gone. */
  async #watch(other: string): Promise<void> {
    if (this.#watched.has(other)) return;
    this.#watched.add(other);
    // Without locks it is not known who lives; two windows may then send the same, and the service recognizes its key.
    if (locks === undefined) return this.#takeOver(other);
    try {
      await locks.request(LOCK_PREFIX + other, { signal: this.#signal }, () => this.#takeOver(other));
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  async #takeOver(other: string): Promise<void> {
    if (other !== HOLDER) await collectNotes(other);
    const taken = await transact('readwrite', async (changes) => {
      const rows = (await answered(changes.getAll() as IDBRequest<Row[]>)).filter(({ userId, holder }) => userId === this.#userId && holder === other);
      for (const row of rows) changes.put({ ...row, holder: HOLDER });
      return rows.map(({ change }) => change);
    });
    if (!this.#signal.aborted && taken.length > 0) this.#take(taken);
  }
}

/** Missing on pages without HTTPS. */
const locks = navigator.locks as LockManager | undefined;
/** The others wait for its end. */
const isHeld = new Promise<void>((resolve) => {
  if (locks === undefined) return resolve();
  void locks.request(LOCK_PREFIX + HOLDER, () => {
    resolve();
    return new Promise(() => undefined);
  });
});

async function otherWindows(): Promise<string[]> {
  const { held = [] } = (await locks?.query()) ?? {};
  return held.flatMap(({ name = '' }) => (name.startsWith(LOCK_PREFIX) ? [name.slice(LOCK_PREFIX.length)] : []));
}

let opened: Promise<IDBDatabase> | null = null;

function database(): Promise<IDBDatabase> {
  opened ??= openDatabase().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

async function openDatabase(): Promise<IDBDatabase> {
  await isHeld;
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
  const transaction = (await database()).transaction(CHANGES, mode);
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
