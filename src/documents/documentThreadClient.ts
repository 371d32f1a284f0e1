/**
 * The I/O thread's end of the document thread: one task at a time, small ones first, within bounds of time and memory.
 */
import { Worker } from 'node:worker_threads';
import type { Documents, FindPeople, ImportRequest, PlannedImport } from '../api/documentsPort.js';
import type { Validated } from '../api/validated.js';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import type { BoardLimits } from '../domain/limits.js';
import type { DocumentThreadSettings, FromThread, ToThread } from './messages.js';

/** The worst document of 16 MiB takes a fifth of this. */
const MAX_HEAP_MB = 512;
/** The heaviest document takes a second or two. */
const TASK_MS = 30_000;
/** An idle thread ends after this time to free its memory. */
const IDLE_MS = 5_000;
/** For each kind. Bodies have at most a megabyte; the number of parallel imports is limited before. */
const MAX_WAITING = 64;

type Task = Exclude<ToThread, { kind: 'people' }>;

interface Job {
  readonly task: Task;
  readonly findPeople: FindPeople;
  readonly resolve: (answer: FromThread) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly job: Job;
  readonly timer: NodeJS.Timeout;
}

export interface DocumentThreadOptions {
  readonly limits: BoardLimits;
  readonly onError: (error: Error) => void;
  readonly startThread?: (settings: DocumentThreadSettings) => Worker;
}

export class DocumentThreadClient implements Documents {
  readonly #onError: (error: Error) => void;
  readonly #startThread: () => Worker;
  readonly #waiting: Readonly<Record<Task['kind'], Job[]>> = { body: [], import: [] };
  #worker: Worker | null = null;
  #running: Running | null = null;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor({ limits, onError, startThread = startDocumentThread }: DocumentThreadOptions) {
    this.#onError = onError;
    this.#startThread = () => startThread({ limits });
  }

  async validateBody(operation: string, bytes: Uint8Array): Promise<Validated<unknown>> {
    const noPeople: FindPeople = () => Promise.resolve({ users: [], notInvited: [] });
    const answer = await this.#submit({ kind: 'body', operation, bytes }, noPeople);
    if (answer.kind !== 'validated') throw unexpected(answer);
    return answer.validated;
  }

  async planImport(request: ImportRequest, findPeople: FindPeople): Promise<PlannedImport> {
    const answer = await this.#submit({ kind: 'import', request }, findPeople);
    if (answer.kind === 'refused') throw AppError.from(answer.error);
    if (answer.kind !== 'planned') throw unexpected(answer);
    return answer.planned;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...this.#waiting.body.splice(0), ...this.#waiting.import.splice(0)];
    if (this.#running !== null) jobs.push(this.#takeRunning(this.#running));
    for (const job of jobs) job.reject(unavailable('The service is stopping'));
    await this.#endThread();
  }

  #submit(task: Task, findPeople: FindPeople): Promise<FromThread> {
    if (this.#closed) return Promise.reject(unavailable('The service is stopping'));
    const waiting = this.#waiting[task.kind];
    if (waiting.length >= MAX_WAITING) return Promise.reject(unavailable('Too many large requests are waiting'));
    return new Promise((resolve, reject) => {
      waiting.push({ task, findPeople, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== null || this.#closed) return;
    const job = this.#waiting.body.shift() ?? this.#waiting.import.shift();
    if (job === undefined) {
      if (this.#worker !== null) this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref();
      return;
    }
    if (this.#idle !== null) clearTimeout(this.#idle);
    let worker: Worker;
    try {
      worker = this.#worker ?? this.#start();
    } catch (error) {
      job.reject(error);
      return;
    }
    const timer = setTimeout(() => this.#giveUp(), TASK_MS).unref();
    this.#running = { job, timer };
    worker.postMessage(job.task, transferable(job.task));
  }

  #start(): Worker {
    const worker = this.#startThread();
    this.#worker = worker;
    worker.unref();
    worker.on('message', (message: FromThread) => this.#receive(worker, message));
    worker.on('error', (error) => this.#onError(error));
    worker.on('exit', () => this.#noteExit(worker));
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker || this.#running === null) return;
    if (message.kind === 'people') {
      this.#publishToPeople(worker, this.#running, message.emails);
      return;
    }
    this.#takeRunning(this.#running).resolve(message);
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

  #giveUp(): void {
    this.#onError(new Error('a document took too long and was aborted'));
    this.#failRunning();
    void this.#endThread();
    this.#next();
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

function startDocumentThread(settings: DocumentThreadSettings): Worker {
  return new Worker(new URL('./documentThread.js', import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
}

/** Transfers the bytes without a copy if nothing else is in the same memory. */
function transferable(task: Task): ArrayBuffer[] {
  const bytes = task.kind === 'body' ? task.bytes : task.request.text;
  return bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength ? [bytes.buffer] : [];
}

function unexpected(answer: FromThread): AppError {
  const reason = answer.kind === 'failed' ? answer.reason : `an unexpected answer: ${answer.kind}`;
  return new AppError('internal', INTERNAL_ERROR.detail, { cause: new Error(`the document thread: ${reason}`) });
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfter: 1 });
}
