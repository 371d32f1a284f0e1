/**
 * A board that follows its events. It is read once; then its events arrive over the client's socket and are applied in
 * order. After a lost socket it subscribes again and gets the missed events, so the copy is exact while the state is
 * `live`.
 */
import { ApiError } from '../apiError.js';
import { Backoff } from '../socket/backoff.js';
import { BoardCopy } from './boardCopy.js';
import type { Clock } from '../clock.js';
import type { ConnectOptions } from '../socket/connectOptions.js';
import type { ConnectionEvents, ConnectionState, EndCause } from './connectionState.js';
import type { BoardEvent, BoardMessage, BoardPosition, OnlineUser, PeerState, Resync, Signal } from '../events.js';
import { CLOSE_BOARD_DELETED, CLOSE_REFUSED } from '../facts.js';
import { Listeners } from '../listeners.js';
import type { LoadedBoard } from './localBoard.js';
import type { OwnStates } from './ownStates.js';
import { afterPresence, afterState, withoutUser } from './presence.js';
import type { FullBoard } from '../resources.js';
import type { SharedSocket, SocketMember } from '../socket/sharedSocket.js';

export interface FollowedBoardOptions extends Required<ConnectOptions> {
  readonly boardId: string;
  readonly socket: SharedSocket;
  readonly ownStates: OwnStates;
  readonly clock: Clock;
  readonly random: () => number;
  load(signal: AbortSignal): Promise<LoadedBoard>;
}

const CLOSE_ASKED_FOR = 1000;
/** Answers that will not change by retrying. */
const FINAL_STATUSES: readonly number[] = [401, 403, 404, 422];
const TOO_MANY = 'too_many';
const NOT_FOUND = 'not_found';

/** Once confirmed, with the latest position at that time, and the messages that arrive while the board is read again. */
type Subscription =
  | { readonly kind: 'none' }
  | { readonly kind: 'requested' }
  | { readonly kind: 'confirmed'; readonly latest: BoardPosition; held: Array<BoardEvent | Resync> | null };

const NOT_SUBSCRIBED: Subscription = { kind: 'none' };
const NO_PEERS: readonly PeerState[] = [];

export class FollowedBoard implements SocketMember<BoardMessage> {
  /** Resolves when the board is first `live`; rejects if it ends before. */
  readonly ready: Promise<FullBoard>;
  readonly copy = new BoardCopy();
  readonly listeners = new Listeners<ConnectionEvents>();
  readonly #options: FollowedBoardOptions;
  readonly #backoff: Backoff;
  #state: ConnectionState = { kind: 'connecting' };
  #subscription: Subscription = NOT_SUBSCRIBED;
  #reading: AbortController | null = null;
  /** The timer of the board's own next attempt, apart from the timers of the socket. */
  #pause: unknown = null;
  #online: readonly OnlineUser[] = [];
  #peers = NO_PEERS;
  #resolveReady: (board: FullBoard) => void = () => undefined;
  #rejectReady: (error: Error) => void = () => undefined;

  constructor(options: FollowedBoardOptions) {
    const { firstRetryMs: firstMs, maxRetryMs: maxMs, random } = options;
    this.#options = options;
    this.#backoff = new Backoff({ firstMs, maxMs, random });
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    // `state` reports the same, so an unused rejection of `ready` must not end the process.
    this.ready.catch(() => undefined);
    this.#advance();
    options.socket.joinBoard(options.boardId, this);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** In order of arrival. */
  get online(): readonly OnlineUser[] {
    return this.#online;
  }

  get peers(): readonly PeerState[] {
    return this.#peers;
  }

  get isSubscribed(): boolean {
    return this.#subscription.kind === 'confirmed';
  }

  emitChange(event: BoardEvent | null): void {
    const { board } = this.copy;
    if (board !== null) this.listeners.emit('change', { board, event });
  }

  close(): void {
    this.#end('left', 'Closed by the client');
  }

  opened(): void {
    if (this.#pause === null) this.#setState({ kind: 'connecting' });
    this.#advance();
  }

  lost(reason: string, retryInMs: number): void {
    this.#forgetSubscription();
    this.#setState({ kind: 'waiting', reason, retryInMs });
  }

  refused(reason: string, error: Error): void {
    this.#end('refused', reason, error);
  }

  received(message: BoardMessage): void {
    switch (message.type) {
      case 'subscribed':
        return this.#subscribed(message, message.online_users);
      case 'unsubscribed':
        return this.#unsubscribed(message.code, message.reason);
      case 'error':
        return this.#failed(message.code, message.detail, (message.retry_after ?? 0) * 1000);
      case 'user_left':
        this.#setPeers(withoutUser(this.#peers, message.user_id));
        return this.#setOnline(afterPresence(this.#online, message));
      case 'user_joined':
        return this.#setOnline(afterPresence(this.#online, message));
      case 'state':
        return this.#setPeers(afterState(this.#peers, message));
      case 'signal':
        return this.#signalled(message);
      default:
        return this.#follow(message);
    }
  }

  #signalled({ user_id, connection_id, data }: Signal): void {
    this.listeners.emit('signal', { user_id, connection_id, data });
  }

  /** The next step towards `live`, if one is possible now. */
  #advance(): void {
    const { socket, boardId } = this.#options;
    if (this.#state.kind === 'closed' || this.#pause !== null) return;
    if (this.copy.local.isStale) return this.#read();
    if (!socket.isOpen || this.#subscription.kind !== 'none') return;
    this.#subscription = { kind: 'requested' };
    socket.send({ type: 'subscribe', board_id: boardId, since: this.copy.local.position });
  }

  /** Also while the socket is lost or not open yet. */
  #read(): void {
    if (this.#reading !== null || this.#state.kind === 'closed') return;
    const { clock, maxSilenceMs, load } = this.#options;
    const reading = new AbortController();
    this.#reading = reading;
    const timer = clock.set(() => reading.abort(new Error('The board could not be read in time')), maxSilenceMs);
    load(reading.signal)
      .finally(() => {
        clock.clear(timer);
        if (this.#reading === reading) this.#reading = null;
      })
      .then((loaded) => this.#loaded(loaded))
      .catch((error: unknown) => this.#readingFailed(error));
  }

  #loaded(loaded: LoadedBoard): void {
    if (this.#state.kind === 'closed') return;
    this.copy.load(loaded);
    this.emitChange(null);
    const subscription = this.#subscription;
    if (subscription.kind === 'confirmed') {
      // The board includes the others, or must be read again.
      const held = (subscription.held ?? []).filter((message) => this.copy.local.isBehind(message));
      subscription.held = null;
      for (const message of held) this.#follow(message);
    }
    this.#settle();
    this.#advance();
  }

  #readingFailed(error: unknown): void {
    if (this.#state.kind === 'closed') return;
    if (!(error instanceof ApiError)) return this.#retry(String(error));
    if (FINAL_STATUSES.includes(error.status)) return this.#end('refused', error.detail, error);
    this.#retry(error.message, (error.retryAfter ?? 0) * 1000);
  }

  #subscribed(latest: BoardPosition, online: readonly OnlineUser[]): void {
    const { ownStates, boardId } = this.#options;
    // The answer to a request that was taken back.
    if (this.#subscription.kind === 'none') return;
    this.#subscription = { kind: 'confirmed', latest, held: null };
    this.#setOnline(online);
    this.#setPeers(NO_PEERS);
    ownStates.subscribed(boardId);
    if (this.copy.local.contradicts(latest)) this.#readAgain();
    else this.#settle();
  }

  #unsubscribed(code: number, reason: string): void {
    if (code === CLOSE_ASKED_FOR) return;
    this.#forgetSubscription();
    if (code === CLOSE_REFUSED) return this.#end('refused', reason);
    if (code === CLOSE_BOARD_DELETED) return this.#end('board deleted', reason);
    this.#retry(`Unsubscribed with ${code} ${reason}`.trimEnd());
  }

  #failed(code: string, detail: string, retryAfterMs: number): void {
    // The answer to an `unsubscribe` that came too late. A missing board is reported by `unsubscribed`.
    if (code === NOT_FOUND) return;
    const { ownStates, boardId } = this.#options;
    if (this.#subscription.kind === 'requested') this.#retry(detail, retryAfterMs);
    else if (code === TOO_MANY) ownStates.refused(boardId, retryAfterMs);
  }

  #follow(message: BoardEvent | Resync): void {
    const subscription = this.#subscription;
    if (subscription.kind !== 'confirmed') return;
    if (subscription.held !== null) subscription.held.push(message);
    else if (message.type !== 'resync') this.#take(message);
    // Otherwise the board was read after it.
    else if (this.copy.local.isBehind(message)) this.#readAgain();
  }

  #take(event: BoardEvent): void {
    switch (this.copy.take(event)) {
      case 'old':
        return;
      case 'gap':
        return this.#retry('An event was missed');
      case 'unknown':
        return this.#readAgain();
      case 'applied':
        this.listeners.emit('event', event);
        this.emitChange(event);
        if (event.type === 'board.deleted') this.#end('board deleted', 'The board was deleted');
        else this.#settle();
    }
  }

  /** Reads the board while the subscription stays: events that the board does not contain yet are applied afterwards. */
  #readAgain(): void {
    if (this.#subscription.kind === 'confirmed') this.#subscription.held ??= [];
    this.copy.local.markStale();
    this.#setState({ kind: 'connecting' });
    this.#read();
  }

  #settle(): void {
    const { board, local } = this.copy;
    const subscription = this.#subscription;
    if (this.#state.kind !== 'connecting' || board === null) return;
    if (subscription.kind !== 'confirmed' || subscription.held !== null || local.isBehind(subscription.latest)) return;
    this.#backoff.reset();
    this.#setState({ kind: 'live' });
    this.#resolveReady(board);
  }

  /** Alone: the socket and the other boards are not affected. */
  #retry(reason: string, leastMs = 0): void {
    const { clock } = this.#options;
    if (this.#state.kind === 'closed') return;
    this.#unsubscribe();
    clock.clear(this.#pause);
    const retryInMs = Math.max(this.#backoff.next(), leastMs);
    this.#pause = clock.set(() => {
      this.#pause = null;
      if (this.#options.socket.isOpen) this.#setState({ kind: 'connecting' });
      this.#advance();
    }, retryInMs);
    this.#setState({ kind: 'waiting', reason, retryInMs });
  }

  #unsubscribe(): void {
    const { socket, boardId } = this.#options;
    if (this.#subscription.kind !== 'none') socket.send({ type: 'unsubscribe', board_id: boardId });
    this.#forgetSubscription();
  }

  #forgetSubscription(): void {
    this.#subscription = NOT_SUBSCRIBED;
    this.#options.ownStates.unsubscribed(this.#options.boardId);
  }

  #end(cause: EndCause, reason: string, error = new Error(reason)): void {
    const { clock, socket, ownStates, boardId } = this.#options;
    if (this.#state.kind === 'closed') return;
    this.#state = { kind: 'closed', cause, reason };
    this.#unsubscribe();
    ownStates.forget(boardId);
    socket.leaveBoard(boardId);
    clock.clear(this.#pause);
    this.#reading?.abort();
    this.#rejectReady(error);
    this.listeners.emit('state', this.#state);
  }

  #setOnline(users: readonly OnlineUser[]): void {
    this.#online = users;
    this.listeners.emit('presence', users);
  }

  #setPeers(peers: readonly PeerState[]): void {
    if (peers === this.#peers) return;
    this.#peers = peers;
    this.listeners.emit('states', peers);
  }

  #setState(state: ConnectionState): void {
    // A listener may have closed it meanwhile.
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.listeners.emit('state', state);
  }
}
