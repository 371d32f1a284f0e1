/**
 * A board that follows its events. It is read once; then changes arrive over a WebSocket and are applied in order.
 * After a lost connection it reconnects and requests the missed events, so the copy is exact while the state is `live`.
 */
import { ApiError } from './apiError.js';
import { Backoff } from './backoff.js';
import { completeOptions, type ConnectOptions, type Timers } from './connectOptions.js';
import type { ConnectionEvents, ConnectionState, EndCause } from './connectionState.js';
import type { BoardEvent, OnlineUser, Resync, ServerMessage } from './events.js';
import { Listeners } from './listeners.js';
import { LocalBoard, type LoadedBoard } from './localBoard.js';
import { OnlineUsers } from './onlineUsers.js';
import type { FullBoard } from './resources.js';
import type { Socket } from './socket.js';

/** The source of a board. */
export interface BoardSource {
  load(signal: AbortSignal): Promise<LoadedBoard>;
  listOnline(signal: AbortSignal): Promise<readonly OnlineUser[]>;
  /** Opens a socket with the events after that number. */
  open(since: string): Socket;
}

const PONG = '{"type":"pong"}';
const CLOSE_REFUSED = 1008;
const CLOSE_BOARD_DELETED = 4410;
/** Answers that will not change by retrying. */
const FINAL_STATUSES: readonly number[] = [401, 403, 404, 422];

/** One connection attempt, from reading the board to the end of the socket. */
interface Link {
  readonly abort: AbortController;
  socket: Socket | null;
  /** Messages that arrived while the board is being read again; null otherwise. */
  held: Array<BoardEvent | Resync> | null;
  /** All missed events have arrived. */
  isCaughtUp: boolean;
}

export class BoardConnection {
  /** Resolves when the board is first `live`; rejects if the connection closes for good before. */
  readonly ready: Promise<FullBoard>;
  readonly #source: BoardSource;
  readonly #timers: Timers;
  readonly #maxSilenceMs: number;
  readonly #backoff: Backoff;
  readonly #local = new LocalBoard();
  readonly #online = new OnlineUsers();
  readonly #listeners = new Listeners<ConnectionEvents>();
  #state: ConnectionState = { kind: 'connecting' };
  /** Null while waiting and when closed. Callbacks of another link are ignored. */
  #link: Link | null = null;
  /** The timer for silence, or for the next attempt. */
  #timer: unknown;
  #resolveReady: (board: FullBoard) => void = () => undefined;
  #rejectReady: (error: Error) => void = () => undefined;

  constructor(source: BoardSource, options: ConnectOptions = {}) {
    const { firstRetryMs, maxRetryMs, maxSilenceMs, random, timers } = completeOptions(options);
    this.#source = source;
    this.#timers = timers;
    this.#maxSilenceMs = maxSilenceMs;
    this.#backoff = new Backoff({ firstMs: firstRetryMs, maxMs: maxRetryMs, random });
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    // `state` reports the same, so an unused rejection of `ready` must not end the process.
    this.ready.catch(() => undefined);
    this.#begin();
  }

  /** As `GET /boards/{board_id}` returns it. Never changed, only replaced; null until it was first read. */
  get board(): FullBoard | null {
    return this.#local.board;
  }

  /** The number of the latest event in `board`. */
  get seq(): number {
    return this.#local.seq;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The users connected to the board, in order of arrival. */
  get presence(): readonly OnlineUser[] {
    return this.#online.users;
  }

  /** Returns a function that removes the listener. */
  on<Name extends keyof ConnectionEvents>(name: Name, listener: (event: ConnectionEvents[Name]) => void): () => void {
    return this.#listeners.add(name, listener);
  }

  close(): void {
    this.#end('left', 'Closed by the client');
  }

  #begin(): void {
    const link: Link = { abort: new AbortController(), socket: null, held: null, isCaughtUp: false };
    this.#link = link;
    this.#online.expectAll();
    this.#setState({ kind: 'connecting' });
    this.#awaitSign();
    this.#open(link).catch((error: unknown) => this.#fail(link, error));
  }

  async #open(link: Link): Promise<void> {
    if (this.#local.isStale) await this.#load(link);
    if (this.#link !== link) return;
    const socket = this.#source.open(this.#local.position);
    link.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (this.#link === link) this.#receive(link, data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#link === link) this.#closed(code, reason);
    });
    // Carries no more information than the `close` that follows, but Node requires a listener.
    socket.addEventListener('error', () => undefined);
  }

  async #load(link: Link): Promise<void> {
    const loaded = await this.#source.load(link.abort.signal);
    if (this.#link !== link) return;
    this.#local.load(loaded);
    this.#listeners.emit('change', { board: loaded.board, event: null });
  }

  #receive(link: Link, data: unknown): void {
    this.#awaitSign();
    const message = parse(data);
    if (message === null) return this.#retry('The service sent an invalid message');
    switch (message.type) {
      case 'ping':
        link.socket?.send(PONG);
        return this.#caughtUp(link);
      case 'user_joined':
      case 'user_left':
        this.#online.apply(message);
        this.#listeners.emit('presence', this.#online.users);
        return this.#caughtUp(link);
      default:
        return this.#follow(link, message);
    }
  }

  #follow(link: Link, message: BoardEvent | Resync): void {
    if (link.held !== null) link.held.push(message);
    else if (message.type !== 'resync') this.#take(link, message);
    // Between events, a known number means that the board was read after it. As the first message, it means that the
    // client is ahead of the board.
    else if (!link.isCaughtUp || this.#local.isBehind(message)) this.#reload(link);
  }

  #take(link: Link, event: BoardEvent): void {
    switch (this.#local.take(event)) {
      case 'old':
        return;
      case 'gap':
        return this.#retry('An event was missed');
      case 'unknown':
        return this.#reload(link);
      case 'applied':
        return this.#applied(link, event);
    }
  }

  #applied(link: Link, event: BoardEvent): void {
    this.#listeners.emit('event', event);
    const { board } = this.#local;
    if (board !== null) this.#listeners.emit('change', { board, event });
    if (event.type === 'board.deleted' && this.#link === link) this.#end('board deleted', 'The board was deleted');
  }

  /** Reads the board while the socket stays open: events that the board does not contain yet are applied afterwards. */
  #reload(link: Link): void {
    link.held = [];
    this.#local.markStale();
    this.#setState({ kind: 'connecting' });
    const finish = (): void => {
      // The board includes these, or must be read again.
      const held = (link.held ?? []).filter((message) => this.#local.isBehind(message));
      link.held = null;
      for (const message of held) if (this.#link === link) this.#follow(link, message);
      this.#settle(link);
    };
    this.#load(link).then(finish).catch((error: unknown) => this.#fail(link, error));
  }

  /** Presence messages arrive only after all missed events, beginning with our own join. */
  #caughtUp(link: Link): void {
    link.isCaughtUp = true;
    this.#settle(link);
    const read = (): Promise<readonly OnlineUser[]> => this.#source.listOnline(link.abort.signal);
    void this.#online.readOnce(read).then((isRead) => {
      if (isRead && this.#link === link) this.#listeners.emit('presence', this.#online.users);
    });
  }

  #settle(link: Link): void {
    const { board } = this.#local;
    if (this.#link !== link || !link.isCaughtUp || link.held !== null || board === null) return;
    if (this.#state.kind === 'live') return;
    this.#backoff.reset();
    this.#setState({ kind: 'live' });
    this.#resolveReady(board);
  }

  #fail(link: Link, error: unknown): void {
    if (this.#link !== link) return;
    if (!(error instanceof ApiError)) return this.#retry(String(error));
    if (FINAL_STATUSES.includes(error.status)) return this.#end('refused', error.detail, error);
    this.#retry(error.message, (error.retryAfter ?? 0) * 1000);
  }

  #closed(code: number, reason: string): void {
    if (code === CLOSE_REFUSED) this.#end('refused', reason);
    else if (code === CLOSE_BOARD_DELETED) this.#end('board deleted', reason);
    else this.#retry(`Closed with ${code} ${reason}`.trimEnd());
  }

  #retry(reason: string, leastMs = 0): void {
    this.#letGo();
    const retryInMs = Math.max(this.#backoff.next(), leastMs);
    this.#timer = this.#timers.set(() => this.#begin(), retryInMs);
    this.#setState({ kind: 'waiting', reason, retryInMs });
  }

  #end(cause: EndCause, reason: string, error = new Error(reason)): void {
    if (this.#state.kind === 'closed') return;
    this.#letGo();
    this.#rejectReady(error);
    this.#setState({ kind: 'closed', cause, reason });
  }

  /** Not awaited: the old socket may take long to close, or never close. */
  #letGo(): void {
    const link = this.#link;
    this.#link = null;
    this.#timers.clear(this.#timer);
    link?.abort.abort();
    link?.socket?.close();
  }

  #awaitSign(): void {
    this.#timers.clear(this.#timer);
    this.#timer = this.#timers.set(() => this.#retry('The service stopped sending'), this.#maxSilenceMs);
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#listeners.emit('state', state);
  }
}

/** Null for a message that cannot be from the service. */
function parse(data: unknown): ServerMessage | null {
  try {
    return typeof data === 'string' ? (JSON.parse(data) as ServerMessage) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
