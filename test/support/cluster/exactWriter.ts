/**
 * Writes cards through the typed client, which repeats each call with its key until it is answered. So every card must be
 * there once, and every call must have been answered.
 */
import { createClient, type Client } from '../../../src/client/index.js';

export interface ExactWriterOptions {
  readonly token: string;
  readonly boards: ReadonlyArray<{ readonly id: string; readonly columnId: string }>;
  /** The address for the next attempt of any call, as a load balancer chooses it. */
  readonly pickUrl: () => string;
  readonly parallel: number;
  /** Milliseconds between two calls of one of them. */
  readonly pace: number;
}

/** The service is away for seconds at a time, again and again; a person would wait as well. */
const RETRY = { attempts: 1_000, maxMs: 180_000, timeoutMs: 10_000 } as const;
/** Stands for whatever `pickUrl` gives. */
const ANYWHERE = 'http://anywhere.invalid';

export class ExactWriter {
  readonly #options: ExactWriterOptions;
  readonly #client: Client;
  /** The titles of each board. */
  readonly #sent = new Map<string, string[]>();
  readonly #working: Promise<unknown>;
  readonly failures: string[] = [];
  answered = 0;
  attempts = 0;
  #isStopped = false;

  constructor(options: ExactWriterOptions) {
    this.#options = options;
    this.#client = createClient({
      baseUrl: ANYWHERE,
      token: options.token,
      retry: RETRY,
      fetch: (input, init) => {
        this.attempts += 1;
        return fetch(String(input).replace(ANYWHERE, options.pickUrl()), init);
      },
    });
    this.#working = Promise.all(Array.from({ length: options.parallel }, (_, writer) => this.#work(writer)));
  }

  /** Resolves when every call has been answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  /** `titles`: those on the board in the end. */
  judge(boardId: string, titles: readonly string[]): string[] {
    const counts = new Map<string, number>();
    for (const title of titles) counts.set(title, (counts.get(title) ?? 0) + 1);
    const sent = this.#sent.get(boardId) ?? [];
    return sent.filter((title) => counts.get(title) !== 1).map((title) => `${title} is there ${counts.get(title) ?? 0} times`);
  }

  async #work(writer: number): Promise<void> {
    const { boards, pace } = this.#options;
    for (let n = 0; !this.#isStopped; n += 1) {
      const board = boards[(writer + n) % boards.length];
      if (board === undefined) return;
      const title = `exact ${writer}.${n}`;
      this.#sent.set(board.id, [...(this.#sent.get(board.id) ?? []), title]);
      try {
        await this.#client.card.create({ board_id: board.id, column_id: board.columnId }, { title });
        this.answered += 1;
      } catch (error) {
        this.failures.push(`${title}: ${String(error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pace));
    }
  }
}
