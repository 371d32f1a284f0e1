/** Writes cards continuously, each with a unique title, and records the answer to each write. */
import type { ClusterBoard } from '../cluster/clusterBoard.js';
import type { TestUser } from '../http/users.js';

export interface Written {
  readonly title: string;
  readonly board: ClusterBoard;
  /** Of the answer; null if there was none. */
  readonly status: number | null;
  readonly milliseconds: number;
}

export interface CardWriterOptions {
  /** Begins every title. */
  readonly name: string;
  readonly user: TestUser;
  readonly boards: readonly ClusterBoard[];
  /** Where to send the next one. */
  readonly pick: () => { readonly url: string };
  /** The number of parallel writes. */
  readonly parallel: number;
  /** Milliseconds between two writes of each: without it, tests of several processes starve on two cores. */
  readonly pace: number;
}

export class CardWriter {
  readonly written: Written[] = [];
  readonly #options: CardWriterOptions;
  readonly #working: Array<Promise<void>>;
  #stopped = false;
  #next = 0;

  constructor(options: CardWriterOptions) {
    this.#options = options;
    this.#working = Array.from({ length: options.parallel }, () => this.#work());
  }

  get acknowledged(): Written[] {
    return this.written.filter(({ status }) => status === 201);
  }

  /** Resolves when the last answer has arrived. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#working);
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      await this.#writeOne();
      await new Promise((resolve) => setTimeout(resolve, this.#options.pace));
    }
  }

  async #writeOne(): Promise<void> {
    const { name, boards, user, pick } = this.#options;
    const number = this.#next;
    this.#next += 1;
    const board = boards[number % boards.length];
    if (board === undefined) return;
    const title = `${name} ${number}`;
    const startedAt = performance.now();
    const status = await fetch(`${pick().url}/boards/${board.id}/columns/${board.columnId}/cards`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => null,
    );
    this.written.push({ title, board, status, milliseconds: performance.now() - startedAt });
  }
}
