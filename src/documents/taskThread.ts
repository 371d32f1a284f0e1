/** The I/O thread's end of one document thread: one task at a time, callers in turn, within bounds of time and memory. */
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { FindPeople } from '../api/documentsPort.js';
import { AppError } from '../domain/errors.js';
import { FairQueue } from '../flow/fairQueue.js';
import type { FromThread, ToThread } from './messages.js';

/** Of the processor. The heaviest document takes a second or two. */
const TASK_MS = 30_000;
/** However little of the processor it gets. */
const MAX_TASK_MS = 300_000;
/** Between two looks at a task that gets little of the processor. */
const MIN_LOOK_MS = 100;
/** Tasks of all callers: a body has at most a mebibyte, and documents are limited before. */
const MAX_WAITING = 64;

export type Task = Exclude<ToThread, { kind: 'people' }>;

interface Job {
  readonly task: Task;
  readonly findPeople: FindPeople;
  readonly resolve: (answer: FromThread) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly job: Job;
  timer: NodeJS.Timeout;
  readonly startedAt: number;
  /** What the thread had used before. */
  cpuBefore: number;
}

export interface TaskThreadOptions {
  readonly start: () => Worker;
  /** An idle thread ends so long after its last task to free its memory. */
  readonly idleMs: (last: Task) => number;
  readonly onError: (error: Error) => void;
  readonly taskMs?: number;
  readonly maxTaskMs?: number;
}

export class TaskThread {
  readonly #options: TaskThreadOptions;
  readonly #waiting = new FairQueue<Job>({ max: MAX_WAITING, maxPerClient: MAX_WAITING });
  #worker: Worker | null = null;
  /** Where the system counts the time of the thread on the processor; null where there is no such file, undefined until it runs. */
  #clock: string | null | undefined;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: TaskThreadOptions) {
    this.#options = options;
  }

  /** Resolves with the result. The memory of the task is transferred. */
  perform(task: Task, caller: string, findPeople: FindPeople): Promise<FromThread> {
    if (this.#closed) return Promise.reject(unavailable('The service is stopping'));
    return new Promise((resolve, reject) => {
      const entered = this.#waiting.add(caller, { task, findPeople, resolve, reject });
      if (entered.kind !== 'entered') return reject(tooManyWaiting());
      entered.pushedOut?.reject(tooManyWaiting());
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const jobs = this.#waiting.drain();
    if (this.#running !== null) jobs.push(this.#takeRunning(this.#running));
    for (const job of jobs) job.reject(unavailable('The service is stopping'));
    await this.#endThread();
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const job = this.#waiting.take();
    if (job === undefined) return;
    if (this.#idle !== null) clearTimeout(this.#idle);
    let worker: Worker;
    try {
      worker = this.#worker ?? this.#start();
    } catch (error) {
      job.reject(error);
      return;
    }
    const timer = setTimeout(() => this.#lookAt(), this.#taskMs).unref();
    this.#running = { job, timer, startedAt: performance.now(), cpuBefore: this.#cpuMs() ?? 0 };
    worker.postMessage(job.task, transferable(job.task));
  }

  #start(): Worker {
    const worker = this.#options.start();
    this.#worker = worker;
    this.#clock = undefined;
    worker.unref();
    worker.on('message', (message: FromThread) => this.#receive(worker, message));
    worker.on('error', (error) => this.#options.onError(error));
    worker.on('exit', () => this.#noteExit(worker));
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker) return;
    if (message.kind === 'ready') {
      this.#clock = message.clock;
      if (this.#running !== null) this.#running.cpuBefore = this.#cpuMs() ?? 0;
      return;
    }
    if (this.#running === null) return;
    if (message.kind === 'people') {
      this.#publishToPeople(worker, this.#running, message.emails);
      return;
    }
    const { task, resolve } = this.#takeRunning(this.#running);
    // Before the next task: starting it clears the timer.
    this.#idle = setTimeout(() => void this.#endThread(), this.#options.idleMs(task)).unref();
    resolve(message);
    this.#next();
  }

  #publishToPeople(worker: Worker, running: Running, emails: readonly string[]): void {
    // The time of the directory does not count against the document.
    running.timer.refresh();
    running.job.findPeople(emails).then(
      (people) => {
        if (this.#running === running) worker.postMessage({ kind: 'people', people } satisfies ToThread);
      },
      // The thread waits for this answer only: the next task needs a new thread.
      (error: unknown) => {
        if (this.#running !== running) return;
        this.#takeRunning(running).reject(error);
        void this.#endThread();
        this.#next();
      },
    );
  }

  /**
   * A task on a busy machine gets as much of the processor as on an idle one. Where its time there is unknown, all counts, but
   * for the start of the thread.
   */
  #lookAt(): void {
    if (this.#running === null) return;
    const { startedAt, cpuBefore } = this.#running;
    const cpuMs = this.#clock === undefined ? cpuBefore : this.#cpuMs();
    const leftMs = cpuMs === null ? 0 : this.#taskMs - (cpuMs - cpuBefore);
    const isLate = performance.now() - startedAt >= (this.#options.maxTaskMs ?? MAX_TASK_MS);
    if (leftMs > 0 && !isLate) {
      this.#running.timer = setTimeout(() => this.#lookAt(), Math.max(MIN_LOOK_MS, leftMs)).unref();
      return;
    }
    this.#options.onError(new Error('a document took too long and was aborted'));
    if (leftMs > 0) this.#takeRunning(this.#running).reject(unavailable('The service is too busy for this request'));
    else this.#failRunning();
    void this.#endThread();
    this.#next();
  }

  get #taskMs(): number {
    return this.#options.taskMs ?? TASK_MS;
  }

  /** Null if the system does not tell. */
  #cpuMs(): number | null {
    if (this.#clock === null || this.#clock === undefined) return null;
    try {
      // The scheduler counts in nanoseconds.
      return Number(readFileSync(this.#clock, 'latin1').split(' ', 1)[0]) / 1e6;
    } catch {
      // The thread has just ended.
      return null;
    }
  }

  /** The thread ended by itself, out of memory: its task fails. */
  #noteExit(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    this.#failRunning();
    this.#next();
  }

  #failRunning(): void {
    if (this.#running === null) return;
    this.#takeRunning(this.#running).reject(new AppError('too_large', 'body: needs too much time or memory'));
  }

  /** The next task gets a new thread, whether or not this one has ended by then. */
  async #endThread(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #takeRunning(running: Running): Job {
    clearTimeout(running.timer);
    this.#running = null;
    return running.job;
  }
}

/** Transfers bytes without a copy if nothing else is in the same memory. */
function transferable(task: Task): ArrayBuffer[] {
  const pieces = task.kind === 'body' ? [task.bytes] : task.request.text;
  return pieces.flatMap((bytes) => (bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength ? [bytes.buffer] : []));
}

function tooManyWaiting(): AppError {
  return unavailable('Too many large requests are waiting');
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfter: 1 });
}
