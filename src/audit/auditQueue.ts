/** Entries on their way to the directory, off the path of requests: a few commands at a time, again if it is out of reach. */
import { AUDIT_BATCH, type AuditEntry } from '../domain/audit.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import { RetriedWork } from './retriedWork.js';

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
  readonly #waiting: AuditEntry[] = [];
  readonly #sending: RetriedWork;
  #lost = 0;

  constructor({ directory, onError, retryMs = RETRY_MS }: AuditQueueOptions) {
    this.#directory = directory;
    this.#onError = onError;
    this.#sending = new RetriedWork(() => this.#sendAll(), retryMs);
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
    this.#sending.start();
  }

  /** Sends what waits, once. */
  close(): Promise<void> {
    return this.#sending.close();
  }

  async #sendAll(): Promise<'finished' | 'later'> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.slice(0, AUDIT_BATCH);
      try {
        await this.#directory.ask('audit.add', { entries });
      } catch (error) {
        if (error instanceof AppError && error.code === 'unavailable') return 'later';
        this.#lost += entries.length;
        this.#onError(error);
      }
      this.#waiting.splice(0, entries.length);
    }
    return 'finished';
  }
}
