/**
 * Hashing and checking passwords, in a few low-priority threads behind a bounded queue. Argon2 is meant to be
 * expensive, so what protects the service is refusing early: a caller never waits behind more than a full queue.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import { isOverlong } from './passwordRules.js';
import type { PasswordTask, TaskAnswer, ThreadMessage } from './passwordThread.js';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** With `null`, for a user who does not exist: the same work against a hash of nobody, and false. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Lets running work end and refuses what waits. */
  close(): Promise<void>;
  /** Calls that no thread has taken up yet. */
  readonly queued: number;
}

export interface PasswordsOptions {
  readonly threads?: number;
  /** Calls that may wait beyond those being worked on. */
  readonly maxQueue?: number;
  /** Told of what no caller can be told: unreadable stored hashes, dead threads. */
  readonly onError?: (error: Error) => void;
  readonly startThread?: () => Worker;
}

/** Four keep up with dozens of logins a second; more would only take memory (19 MiB each) from the service. */
const MAX_DEFAULT_THREADS = 4;
/** About a second of work for four threads at 60 ms a hash: whoever would wait longer is better told to come back. */
const DEFAULT_MAX_QUEUE = 64;
const RETRY_AFTER_SECONDS = 1;

/**
 * One core is kept from them. Low as their priority is, the system lets them finish their slice: on two cores two of
 * them put half as many logins more through, but the 99th percentile of a GET beside a flood of them was 1.8 to 4.3
 * times that of a quiet service. With one it was 0.6 to 1.7 times, and 2.3 times once in fourteen runs.
 */
function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, Math.max(1, availableParallelism() - 1));
}

export function createPasswords(options: PasswordsOptions = {}): Passwords {
  return new PasswordThreads(options);
}

export function startPasswordThread(): Worker {
  return new Worker(new URL('./passwordThread.js', import.meta.url));
}

type Task = Extract<PasswordTask, { kind: 'hash' }> | { kind: 'verify'; hash: string | null; password: string };

interface Job {
  readonly task: Task;
  readonly resolve: (answer: TaskAnswer) => void;
  readonly reject: (error: AppError) => void;
}

type ThreadState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'idle'; readonly dummyHash: string }
  | { readonly kind: 'busy'; readonly dummyHash: string; readonly job: Job };

interface Thread {
  readonly worker: Worker;
  readonly exited: Promise<void>;
  state: ThreadState;
}

class PasswordThreads implements Passwords {
  readonly #maxThreads: number;
  readonly #maxQueue: number;
  readonly #onError: (error: Error) => void;
  readonly #startThread: () => Worker;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Job[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: PasswordsOptions) {
    this.#maxThreads = options.threads ?? defaultThreads();
    this.#maxQueue = options.maxQueue ?? DEFAULT_MAX_QUEUE;
    this.#onError = options.onError ?? ((error) => process.emitWarning(error));
    this.#startThread = options.startThread ?? startPasswordThread;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  async hash(password: string): Promise<string> {
    const answer = await this.#submit({ kind: 'hash', password });
    if (answer.kind !== 'hashed') throw unexpected(answer);
    return answer.hash;
  }

  async verify(hash: string | null, password: string): Promise<boolean> {
    // Nobody can have such a password, so it is not passed on. It costs a check all the same: no guess is for free.
    if (isOverlong(password)) return this.verify(null, '');
    const answer = await this.#submit({ kind: 'verify', hash, password });
    if (answer.kind === 'unreadable') {
      this.#onError(new Error('A stored password hash is not Argon2: its user cannot log in'));
      return this.verify(null, password);
    }
    if (answer.kind !== 'verified') throw unexpected(answer);
    return hash !== null && answer.matches;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const job of this.#waiting.splice(0)) job.reject(unavailable('The service is stopping'));
    const threads = [...this.#threads];
    for (const { worker, state } of threads) {
      if (state.kind !== 'busy') void worker.terminate();
    }
    await Promise.all(threads.map((thread) => thread.exited));
  }

  #submit(task: Task): Promise<TaskAnswer> {
    if (this.#closing !== null) return Promise.reject(unavailable('The service is stopping'));
    if (this.#unfinished() >= this.#maxThreads + this.#maxQueue) {
      return Promise.reject(unavailable('Too many password checks are waiting'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject });
      this.#dispatch();
    });
  }

  #unfinished(): number {
    return this.#waiting.length + this.#countThreads('busy');
  }

  #countThreads(kind: ThreadState['kind']): number {
    let count = 0;
    for (const thread of this.#threads) if (thread.state.kind === kind) count += 1;
    return count;
  }

  /** Gives waiting jobs to idle threads, and starts a thread for each that is left, as far as allowed. */
  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.state.kind !== 'idle') continue;
      const job = this.#waiting.shift();
      if (job === undefined) return;
      this.#give(thread, thread.state.dummyHash, job);
    }
    const starting = this.#countThreads('starting');
    const wanted = Math.min(this.#waiting.length - starting, this.#maxThreads - this.#threads.size);
    for (let started = 0; started < wanted; started += 1) this.#addThread();
  }

  #give(thread: Thread, dummyHash: string, job: Job): void {
    thread.state = { kind: 'busy', dummyHash, job };
    const { task } = job;
    const message: PasswordTask = task.kind === 'hash' ? task : { ...task, hash: task.hash ?? dummyHash };
    thread.worker.postMessage(message);
  }

  #addThread(): void {
    const worker = this.#startThread();
    let cause: Error | undefined;
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        this.#onExit(thread, cause);
        resolve();
      });
    });
    const thread: Thread = { worker, exited, state: { kind: 'starting' } };
    worker.on('error', (error) => (cause = error));
    worker.on('message', (message: ThreadMessage) => this.#onMessage(thread, message));
    this.#threads.add(thread);
  }

  #onMessage(thread: Thread, message: ThreadMessage): void {
    if (message.kind === 'ready') {
      thread.state = { kind: 'idle', dummyHash: message.dummyHash };
    } else if (thread.state.kind === 'busy') {
      const { dummyHash, job } = thread.state;
      thread.state = { kind: 'idle', dummyHash };
      job.resolve(message);
    }
    if (this.#closing === null) this.#dispatch();
    else void thread.worker.terminate();
  }

  /**
   * A dead thread costs exactly one job: the one it had, or the one it was started for. So no job waits for ever, and
   * a thread that cannot start is not started again without end.
   */
  #onExit(thread: Thread, cause: Error | undefined): void {
    this.#threads.delete(thread);
    if (this.#closing !== null && thread.state.kind !== 'busy') return;
    this.#onError(new Error('A password thread died', { cause }));
    const job = thread.state.kind === 'busy' ? thread.state.job : this.#waiting.shift();
    job?.reject(new AppError('internal', INTERNAL_ERROR.detail, { cause }));
    if (this.#closing === null) this.#dispatch();
  }
}

function unexpected(answer: TaskAnswer): AppError {
  const problem = answer.kind === 'failed' ? answer.reason : `unexpected answer '${answer.kind}'`;
  return new AppError('internal', INTERNAL_ERROR.detail, { cause: new Error(`Argon2: ${problem}`) });
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfter: RETRY_AFTER_SECONDS });
}
