/**
 * The one socket of a client, for all its boards and feeds. It is open while there are any, answers heartbeats, renews
 * its token, and reconnects when it is lost or silent.
 */
import { ApiError } from '../apiError.js';
import { Backoff } from './backoff.js';
import type { Clock } from '../clock.js';
import type { ConnectOptions } from './connectOptions.js';
import type { BoardMessage, ClientMessage, FeedMessage, ServerMessage } from '../events.js';
import { CLOSE_REFUSED } from '../facts.js';
import type { Socket } from './socket.js';
import { renewalTime, type Credential, type Tokens } from '../calls/tokens.js';

/** A board or a feed. */
export interface SocketMember<Message> {
  /** The service has admitted the socket: messages can be sent. */
  opened(): void;
  received(message: Message): void;
  lost(reason: string, retryInMs: number): void;
  /** For good: the service refused the client. The socket has forgotten the member. */
  refused(reason: string, error: Error): void;
}

export interface SharedSocketOptions extends Required<ConnectOptions> {
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly random: () => number;
  open(token: string | null): Socket;
}

/** Answers of the service to a request for a token that will not change by retrying. */
const FINAL_STATUSES: readonly number[] = [400, 401, 403, 422];
/** The codes of the service for a token that is invalid or belongs to another user. */
const TOKEN_REFUSALS: readonly string[] = ['unauthenticated', 'forbidden'];
/** In milliseconds, after a failed attempt to renew the token of an open socket. */
const RENEWAL_RETRY_MS = 5_000;
/** In milliseconds: platforms' timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One attempt, from the token to the end of the socket. */
interface Link {
  socket: Socket | null;
  /** The latest that the service was sent; null before. */
  credential: Credential | null;
  isAdmitted: boolean;
}

export class SharedSocket {
  readonly #options: SharedSocketOptions;
  readonly #backoff: Backoff;
  readonly #boards = new Map<string, SocketMember<BoardMessage>>();
  readonly #feeds = new Set<SocketMember<FeedMessage>>();
  /** Null while waiting and without members. Callbacks of another link are ignored. */
  #link: Link | null = null;
  /** The timer for silence, or for the next attempt. */
  #timer: unknown;
  #renewal: unknown;
  /** The one that was refused, until the service admits another one. */
  #refused: Credential | null = null;

  constructor(options: SharedSocketOptions) {
    const { firstRetryMs, maxRetryMs, random, tokens } = options;
    this.#options = options;
    this.#backoff = new Backoff({ firstMs: firstRetryMs, maxMs: maxRetryMs, random });
    tokens.onNew((credential) => this.#authenticate(credential));
  }

  get isOpen(): boolean {
    return this.#link?.isAdmitted === true;
  }

  joinBoard(boardId: string, member: SocketMember<BoardMessage>): void {
    this.#boards.set(boardId, member);
    this.#welcome(member);
  }

  leaveBoard(boardId: string): void {
    if (this.#boards.delete(boardId)) this.#left();
  }

  joinFeed(member: SocketMember<FeedMessage>): void {
    this.#feeds.add(member);
    this.#welcome(member);
  }

  leaveFeed(member: SocketMember<FeedMessage>): void {
    if (this.#feeds.delete(member)) this.#left();
  }

  /** Does nothing unless the socket is open: members say everything again when it is. */
  send(message: ClientMessage): void {
    if (this.isOpen) this.#link?.socket?.send(JSON.stringify(message));
  }

  /** If the socket is lost at the moment, the member hears of the next attempt. */
  #welcome(member: SocketMember<never>): void {
    if (this.isOpen) member.opened();
    else if (this.#size === 1) this.#begin();
  }

  #left(): void {
    if (this.#size > 0) return;
    this.#backoff.reset();
    this.#letGo();
  }

  get #size(): number {
    return this.#boards.size + this.#feeds.size;
  }

  get #members(): Array<SocketMember<never>> {
    return [...this.#boards.values(), ...this.#feeds];
  }

  #begin(): void {
    const link: Link = { socket: null, credential: null, isAdmitted: false };
    this.#link = link;
    this.#awaitSign();
    this.#open(link).catch((error: unknown) => this.#failed(link, error));
  }

  async #open(link: Link): Promise<void> {
    const credential = await this.#nextCredential();
    if (this.#link !== link) return;
    if (credential === null) return this.#end('There is no token');
    const socket = this.#options.open(credential.token);
    link.credential = credential;
    link.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (this.#link === link) this.#receive(link, data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#link === link) this.#closed(link, code, reason);
    });
    // Carries no more information than the `close` that follows, but Node requires a listener.
    socket.addEventListener('error', () => undefined);
  }

  /** Null if there is none and none can be had. */
  async #nextCredential(): Promise<Credential | null> {
    const { tokens } = this.#options;
    if (!tokens.isUsable && !tokens.canAsk) return null;
    return this.#refused === null ? tokens.forUse() : tokens.insteadOf(this.#refused);
  }

  #receive(link: Link, data: unknown): void {
    this.#awaitSign();
    const message = parse(data);
    if (message === null) return this.#retry('The service sent an invalid message');
    if (message.type === 'ping') {
      this.#backoff.reset();
      return this.send({ type: 'pong' });
    }
    if (message.type === 'authenticated') return this.#authenticated(link, message.expires_at === null ? Infinity : Date.parse(message.expires_at));
    if (isForFeed(message)) return [...this.#feeds].forEach((feed) => feed.received(message));
    if (!('board_id' in message)) return this.#refusedMessage(message.code, message.detail);
    if (message.type === 'subscribed') this.#backoff.reset();
    this.#boards.get(message.board_id)?.received(message);
  }

  #authenticated(link: Link, expiresAt: number): void {
    this.#refused = null;
    this.#scheduleRenewal(link, expiresAt);
    if (link.isAdmitted) return;
    link.isAdmitted = true;
    this.#members.forEach((member) => member.opened());
    // Asked for while the socket was being opened.
    this.#authenticate(this.#options.tokens.current);
  }

  #scheduleRenewal(link: Link, expiresAt: number): void {
    const { clock, tokens } = this.#options;
    clock.clear(this.#renewal);
    const waitMs = renewalTime(clock.now(), expiresAt) - clock.now();
    if (!tokens.canAsk || !Number.isFinite(waitMs)) return;
    const isTooLong = waitMs > LONGEST_TIMER_MS;
    const next = (): void => (isTooLong ? this.#scheduleRenewal(link, expiresAt) : this.#renew(link));
    this.#renewal = clock.set(next, Math.min(waitMs, LONGEST_TIMER_MS));
  }

  /** The new token is sent as soon as it is known, by `#authenticate`. */
  #renew(link: Link): void {
    const { clock, tokens } = this.#options;
    tokens.insteadOf(link.credential ?? tokens.current).catch(() => {
      // There is time for further attempts. At the end the service closes the socket and says why.
      if (this.#link === link && tokens.canAsk) this.#renewal = clock.set(() => this.#renew(link), RENEWAL_RETRY_MS);
    });
  }

  #authenticate(credential: Credential): void {
    const link = this.#link;
    if (link === null || !link.isAdmitted || link.credential === credential) return;
    const isKnown = link.credential?.token === credential.token;
    link.credential = credential;
    // The service has renewed the session of a cookie, and with it the socket.
    if (credential.token === null) return this.#scheduleRenewal(link, credential.expiresAt);
    if (!isKnown) this.send({ type: 'auth', token: credential.token });
  }

  /** A new token that the service does not take for this socket may be good for another one. */
  #refusedMessage(code: string, detail: string): void {
    if (TOKEN_REFUSALS.includes(code)) this.#retry(detail);
  }

  #failed(link: Link, error: unknown): void {
    if (this.#link !== link) return;
    const isFinal = error instanceof ApiError && FINAL_STATUSES.includes(error.status);
    if (isFinal) this.#end(error.detail, error);
    else this.#retry(String(error));
  }

  #closed(link: Link, code: number, reason: string): void {
    if (code !== CLOSE_REFUSED) return this.#retry(`Closed with ${code} ${reason}`.trimEnd());
    if (this.#refused !== null || !this.#options.tokens.canAsk) return this.#end(reason);
    this.#refused = link.credential;
    this.#retry(reason);
  }

  #retry(reason: string): void {
    this.#letGo();
    const retryInMs = this.#backoff.next();
    this.#timer = this.#options.clock.set(() => this.#begin(), retryInMs);
    this.#members.forEach((member) => member.lost(reason, retryInMs));
  }

  #end(reason: string, error = new Error(reason)): void {
    const members = this.#members;
    this.#boards.clear();
    this.#feeds.clear();
    this.#refused = null;
    this.#letGo();
    members.forEach((member) => member.refused(reason, error));
  }

  /** Not awaited: the old socket may take long to close, or never close. */
  #letGo(): void {
    const { clock } = this.#options;
    const link = this.#link;
    this.#link = null;
    clock.clear(this.#timer);
    clock.clear(this.#renewal);
    link?.socket?.close();
  }

  #awaitSign(): void {
    const { clock, maxSilenceMs } = this.#options;
    clock.clear(this.#timer);
    this.#timer = clock.set(() => this.#retry('The service stopped sending'), maxSilenceMs);
  }
}

function isForFeed(message: ServerMessage): message is FeedMessage {
  return message.type.startsWith('user.');
}

/** Null for a message that cannot be from the service. */
function parse(data: unknown): ServerMessage | null {
  try {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : null;
    const isMessage = typeof message === 'object' && message !== null && 'type' in message && typeof message.type === 'string';
    return isMessage ? (message as ServerMessage) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
