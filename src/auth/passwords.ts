/**
 * Hashes and checks passwords in a few low-priority threads behind bounded queues. Argon2 is expensive by design, so
 * the service protects itself by refusing early: a caller never waits behind more than a full queue. Logins go before
 * registrations, and in both queues addresses take turns.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import { FairQueue } from '../flow/fairQueue.js';
import { networkOf } from './guessing/network.js';
import { isOverlong } from './passwordRules.js';
import type { PasswordCost, PasswordTask, TaskAnswer, ThreadMessage } from './passwordThread.js';

/** The client of the work. A password change counts as a login. */
export interface PasswordClient {
  readonly lane: 'login' | 'registration';
  readonly address: string;
}

export interface Passwords {
  hash(password: string, client?: PasswordClient): Promise<string>;
  /** `null`, for an unknown user, costs the same work against a dummy hash and returns false. */
  verify(hash: string | null, password: string, client?: PasswordClient): Promise<boolean>;
  /** Finishes running work and refuses what waits. */
  close(): Promise<void>;
  /** Calls that no thread has started yet. */
  readonly queued: number;
}

export interface PasswordsOptions {
  readonly threads?: number;
  /** Logins that may wait, besides those being worked on. */
  readonly maxQueue?: number;
  readonly maxRegistrations?: number;
  readonly maxRegistrationsPerAddress?: number;
  /** Called with faults that no caller sees: unreadable stored hashes, dead threads. */
  readonly onError?: (error: Error) => void;
  readonly startThread?: () => Worker;
  /** Of new hashes. */
  readonly cost?: PasswordCost | undefined;
}

/** Four handle dozens of logins a second; more would only take memory (19 MiB each) from the service. */
const MAX_DEFAULT_THREADS = 4;
/** About a second of work for four threads at 60 ms a hash: a caller who would wait longer is refused. */
const DEFAULT_MAX_QUEUE = 64;
const RETRY_AFTER_SECONDS = 1;
/**
 * About six seconds of work for one thread. A program that registers users in parallel gets them all; an address with
 * more under way must wait.
 */
const MAX_REGISTRATIONS_PER_ADDRESS = 100;
/** For all addresses together. Each is a short text; clients give up before a longer queue is processed. */
const MAX_REGISTRATIONS = 500;
/** Under endless logins one task in this many is a registration. */
const LOGINS_BEFORE_A_REGISTRATION = 8;

/** For work without a request, such as on the command line. */
const NO_CLIENT: PasswordClient = { lane: 'login', address: '' };

/**
 * One core stays free of them. Despite their low priority, the system lets them finish their time slice: on two cores
 * two threads handled half as many logins more, but the 99th percentile of a GET beside a flood of logins was 1.8 to
 * 4.3 times as long as in a quiet service. With one it was 0.6 to 1.7 times, and 2.3 times once in fourteen runs.
 */
function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, Math.max(1, availableParallelism() - 1));
}

export function createPasswords(options: PasswordsOptions = {}): Passwords {
  return new PasswordThreads(options);
}

export function startPasswordThread(cost?: PasswordCost): Worker {
  return new Worker(new URL('./passwordThread.js', import.meta.url), { workerData: cost ?? null });
}

type Task = Extract<PasswordTask, { kind: 'hash' }> | { kind: 'verify'; hash: string | null; password: string };

interface Job {
  readonly task: Task;
  readonly lane: PasswordClient['lane'];
  readonly network: string;
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
  readonly #maxRunningPerNetwork: number;
  readonly #maxRegistrationsPerAddress: number;
  readonly #onError: (error: Error) => void;
  readonly #startThread: () => Worker;
  readonly #threads = new Set<Thread>();
  readonly #logins: FairQueue<Job>;
  readonly #registrations: FairQueue<Job>;
  /** Logins started since the last registration. */
  #loginsInARow = 0;
  #closing: Promise<void> | null = null;

  constructor(options: PasswordsOptions) {
    this.#maxThreads = options.threads ?? defaultThreads();
    // The registrations of one address leave a thread to others, if there are several.
    this.#maxRunningPerNetwork = Math.max(1, this.#maxThreads - 1);
    this.#maxRegistrationsPerAddress = options.maxRegistrationsPerAddress ?? MAX_REGISTRATIONS_PER_ADDRESS;
    const maxLogins = options.maxQueue ?? DEFAULT_MAX_QUEUE;
    this.#logins = new FairQueue({ max: maxLogins, maxPerClient: maxLogins });
    this.#registrations = new FairQueue({
      max: options.maxRegistrations ?? MAX_REGISTRATIONS,
      maxPerClient: this.#maxRegistrationsPerAddress,
    });
    this.#onError = options.onError ?? ((error) => process.emitWarning(error));
    this.#startThread = options.startThread ?? (() => startPasswordThread(options.cost));
  }

  get queued(): number {
    return this.#logins.size + this.#registrations.size;
  }

  async hash(password: string, client = NO_CLIENT): Promise<string> {
    const answer = await this.#submit({ kind: 'hash', password }, client);
    if (answer.kind !== 'hashed') throw unexpected(answer);
    return answer.hash;
  }

  async verify(hash: string | null, password: string, client = NO_CLIENT): Promise<boolean> {
    // No user can have such a password, so it is not passed on. It costs a check all the same: no guess is free.
    if (isOverlong(password)) return this.verify(null, '', client);
    const answer = await this.#submit({ kind: 'verify', hash, password }, client);
    if (answer.kind === 'unreadable') {
      this.#onError(new Error('A stored password hash is not Argon2: its user cannot log in'));
      return this.verify(null, password, client);
    }
    if (answer.kind !== 'verified') throw unexpected(answer);
    return hash !== null && answer.matches;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const waiting = [...this.#logins.drain(), ...this.#registrations.drain()];
    for (const job of waiting) job.reject(unavailable('The service is stopping'));
    const threads = [...this.#threads];
    for (const { worker, state } of threads) {
      if (state.kind !== 'busy') void worker.terminate();
    }
    await Promise.all(threads.map((thread) => thread.exited));
  }

  #submit(task: Task, { lane, address }: PasswordClient): Promise<TaskAnswer> {
    if (this.#closing !== null) return Promise.reject(unavailable('The service is stopping'));
    return new Promise((resolve, reject) => {
      const job: Job = { task, lane, network: networkOf(address), resolve, reject };
      const refusal = this.#enqueue(job);
      if (refusal === null) this.#dispatch();
      else reject(refusal);
    });
  }

  /** Jobs that could start at once also pass through the queue: idle threads add to its capacity. */
  #enqueue(job: Job): AppError | null {
    const queue = job.lane === 'login' ? this.#logins : this.#registrations;
    const entered = queue.add(job.network, job, this.#maxThreads - this.#countThreads('busy'));
    if (entered.kind === 'entered') {
      entered.pushedOut?.reject(tooManyWaiting(job.lane));
      return null;
    }
    if (entered.kind === 'client full' && job.lane === 'registration') {
      return new AppError('too_many', `Too many registrations from this address are waiting; at most ${this.#maxRegistrationsPerAddress} may`, {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    return tooManyWaiting(job.lane);
  }

  /** Logins first, with one registration after a number of them. */
  #next(): Job | undefined {
    const isRegistrationsTurn = this.#loginsInARow >= LOGINS_BEFORE_A_REGISTRATION;
    const job = (isRegistrationsTurn ? this.#nextRegistration() : undefined) ?? this.#logins.take() ?? this.#nextRegistration();
    this.#loginsInARow = job?.lane === 'login' ? this.#loginsInARow + 1 : 0;
    return job;
  }

  #nextRegistration(): Job | undefined {
    const running = new Map<string, number>();
    for (const { state } of this.#threads) {
      if (state.kind !== 'busy' || state.job.lane !== 'registration') continue;
      running.set(state.job.network, (running.get(state.job.network) ?? 0) + 1);
    }
    return this.#registrations.take((network) => (running.get(network) ?? 0) < this.#maxRunningPerNetwork);
  }

  #countThreads(kind: ThreadState['kind']): number {
    let count = 0;
    for (const thread of this.#threads) if (thread.state.kind === kind) count += 1;
    return count;
  }

  /** Gives waiting jobs to idle threads, and starts a thread for each remaining job up to the maximum. */
  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.state.kind !== 'idle') continue;
      const job = this.#next();
      if (job === undefined) return;
      this.#give(thread, thread.state.dummyHash, job);
    }
    const starting = this.#countThreads('starting');
    const wanted = Math.min(this.queued - starting, this.#maxThreads - this.#threads.size);
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
   * A dead thread fails exactly one job: the running one, or the one it was started for. So no job waits for ever, and
   * a thread that cannot start is not restarted endlessly.
   */
  #onExit(thread: Thread, cause: Error | undefined): void {
    this.#threads.delete(thread);
    if (this.#closing !== null && thread.state.kind !== 'busy') return;
    this.#onError(new Error('A password thread died', { cause }));
    const job = thread.state.kind === 'busy' ? thread.state.job : (this.#logins.take() ?? this.#registrations.take());
    job?.reject(new AppError('internal', INTERNAL_ERROR.detail, { cause }));
    if (this.#closing === null) this.#dispatch();
  }
}

function unexpected(answer: TaskAnswer): AppError {
  const problem = answer.kind === 'failed' ? answer.reason : `unexpected answer '${answer.kind}'`;
  return new AppError('internal', INTERNAL_ERROR.detail, { cause: new Error(`Argon2: ${problem}`) });
}

function tooManyWaiting(lane: PasswordClient['lane']): AppError {
  return unavailable(lane === 'login' ? 'Too many password checks are waiting' : 'Too many registrations are waiting');
}

function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfter: RETRY_AFTER_SECONDS });
}
