/** Work that runs once at a time, and is repeated after a pause when it could not be finished. */
export class RetriedWork {
  readonly #work: () => Promise<'finished' | 'later'>;
  readonly #retryMs: number;
  #running: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  /** Started again while it ran: it may have looked already for what is new. */
  #isDueAgain = false;
  #isClosed = false;

  /** `work` must not reject. */
  constructor(work: () => Promise<'finished' | 'later'>, retryMs: number) {
    this.#work = work;
    this.#retryMs = retryMs;
  }

  /** Nothing happens while it waits for its repetition. */
  start(): void {
    if (this.#running !== null) this.#isDueAgain = true;
    else if (this.#retry === null) this.#running = this.#run();
  }

  /** Runs a last time, at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.start();
    await this.#running;
  }

  async #run(): Promise<void> {
    let outcome: 'finished' | 'later';
    do {
      this.#isDueAgain = false;
      outcome = await this.#work();
    } while (outcome === 'finished' && this.#isDueAgain);
    this.#running = null;
    if (outcome === 'finished' || this.#isClosed) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.start();
    }, this.#retryMs).unref();
  }
}
