/** A client that follows a board by number, from instance to instance, and checks the order itself. */
import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';

export interface FollowerOptions {
  readonly boardId: string;
  readonly token: string;
  /** Where to connect next. */
  readonly pick: () => { readonly url: string };
}

interface Message {
  readonly type: string;
  readonly seq?: number;
  readonly data?: { readonly title?: string };
}

const RETRY_MS = 100;

export class Follower {
  /** Messages that should not have arrived. */
  readonly violations: string[] = [];
  /** Of the cards that were created, in the order of the events. */
  readonly titles: string[] = [];
  readonly #options: FollowerOptions;
  readonly #progress = new EventEmitter();
  #seq = 0;
  #socket: WebSocket | null = null;
  #closed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#connect();
  }

  get boardId(): string {
    return this.#options.boardId;
  }

  /** Resolves when it has received this number. */
  async reach(seq: number): Promise<void> {
    while (this.#seq < seq) await once(this.#progress, 'event');
  }

  close(): void {
    this.#closed = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    const { boardId, token, pick } = this.#options;
    const address = pick().url.replace(/^http/, 'ws');
    const socket = new WebSocket(`${address}/ws/boards/${boardId}?token=${token}&since=${this.#seq}`);
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse(String(data)) as Message));
    // The close after it is enough.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.#closed) setTimeout(() => this.#connect(), RETRY_MS);
    });
  }

  #take({ type, seq, data }: Message): void {
    if (type === 'ping') this.#socket?.send('{"type":"pong"}');
    if (type === 'resync') this.violations.push(`resync at ${this.#seq}`);
    if (seq === undefined || type === 'resync') return;
    if (seq !== this.#seq + 1) this.violations.push(`${seq} came after ${this.#seq}`);
    this.#seq = seq;
    if (type === 'card.created') this.titles.push(data?.title ?? '');
    this.#progress.emit('event');
  }
}
