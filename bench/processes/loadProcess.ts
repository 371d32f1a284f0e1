/** A load generator in its own process: it shares no event loop with the harness or the contestant. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JobKind, JobMessage, JobOf, Jobs, ReportMessage, ReportOf } from '../load/jobs.js';

export type LoadProgram = 'http' | 'socket';

interface Pending {
  readonly resolve: (report: ReportOf<JobKind>) => void;
  readonly reject: (error: Error) => void;
}

export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #jobs = 0;

  constructor(program: LoadProgram) {
    this.#child = fork(fileURLToPath(new URL(`../load/${program}Worker.js`, import.meta.url)));
    this.#child.on('message', (message: ReportMessage) => this.#receive(message));
    this.#child.on('exit', (code, signal) => {
      const error = new Error(`the ${program} load process ended with ${signal ?? `code ${code}`}`);
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
    });
  }

  run<K extends JobKind>(job: Jobs[K]['job'] & { kind: K }): Promise<ReportOf<K>> {
    this.#jobs += 1;
    const message: JobMessage = { id: this.#jobs, job: job as JobOf<JobKind> };
    return new Promise<ReportOf<JobKind>>((resolve, reject) => {
      this.#pending.set(message.id, { resolve, reject });
      this.#child.send(message);
    }) as Promise<ReportOf<K>>;
  }

  /** It has no state to save. */
  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: ReportMessage): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ('error' in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.report);
  }
}
