/** Work on snapshots, each in a short-lived thread: a store thread that did it would keep its boards waiting. */
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorData } from '../domain/errors.js';
import type { SnapshotManifest } from '../log/snapshotManifest.js';
import type { FetchOptions } from './fetchSnapshot.js';
import type { TakeOptions } from './takeSnapshot.js';

export interface WorkPlace {
  readonly urls: readonly string[];
  readonly secret: string;
}

/** What the thread opens for itself. */
type Opened = 'server' | 'seal';

export type SnapshotWork =
  | (WorkPlace & { readonly kind: 'take' } & Omit<TakeOptions, Opened>)
  | (WorkPlace & { readonly kind: 'fetch' } & Omit<FetchOptions, Opened>);

export type WorkResult = { readonly ok: true; readonly manifest: SnapshotManifest } | { readonly ok: false; readonly error: ErrorData };

/** One piece of work at a time, in order. */
export class SnapshotWorker {
  #tail: Promise<unknown> = Promise.resolve();
  #current: Worker | null = null;
  #isClosed = false;

  run(work: SnapshotWork): Promise<SnapshotManifest> {
    const done = this.#tail.then(() => this.#start(work));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Work under way is given up. It leaves nothing visible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.terminate();
    await this.#tail;
  }

  #start(work: SnapshotWork): Promise<SnapshotManifest> {
    if (this.#isClosed) return Promise.reject(stopping());
    const worker = new Worker(new URL('../snapshotThread.js', import.meta.url), { workerData: work });
    this.#current = worker;
    return new Promise<SnapshotManifest>((resolve, reject) => {
      worker.once('message', (result: WorkResult) => {
        if (result.ok) resolve(result.manifest);
        else reject(AppError.from(result.error));
      });
      worker.once('error', reject);
      worker.once('exit', () => reject(stopping()));
    }).finally(() => {
      this.#current = null;
    });
  }
}

function stopping(): AppError {
  return new AppError('unavailable', 'The snapshot was given up: the service is stopping.');
}
