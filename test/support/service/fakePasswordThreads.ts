/** Fake password threads that finish tasks on command, one at a time. */
import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { PasswordTask, ThreadMessage } from '../../../src/auth/passwordThread.js';

class FakeThread extends EventEmitter {
  task: PasswordTask | null = null;

  postMessage(task: PasswordTask): void {
    this.task = task;
  }

  async terminate(): Promise<number> {
    setImmediate(() => this.emit('exit', 0));
    return 0;
  }
}

export class FakePasswordThreads {
  readonly #threads: FakeThread[] = [];

  readonly start = (): Worker => {
    const thread = new FakeThread();
    this.#threads.push(thread);
    const ready: ThreadMessage = { kind: 'ready', dummyHash: 'of nobody' };
    queueMicrotask(() => thread.emit('message', ready));
    return thread as unknown as Worker;
  };

  /** The passwords being worked on. */
  get running(): string[] {
    return this.#threads.flatMap(({ task }) => (task === null ? [] : [task.password]));
  }

  /** Ends the task that started first and returns its password. */
  finishOne(): string {
    const thread = this.#threads.find(({ task }) => task !== null);
    if (thread === undefined || thread.task === null) throw new Error('no thread has a task');
    const { kind, password } = thread.task;
    thread.task = null;
    // At the end, so that the next one to finish is the one that started first.
    this.#threads.push(...this.#threads.splice(this.#threads.indexOf(thread), 1));
    const answer: ThreadMessage = kind === 'hash' ? { kind: 'hashed', hash: password } : { kind: 'verified', matches: false };
    thread.emit('message', answer);
    return password;
  }

  /** Ends all tasks, in the order in which the threads start them. */
  finishAll(): string[] {
    const done: string[] = [];
    while (this.running.length > 0) done.push(this.finishOne());
    return done;
  }
}
