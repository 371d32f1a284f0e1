/** A table in a database of the browser, opened for each transaction, so that no window holds up another. */
const VERSION = 1;

export class PageTable {
  readonly #database: string;
  readonly #name: string;
  readonly #create: (database: IDBDatabase) => unknown;

  /** `create` makes the table, when the database is new. */
  constructor(database: string, name: string, create: (database: IDBDatabase) => unknown) {
    this.#database = database;
    this.#name = name;
    this.#create = create;
  }

  async transact<T>(mode: IDBTransactionMode, work: (table: IDBObjectStore) => Promise<T>): Promise<T> {
    const request = indexedDB.open(this.#database, VERSION);
    request.onupgradeneeded = () => void this.#create(request.result);
    const database = await answered(request);
    try {
      const transaction = database.transaction(this.#name, mode);
      const done = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave a transaction up'));
      });
      const [result] = await Promise.all([work(transaction.objectStore(this.#name)), done]);
      return result;
    } finally {
      database.close();
    }
  }
}

/** A database that is locked or broken may never answer, and must keep nobody in or out. */
const PATIENCE_MS = 2_000;

/** What the work answers, or `otherwise` if the database has not answered by then. The work goes on. */
export function inTime<T, Otherwise>(work: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Otherwise>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser refused a request to its database'));
  });
}
