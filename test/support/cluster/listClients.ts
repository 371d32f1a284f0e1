/**
 * Clients that add to lists and read them, each through its machine. A list is the cards of a board's column; what each
 * client saw, and when, is judged in the end.
 */
import { until } from '../until.js';
import { judge, type History, type Write } from '../log/judge.js';

export interface List {
  readonly boardId: string;
  readonly columnId: string;
  readonly history: History;
}

export interface ListClientsOptions {
  readonly token: string;
  readonly clients: number;
  /** The address of the machine of this client. */
  readonly machineOf: (client: number) => string;
  readonly random: () => number;
  /** A longer list is replaced by a new one: reads become slow. */
  readonly longest: number;
  /** How many lists are in use at a time. */
  readonly lists: number;
  /** Milliseconds between two requests of a client. */
  readonly pace: number;
  /** Whether a board is in the quiet shard. It has one list, which is read all the time: behind a stuck append no stale read would show. */
  readonly isQuiet?: (boardId: string) => boolean;
}

/** The part of requests that goes to the quiet list, and that of them which write. */
const TO_QUIET = 0.3;
const QUIET_WRITES = 0.002;

const REQUEST_MS = 30_000;

export class ListClients {
  readonly lists: List[] = [];
  /** Answers that are neither a success nor 503. */
  readonly surprises: string[] = [];
  readonly counts = { stored: 0, unknown: 0, reads: 0, failedReads: 0 };
  readonly #options: ListClientsOptions;
  #current: List[] = [];
  #quiet: List | null = null;
  readonly #replaced = new Set<List>();
  #working: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #value = 0;
  /** When an answer to a write last came, and the longest time without one. */
  #answeredAt = performance.now();
  longestSilenceMs = 0;

  constructor(options: ListClientsOptions) {
    this.#options = options;
  }

  get operations(): number {
    return this.counts.stored + this.counts.unknown + this.counts.reads + this.counts.failedReads;
  }

  async start(): Promise<void> {
    for (let n = 0; n < this.#options.lists; n += 1) this.#current.push(await this.#newList(n));
    if (this.#options.isQuiet !== undefined) this.#quiet = await this.#newList(0, true);
    this.#answeredAt = performance.now();
    this.#working = Promise.all(Array.from({ length: this.#options.clients }, (_, client) => this.#work(client)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  /** Since the last call, or the start. */
  takeLongestSilence(): number {
    const longest = Math.max(this.longestSilenceMs, performance.now() - this.#answeredAt);
    this.longestSilenceMs = 0;
    return longest;
  }

  /** Reads every list through every machine, and judges. */
  async judge(urls: readonly string[]): Promise<string[]> {
    const problems = [...this.surprises];
    for (const { boardId, history } of this.lists) {
      // A machine that cannot be asked yet is asked again: 503 is no content.
      const copies = await Promise.all(urls.map((url) => until(() => this.#read(url, boardId))));
      problems.push(...judge(history, copies).map((problem) => `board ${boardId}: ${problem}`));
    }
    return problems;
  }

  async #work(client: number): Promise<void> {
    const { pace } = this.#options;
    while (!this.#isStopped) {
      await this.#request(client);
      if (pace > 0) await new Promise((resolve) => setTimeout(resolve, pace));
    }
  }

  async #request(client: number): Promise<void> {
    const { random, longest, machineOf } = this.#options;
    const url = machineOf(client);
    if (this.#quiet !== null && random() < TO_QUIET) {
      return random() < QUIET_WRITES ? this.#write(url, this.#quiet) : this.#readOnce(url, this.#quiet);
    }
    const index = Math.floor(random() * this.#current.length);
    const list = this.#current[index];
    if (list === undefined) return;
    if (list.history.writes.length >= longest) await this.#replace(index, list, client);
    else if (random() < 0.5) await this.#write(url, list);
    else await this.#readOnce(url, list);
  }

  /** One client replaces a list; the others go on with it meanwhile. */
  async #replace(index: number, list: List, client: number): Promise<void> {
    if (this.#replaced.has(list)) return;
    this.#replaced.add(list);
    this.#current[index] = await this.#newList(client);
  }

  async #newList(client: number, toBeQuiet = false): Promise<List> {
    const { machineOf, isQuiet } = this.#options;
    for (;;) {
      const board = await this.#send(machineOf(client), 'POST', '/boards', { title: 'A list' });
      if (board?.status !== 201) continue;
      const { id: boardId } = board.body as { id: string };
      if (isQuiet !== undefined && isQuiet(boardId) !== toBeQuiet) continue;
      for (;;) {
        const column = await this.#send(machineOf(client), 'POST', `/boards/${boardId}/columns`, { title: 'Values' });
        if (column?.status !== 201) continue;
        const list = { boardId, columnId: (column.body as { id: string }).id, history: { writes: [], reads: [] } };
        this.lists.push(list);
        return list;
      }
    }
  }

  async #write(url: string, { boardId, columnId, history }: List): Promise<void> {
    this.#value += 1;
    const write: Write = { value: this.#value, startedAt: performance.now(), endedAt: Infinity, outcome: 'pending' };
    history.writes.push(write);
    const answer = await this.#send(url, 'POST', `/boards/${boardId}/columns/${columnId}/cards`, { title: String(write.value) });
    write.endedAt = performance.now();
    write.outcome = answer?.status === 201 ? 'stored' : 'unknown';
    this.counts[write.outcome] += 1;
    if (answer !== null && answer.status !== 201 && answer.status !== 503) {
      this.surprises.push(`a write answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (write.outcome !== 'stored') return;
    this.longestSilenceMs = Math.max(this.longestSilenceMs, write.endedAt - this.#answeredAt);
    this.#answeredAt = write.endedAt;
  }

  async #readOnce(url: string, { boardId, history }: List): Promise<void> {
    const startedAt = performance.now();
    const values = await this.#read(url, boardId);
    if (values !== null) history.reads.push({ values, startedAt, endedAt: performance.now() });
    this.counts[values === null ? 'failedReads' : 'reads'] += 1;
  }

  async #read(url: string, boardId: string): Promise<number[] | null> {
    const answer = await this.#send(url, 'GET', `/boards/${boardId}`);
    if (answer === null) return null;
    if (answer.status === 200) {
      const { columns } = answer.body as { columns: Array<{ cards: Array<{ title: string }> }> };
      return columns.flatMap(({ cards }) => cards.map(({ title }) => Number(title)));
    }
    if (answer.status !== 503) this.surprises.push(`a read answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** Null without an answer. */
  async #send(url: string, method: string, path: string, json?: object): Promise<{ status: number; body: unknown } | null> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${this.#options.token}`, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      // The machine is gone, or was killed in the middle.
      return null;
    }
  }
}
