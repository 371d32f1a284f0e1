/** Load over sockets: holds any number of them open, makes changes, and times their arrival at each socket. */
import { Histogram } from '../histogram.js';
import { BoardSocket, type BoardSocketEvents } from './boardSocket.js';
import { ChangeRun } from './changes.js';
import type { ChangesJob, ConnectJob, DropJob, LoadReport, SocketState } from './jobs.js';
import { runSteadily } from './steady.js';
import { serveJobs, startClock } from './worker.js';

/** The number of reasons of lost sockets that are reported. */
const MAX_REASONS = 5;

class SocketPool {
  /** In order of connecting. */
  readonly #sockets = new Set<BoardSocket>();
  #lost = 0;
  #run: ChangeRun | null = null;
  #nextChange = 1;
  /** The number of sockets ever opened, so that a second batch continues with the next address. */
  #begun = 0;

  state(): SocketState {
    return { open: this.#sockets.size, lost: this.#lost };
  }

  async connect({ url, dialect, addresses, count, atOnce }: ConnectJob): Promise<LoadReport> {
    const target = new URL(url);
    const latency = new Histogram();
    const reasons: string[] = [];
    const elapsed = startClock();
    let toBegin = count;
    let toEnd = count;
    await new Promise<void>((resolve) => {
      const next = (): void => {
        const address = addresses[this.#begun % addresses.length];
        if (toBegin === 0 || address === undefined) return;
        toBegin -= 1;
        this.#begun += 1;
        const started = performance.now();
        const onSettled = (): void => {
          toEnd -= 1;
          if (toEnd === 0) resolve();
          else next();
        };
        const events: BoardSocketEvents = {
          onReady: (socket) => {
            this.#sockets.add(socket);
            latency.record(performance.now() - started);
            onSettled();
          },
          onChange: (change) => this.#run?.noteDelivery(change),
          onLost: (socket, reason) => {
            this.#lost += 1;
            if (this.#sockets.delete(socket)) return;
            if (reasons.length < MAX_REASONS) reasons.push(`a socket did not get in: ${reason}`);
            onSettled();
          },
        };
        new BoardSocket(target, dialect, address, events);
      };
      for (let under = 0; under < Math.min(atOnce, count); under += 1) next();
    });
    return { operations: latency.total, ...elapsed(), latency: latency.pack(), deliveries: 0, problems: reasons };
  }

  async drop({ count }: DropJob): Promise<SocketState> {
    for (const socket of [...this.#sockets].slice(0, count)) {
      this.#sockets.delete(socket);
      socket.drop();
    }
    return this.state();
  }

  async change(job: ChangesJob): Promise<LoadReport> {
    const run = new ChangeRun(job, this.#nextChange);
    this.#run = run;
    try {
      return await run.run();
    } finally {
      this.#nextChange = run.nextChange;
      this.#run = null;
    }
  }
}

const pool = new SocketPool();
serveJobs({
  connect: (job) => pool.connect(job),
  drop: (job) => pool.drop(job),
  changes: (job) => pool.change(job),
  steady: runSteadily,
  state: async () => pool.state(),
});
