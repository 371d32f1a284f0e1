/** A board without a service: the test controls every socket, answer and timer. */
import { ApiError } from '../../src/client/apiError.js';
import { BoardConnection, type BoardSource } from '../../src/client/boardConnection.js';
import type { ConnectOptions, Timers } from '../../src/client/connectOptions.js';
import type { ConnectionState } from '../../src/client/connectionState.js';
import type { OnlineUser } from '../../src/client/events.js';
import type { LoadedBoard } from '../../src/client/localBoard.js';
import type { FullBoard } from '../../src/client/resources.js';
import type { Socket } from '../../src/client/socket.js';

export const ADA: OnlineUser = { user_id: 'a', username: 'ada' };
export const BOB: OnlineUser = { user_id: 'b', username: 'bob' };

export class FakeSocket implements Socket {
  readonly since: number;
  readonly sent: string[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor(since: number) {
    this.since = since;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  /** The service sends a message. */
  say(message: object | string): void {
    this.#happen('message', { data: typeof message === 'string' ? message : JSON.stringify(message) });
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

/** Timers that the test fires. */
export class ManualTimers implements Timers {
  readonly #waiting = new Map<number, { callback: () => void; milliseconds: number }>();
  #handles = 0;

  set(callback: () => void, milliseconds: number): number {
    this.#handles += 1;
    this.#waiting.set(this.#handles, { callback, milliseconds });
    return this.#handles;
  }

  clear(handle: unknown): void {
    this.#waiting.delete(handle as number);
  }

  get waits(): number[] {
    return [...this.#waiting.values()].map(({ milliseconds }) => milliseconds);
  }

  fire(): void {
    const [first] = this.#waiting;
    if (first === undefined) throw new Error('no timer is set');
    const [handle, { callback }] = first;
    this.#waiting.delete(handle);
    callback();
  }
}

type Answer<T> = T | ApiError | Promise<T>;

export class FakeBoard implements BoardSource {
  readonly timers = new ManualTimers();
  readonly sockets: FakeSocket[] = [];
  readonly states: ConnectionState[] = [];
  /** The numbers of the emitted events; null stands for a board that was read as a whole. */
  readonly seen: Array<number | null> = [];
  /** The answer to the next read of the board. */
  board: Answer<LoadedBoard> = boardAt(5);
  online: Answer<readonly OnlineUser[]> = [ADA];

  connect(options: ConnectOptions = {}): BoardConnection {
    const connection = new BoardConnection(this, { timers: this.timers, random: () => 0.5, ...options });
    connection.on('state', (state) => this.states.push(state));
    connection.on('change', ({ event }) => this.seen.push(event?.seq ?? null));
    return connection;
  }

  /** A connection that is live on its first socket. */
  async connectLive(options?: ConnectOptions): Promise<BoardConnection> {
    const connection = this.connect(options);
    await settled();
    this.socket.say({ type: 'user_joined', ...ADA });
    await connection.ready;
    await settled();
    return connection;
  }

  get socket(): FakeSocket {
    const latest = this.sockets.at(-1);
    if (latest === undefined) throw new Error('no socket was opened');
    return latest;
  }

  load(): Promise<LoadedBoard> {
    return answer(this.board);
  }

  listOnline(): Promise<readonly OnlineUser[]> {
    return answer(this.online);
  }

  open(since: string): FakeSocket {
    const socket = new FakeSocket(Number(since));
    this.sockets.push(socket);
    return socket;
  }
}

async function answer<T>(given: Answer<T>): Promise<T> {
  if (given instanceof ApiError) throw given;
  return given;
}

export function boardAt(seq: number): LoadedBoard {
  const board = { id: 'board', title: `as of ${seq}`, columns: [], labels: [], members: [] };
  return { epoch: '0', seq, board: board as unknown as FullBoard };
}

/** An event that renames the board. */
export function renamed(seq: number): object {
  return { seq, type: 'board.updated', data: { title: `as of ${seq}`, members: [], labels: [] }, version: '1.0' };
}

/** Resolves after all pending promise callbacks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
