/** Entries on their way to the directory, off the path of requests: a few commands at a time, again if it is out of reach. */
import { AUDIT_BATCH, type AuditEntry } from '../domain/audit.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';

export interface AuditQueueOptions {
  readonly directory: DirectoryPort;
  /** Called with every failure that a repetition does not cure. */
  readonly onError: (error: unknown) => void;
  readonly retryMs?: number;
}

/** About 5 MB. The file has what no longer fits. */
const MAX_WAITING = 10_000;
const RETRY_MS = 1_000;

export class AuditQueue {
  readonly #directory: DirectoryPort;
  readonly #onError: (error: unknown) => void;
  readonly #retryMs: number;
  readonly #waiting: AuditEntry[] = [];
  #sending: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #lost = 0;
  #isClosed = false;

  constructor({ directory, onError, retryMs = RETRY_MS }: AuditQueueOptions) {
    this.#directory = directory;
    this.#onError = onError;
    this.#retryMs = retryMs;
  }

  get lostEntries(): number {
    return this.#lost;
  }

  add(entry: AuditEntry): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(entry);
    if (this.#retry === null) this.#start();
  }

  /** Sends what waits, once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#start();
    await this.#sending;
  }

  #start(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.slice(0, AUDIT_BATCH);
      try {
        await this.#directory.ask('audit.add', { entries });
      } catch (error) {
        if (error instanceof AppError && error.code === 'unavailable') return this.#retryLater();
        this.#lost += entries.length;
        this.#onError(error);
      }
      this.#waiting.splice(0, entries.length);
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#start();
    }, this.#retryMs).unref();
  }
}
