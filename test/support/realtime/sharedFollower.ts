/** A client that follows several boards by one socket, from instance to instance, and checks the order of each itself. */
import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';

export interface SharedFollowerOptions {
  readonly boardIds: readonly string[];
  readonly token: string;
  /** Where to connect next. */
  readonly pick: () => { readonly url: string };
}

interface Message {
  readonly type: string;
  readonly board_id?: string;
  readonly seq?: number;
  readonly code?: number | string;
  readonly detail?: string;
  readonly data?: { readonly title?: string };
}

const RETRY_MS = 100;

/** One of the boards. */
export class FollowedBoard {
  readonly boardId: string;
  /** Messages that should not have arrived. */
  readonly violations: string[] = [];
  /** Of the cards that were created, in the order of the events. */
  readonly titles: string[] = [];
  readonly #progress = new EventEmitter();
  #seq = 0;
  #isSubscribed = false;

  constructor(boardId: string) {
    this.boardId = boardId;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Resolves when it has received this number. */
  async reach(seq: number): Promise<void> {
    while (this.#seq < seq) await once(this.#progress, 'event');
  }

  noteSubscribed(isSubscribed: boolean): void {
    this.#isSubscribed = isSubscribed;
  }

  take({ type, seq, data }: Message): void {
    if (!this.#isSubscribed) this.violations.push(`${type} while not subscribed`);
    if (type === 'resync') this.violations.push(`resync at ${this.#seq}`);
    if (seq === undefined || type === 'resync') return;
    if (seq !== this.#seq + 1) this.violations.push(`${seq} came after ${this.#seq}`);
    this.#seq = seq;
    if (type === 'card.created') this.titles.push(data?.title ?? '');
    this.#progress.emit('event');
  }
}

export class SharedFollower {
  readonly boards: readonly FollowedBoard[];
  readonly #options: SharedFollowerOptions;
  #socket: WebSocket | null = null;
  #closed = false;

  constructor(options: SharedFollowerOptions) {
    this.#options = options;
    this.boards = options.boardIds.map((id) => new FollowedBoard(id));
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    const { token, pick } = this.#options;
    const socket = new WebSocket(`${pick().url.replace(/^http/, 'ws')}/ws?token=${token}`);
    this.#socket = socket;
    for (const board of this.boards) board.noteSubscribed(false);
    socket.on('message', (data) => this.#take(socket, JSON.parse(String(data)) as Message));
    // The close after it is enough.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (!this.#closed) setTimeout(() => this.#connect(), RETRY_MS);
    });
  }

  #take(socket: WebSocket, message: Message): void {
    const board = this.boards.find(({ boardId }) => boardId === message.board_id);
    switch (message.type) {
      case 'ping':
        return socket.send('{"type":"pong"}');
      case 'authenticated':
        return this.boards.forEach((each) => this.#subscribe(socket, each));
      case 'subscribed':
        return board?.noteSubscribed(true);
      case 'unsubscribed':
        board?.noteSubscribed(false);
        // It is out of reach for some time.
        setTimeout(() => board && this.#subscribe(socket, board), RETRY_MS);
        return;
      case 'error':
        board?.violations.push(`${message.code}: ${message.detail}`);
        return;
      default:
        if (!message.type.startsWith('user.')) board?.take(message);
    }
  }

  #subscribe(socket: WebSocket, { boardId, seq }: FollowedBoard): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'subscribe', board_id: boardId, since: seq }));
  }
}
