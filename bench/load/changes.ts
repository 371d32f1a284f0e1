/** Changes cards, and waits until every socket has received each change. */
import { Histogram } from '../histogram.js';
import { changeLabel } from './changeLabel.js';
import type { ChangesJob, LoadReport } from './jobs.js';
import { ConnectionPool, paceEvenly } from './steady.js';
import { startClock } from './worker.js';

/** After the last request. A delivery that has not arrived by then counts as lost. */
const PATIENCE_MS = 10_000;

interface Change {
  readonly startedAt: number;
  /** Sockets that have not received it, plus one until it is answered. */
  remaining: number;
  readonly done: () => void;
}

export class ChangeRun {
  readonly #job: ChangesJob;
  readonly #pool: ConnectionPool;
  readonly #latency = new Histogram();
  readonly #open = new Map<number, Change>();
  readonly #problems: string[] = [];
  #next: number;
  #completed = 0;
  #surplus = 0;

  /** A number is used once while sockets are open, so that a late event does not count for another one. */
  constructor(job: ChangesJob, firstChange: number) {
    this.#job = job;
    this.#pool = new ConnectionPool(job.url);
    this.#next = firstChange;
  }

  get nextChange(): number {
    return this.#next;
  }

  noteDelivery(number: number): void {
    const change = this.#open.get(number);
    if (change === undefined) {
      this.#surplus += 1;
      return;
    }
    this.#latency.record(performance.now() - change.startedAt);
    this.#settle(number, change);
  }

  async run(): Promise<LoadReport> {
    const { pace, seconds } = this.#job;
    const elapsed = startClock();
    const changes: Promise<void>[] = [];
    if (pace.kind === 'rate') {
      await paceEvenly(pace.perSecond, seconds, () => changes.push(this.#change()));
    } else {
      const deadline = performance.now() + seconds * 1000;
      for (let lane = 0; lane < pace.inFlight; lane += 1) changes.push(this.#changeUntil(deadline));
    }
    await withinPatience(Promise.all(changes));
    const timing = elapsed();
    this.#pool.close();
    const missing = [...this.#open.values()].reduce((sum, { remaining }) => sum + remaining, 0);
    if (missing > 0) this.#problems.push(`${missing} deliveries or answers are missing`);
    if (this.#surplus > 0) this.#problems.push(`${this.#surplus} superfluous deliveries`);
    return {
      operations: this.#completed,
      ...timing,
      latency: this.#latency.pack(),
      deliveries: this.#latency.total,
      problems: this.#problems,
    };
  }

  async #changeUntil(deadline: number): Promise<void> {
    while (performance.now() < deadline) await this.#change();
  }

  /** Resolves when it is answered and every socket has received it. */
  async #change(): Promise<void> {
    const number = this.#next;
    this.#next += 1;
    const { targets, token } = this.#job;
    const target = targets[number % targets.length];
    if (target === undefined) throw new Error('there is nothing to change');
    const everyone = new Promise<void>((resolve) => {
      const change = { startedAt: performance.now(), remaining: target.receivers + 1, done: resolve };
      this.#open.set(number, change);
      this.#pool
        .request('PATCH', target.path, token, `{"title":"${changeLabel(number)}"}`)
        .then((status) => {
          if (status === 200) this.#settle(number, change);
          else this.#problems.push(`an answer with status ${status}`);
        })
        .catch((error: unknown) => this.#problems.push(String(error)));
    });
    await everyone;
  }

  #settle(number: number, change: Change): void {
    change.remaining -= 1;
    if (change.remaining > 0) return;
    this.#open.delete(number);
    this.#completed += 1;
    change.done();
  }
}

async function withinPatience(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
