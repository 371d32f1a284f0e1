import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { BystanderOrder, BystanderTask, Waits } from './bystanderThread.js';

/** An honest user of another board, who sends requests continuously between `resume` and `pause`. */
export class Bystander {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Resolves when it has sent its first requests. */
  static async start(task: BystanderTask): Promise<Bystander> {
    const worker = new Worker(new URL('./bystanderThread.js', import.meta.url), { workerData: task });
    await once(worker, 'message');
    return new Bystander(worker);
  }

  /** The waits since the last measurement. */
  async measure(): Promise<Waits> {
    this.#order('measure');
    const [waits] = (await once(this.#worker, 'message')) as [Waits];
    return waits;
  }

  /** Sends no requests until `resume`: outside a measurement they only cost time. */
  pause(): void {
    this.#order('pause');
  }

  resume(): void {
    this.#order('resume');
  }

  async stop(): Promise<void> {
    this.#order('stop');
    await this.#worker.terminate();
  }

  #order(order: BystanderOrder): void {
    this.#worker.postMessage(order);
  }
}
