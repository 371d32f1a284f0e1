/** A service of which the test controls every socket, answer and timer. */
import { createClient, type BoardConnection, type Client, type ClientOptions, type ConnectionState } from '../../src/client/index.js';
import type { FullBoard, OnlineUser, Socket } from '../../src/client/index.js';
import { untilAborted } from '../../src/client/abort.js';
import { ManualClock } from './manualClock.js';

export const BOARD_ID = 'b0a2db0a-2d00-4000-8000-000000000000';
export const OTHER_ID = 'c0a2db0a-2d00-4000-8000-000000000000';
export const ADA: OnlineUser = { user_id: 'a', username: 'ada' };
export const BOB: OnlineUser = { user_id: 'b', username: 'bob' };

/** A message of the client, parsed. */
export interface SentMessage {
  readonly type: string;
  readonly board_id?: string;
  readonly since?: string;
  readonly token?: string;
  readonly state?: unknown;
  readonly data?: unknown;
}

export class FakeSocket implements Socket {
  readonly token: string | null;
  readonly sent: SentMessage[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor(url: string) {
    this.token = new URL(url).searchParams.get('token');
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as SentMessage);
  }

  close(): void {
    this.isClosed = true;
  }

  /** The messages of one type, in order. */
  sentOf(type: string): SentMessage[] {
    return this.sent.filter((message) => message.type === type);
  }

  /** The service sends a message. */
  say(message: object | string): void {
    this.#happen('message', { data: typeof message === 'string' ? message : JSON.stringify(message) });
  }

  /** The service admits the client. */
  admit(expiresInMs = 3_600_000, now = Date.now()): void {
    this.say({ type: 'authenticated', expires_at: new Date(now + expiresInMs).toISOString() });
  }

  /** The service confirms the subscription to a board whose latest number this is. */
  confirm(seq: number, options: { board_id?: string; epoch?: string; online_users?: readonly OnlineUser[] } = {}): void {
    this.say({ type: 'subscribed', board_id: BOARD_ID, epoch: '0', seq, online_users: [ADA], ...options });
  }

  /** The service closes the connection, or it breaks (1006). */
  end(code: number, reason = ''): void {
    this.#happen('close', { code, reason });
  }

  #happen(type: string, event: object): void {
    const listener = this.#listeners.get(type) as ((event: object) => void) | undefined;
    listener?.(event);
  }
}

/** A refusal, a number that is the position of the board, or a promise of one. */
type ReadAnswer = Response | number | string | Promise<number>;

export class FakeService {
  readonly clock = new ManualClock();
  readonly sockets: FakeSocket[] = [];
  readonly states: ConnectionState[] = [];
  /** The numbers of the emitted events; null stands for a board that was read as a whole. */
  readonly seen: Array<number | null> = [];
  readonly client: Client;
  /** The answer to the next reads of a board. */
  board: ReadAnswer | Error = 5;
  /** How often a board was read. */
  reads = 0;

  constructor(options: Partial<ClientOptions> = {}) {
    const { sockets } = this;
    class Made extends FakeSocket {
      constructor(url: string) {
        super(url);
        sockets.push(this);
      }
    }
    this.client = createClient({
      baseUrl: 'http://service',
      token: 'token',
      webSocket: Made,
      fetch: (_url, init) => untilAborted(this.#read(), init?.signal ?? undefined),
      clock: this.clock,
      random: () => 0.5,
      ...options,
    });
  }

  connect(boardId = BOARD_ID): BoardConnection {
    const connection = this.client.connect(boardId);
    connection.on('state', (state) => this.states.push(state));
    connection.on('change', ({ event }) => this.seen.push(event?.seq ?? null));
    return connection;
  }

  /** A connection that is live on its first socket. */
  async connectLive(): Promise<BoardConnection> {
    const connection = this.connect();
    await settled();
    this.socket.admit();
    this.socket.confirm(5);
    await connection.ready;
    return connection;
  }

  get socket(): FakeSocket {
    const latest = this.sockets.at(-1);
    if (latest === undefined) throw new Error('no socket was opened');
    return latest;
  }

  /** The positions of which the client asked to be told more, on the latest socket. */
  get subscriptions(): Array<string | undefined> {
    return this.socket.sentOf('subscribe').map(({ since }) => since);
  }

  /** The pauses before the next attempts, as the connection reported them. */
  get pauses(): number[] {
    return this.states.flatMap((state) => (state.kind === 'waiting' ? [state.retryInMs] : []));
  }

  async #read(): Promise<Response> {
    this.reads += 1;
    const answer = await this.board;
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : new Response(JSON.stringify(boardAt(answer)), { headers: { etag: `"${answer}"` } });
  }
}

export function boardAt(position: number | string): FullBoard {
  const board = { id: BOARD_ID, title: `as of ${position}`, columns: [], labels: [], members: [] };
  return board as unknown as FullBoard;
}

export function refusal(status: number, detail: string, retryAfter?: number): Response {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new Response(JSON.stringify({ detail }), { status, headers });
}

/** An event that renames the board. */
export function renamed(seq: number, board_id = BOARD_ID): object {
  const data = { title: `as of ${seq}`, members: [], labels: [] };
  return { board_id, seq, type: 'board.updated', data, version: '1.0' };
}

/** Resolves after all pending promise callbacks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
