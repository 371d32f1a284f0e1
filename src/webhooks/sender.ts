/** The I/O thread's end of the thread that delivers. It runs while there is something to deliver. */
import { Worker } from 'node:worker_threads';
import type { FromThread, Job, JobResult, ThreadSettings, ToThread } from './messages.js';

/** An idle thread ends so long after its last job. */
const IDLE_MS = 30_000;
const NOTHING_DONE: JobResult = { deliveries: [], end: 'stopped' };

export interface SenderOptions extends ThreadSettings {
  /** The thread has ended with all its jobs. */
  readonly onError: (error: Error) => void;
  /** A delivery could not be made, for the first time. */
  readonly onFault: (stack: string) => void;
}

export class Sender {
  readonly #options: SenderOptions;
  #worker: Worker | null = null;
  readonly #running = new Map<number, (result: JobResult) => void>();
  #next = 1;
  #idle: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Never rejects: what was not done is tried again. */
  deliver(job: Job, signal?: AbortSignal): Promise<JobResult> {
    if (this.#isClosed || signal?.aborted === true) return Promise.resolve(NOTHING_DONE);
    if (this.#idle !== null) clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    const id = this.#next++;
    const stop = (): void => this.#stop(worker, id);
    signal?.addEventListener('abort', stop, { once: true });
    return new Promise((resolve) => {
      this.#running.set(id, (result) => {
        signal?.removeEventListener('abort', stop);
        resolve(result);
      });
      worker.postMessage({ kind: 'job', id, job } satisfies ToThread);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /** The delivery that is under way may still arrive, and is made again. */
  #stop(worker: Worker, id: number): void {
    if (!this.#running.has(id)) return;
    worker.postMessage({ kind: 'stop', id } satisfies ToThread);
    this.#settle(id, NOTHING_DONE);
  }

  #start(): Worker {
    const { allowed, onError, onFault } = this.#options;
    const worker = new Worker(new URL('./deliveryThread.js', import.meta.url), { workerData: { allowed } satisfies ThreadSettings });
    this.#worker = worker;
    worker.unref();
    worker.on('message', ({ id, result }: FromThread) => {
      if (result.fault !== undefined) onFault(result.fault);
      this.#settle(id, result);
    });
    worker.on('error', onError);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#lost();
    });
    return worker;
  }

  #settle(id: number, result: JobResult): void {
    const resolve = this.#running.get(id);
    this.#running.delete(id);
    resolve?.(result);
    if (this.#running.size > 0) return;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  #lost(): void {
    this.#worker = null;
    for (const id of [...this.#running.keys()]) this.#settle(id, NOTHING_DONE);
  }

  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker === null || (this.#running.size > 0 && !this.#isClosed)) return;
    this.#lost();
    await worker.terminate();
  }
}
