/** Requests at a steady rate, independent of slow answers, like those of many users. */
import { Histogram } from '../histogram.js';
import { HttpConnection } from './httpConnection.js';
import type { LoadReport, SteadyJob } from './jobs.js';
import { startClock } from './worker.js';

/** The resolution of timers. */
const TICK_MS = 1;

/** Calls `launch` at this rate for this long. After a delay of this process it catches up at once. */
export function paceEvenly(perSecond: number, seconds: number, launch: () => void): Promise<void> {
  return new Promise((resolve) => {
    const started = performance.now();
    let launched = 0;
    const timer = setInterval(() => {
      const elapsed = (performance.now() - started) / 1000;
      for (const due = Math.floor(Math.min(elapsed, seconds) * perSecond); launched < due; launched += 1) launch();
      if (elapsed < seconds) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

/** A pool of connections: a new one is opened if all others are in use. */
export class ConnectionPool {
  readonly #url: URL;
  readonly #idle: HttpConnection[] = [];
  readonly #all: HttpConnection[] = [];

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Resolves with the status of the answer. */
  async request(method: string, path: string, token: string, body: string | null): Promise<number> {
    const connection = this.#takeIdle() ?? this.#open();
    const status = await connection.request(method, path, token, body);
    this.#idle.push(connection);
    return status;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  /** The one used last, because the server has not closed it. */
  #takeIdle(): HttpConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isOpen) return connection;
    }
    return undefined;
  }

  #open(): HttpConnection {
    const connection = new HttpConnection(this.#url);
    this.#all.push(connection);
    return connection;
  }
}

export async function runSteadily(job: SteadyJob): Promise<LoadReport> {
  const pool = new ConnectionPool(job.url);
  const latency = new Histogram();
  const elapsed = startClock();
  const answers: Promise<void>[] = [];
  const problems: string[] = [];
  const ask = async (): Promise<void> => {
    const started = performance.now();
    const status = await pool.request('GET', job.path, job.token, null);
    latency.record(performance.now() - started);
    if (status !== 200) problems.push(`an answer with status ${status}`);
  };
  await paceEvenly(job.perSecond, job.seconds, () => answers.push(ask()));
  for (const outcome of await Promise.allSettled(answers)) {
    if (outcome.status === 'rejected') problems.push(String(outcome.reason));
  }
  pool.close();
  return { operations: latency.total, ...elapsed(), latency: latency.pack(), deliveries: 0, problems };
}
