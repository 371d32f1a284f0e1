/** Reports the state of a copy to the main thread: a change of the owner at once, and others after `REPORT_MS`. */

/** New records are reported this often. Other instances hear of them by heartbeats, which are rarer. */
const REPORT_MS = 100;

export class CopyReporter {
  readonly #report: () => void;
  readonly #ownership: () => string;
  #reported = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(report: () => void, ownership: () => string) {
    this.#report = report;
    this.#ownership = ownership;
  }

  note(): void {
    if (this.#ownership() !== this.#reported) this.now();
    else this.#timer ??= setTimeout(() => this.now(), REPORT_MS);
  }

  now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#reported = this.#ownership();
    this.#report();
  }
}
