/** A socket for any number of boards and the feed of its user, and its followers. */
import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../../api/closeCodes.js';
import { withBoard, type BoardEvent } from '../../domain/events.js';
import type { Uuid } from '../../domain/ids.js';
import { isRestricted, type RestrictedRole, type Role } from '../../domain/model.js';
import type { JoinDetails, Connection } from '../../domain/ports/presence.js';
import { renderState } from '../../domain/ports/presence.js';
import type { Position } from '../../domain/position.js';
import type { Audience, Backlog } from '../delivery/backlog.js';
import { type Client, Follower, type RoomPlace, type SocketData, type SocketToken, type SocketUser } from './follower.js';
import { hangUp, sendTogether } from './socketCalls.js';
import { toSent } from '../../flow/sentText.js';

const PING = '{"type":"ping"}';

export interface SharedSocketOptions {
  readonly user: SocketUser;
  readonly number: number;
  readonly token: SocketToken;
  readonly host: SharedSocketHost;
}

/** One object for all sockets. */
export interface SharedSocketHost {
  readonly backlog: Backlog;
  /** A follower ended before its socket: the board must forget it. */
  readonly onLeft: (follower: SharedFollower) => void;
}

/** Nearly every socket follows one board, and a map takes more memory than all the rest. */
type Followers = SharedFollower | Map<Uuid, SharedFollower> | null;

export class SharedSocket implements Client, Audience {
  readonly socket: WebSocket<SocketData>;
  readonly user: SocketUser;
  readonly number: number;
  token: SocketToken;
  readonly #host: SharedSocketHost;
  #followers: Followers = null;
  /** A closed socket must not be used. */
  #isClosed = false;

  constructor(socket: WebSocket<SocketData>, { user, number, token, host }: SharedSocketOptions) {
    this.socket = socket;
    this.user = user;
    this.number = number;
    this.token = token;
    this.#host = host;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isAdmitted(): boolean {
    return true;
  }

  get answersPings(): boolean {
    return true;
  }

  /** Large messages are replaced by `resync` here. */
  get isReceiving(): boolean {
    return false;
  }

  get ping(): string {
    return PING;
  }

  get followers(): readonly SharedFollower[] {
    if (this.#followers === null) return [];
    return this.#followers instanceof Map ? [...this.#followers.values()] : [this.#followers];
  }

  /** The number of boards. */
  get size(): number {
    if (this.#followers === null) return 0;
    return this.#followers instanceof Map ? this.#followers.size : 1;
  }

  followerOn(boardId: Uuid): SharedFollower | null {
    if (this.#followers instanceof Map) return this.#followers.get(boardId) ?? null;
    return this.#followers?.place.boardId === boardId ? this.#followers : null;
  }

  add(follower: SharedFollower): void {
    if (this.#followers === null) this.#followers = follower;
    else if (this.#followers instanceof Map) this.#followers.set(follower.place.boardId, follower);
    else this.#followers = new Map([this.#followers, follower].map((each) => [each.place.boardId, each]));
  }

  /** The follower has ended, and the socket has not: the client is told. */
  leave(follower: SharedFollower, close: Close): void {
    this.#host.onLeft(follower);
    if (this.#followers instanceof Map) this.#followers.delete(follower.place.boardId);
    else this.#followers = null;
    const { code, reason } = close;
    this.send(JSON.stringify({ type: 'unsubscribed', board_id: follower.place.boardId, code, reason }));
  }

  isOn({ boardId }: RoomPlace): boolean {
    return this.followerOn(boardId) !== null;
  }

  /** Itself: the receiver of messages that no board has caused. */
  get clients(): readonly Client[] {
    return [this];
  }

  includes(client: Client): boolean {
    return client === this;
  }

  /** Sends a message to this client alone, as a part of its unread data. */
  send(text: string): void {
    if (this.#makeRoom(Buffer.byteLength(text))) this.socket.send(toSent(text));
  }

  sendTogether(texts: readonly string[]): void {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (this.#makeRoom(bytes)) sendTogether(this.socket, texts);
  }

  noteDrain(): void {
    for (const follower of this.followers) follower.noteDrain();
  }

  noteEnd(): void {
    this.#isClosed = true;
    for (const follower of this.followers) follower.noteEnd();
  }

  hangUp(close: Close): void {
    if (!this.#isClosed) hangUp(this.socket, close);
  }

  /** False if it is closed: it may have been the slowest and was disconnected to make room. */
  #makeRoom(bytes: number): boolean {
    if (!this.#isClosed) this.#host.backlog.makeRoom(this, bytes, 1);
    return !this.#isClosed;
  }
}

/** One board of a shared socket. */
export class SharedFollower extends Follower {
  readonly client: SharedSocket;
  /** What the client shows of itself on this board, as JSON; null for nothing. */
  shown: string | null = null;
  /** A role that sends no signals, if the user has one; undefined until it is known. */
  #restriction: RestrictedRole | null | undefined;

  constructor(client: SharedSocket, place: RoomPlace, number: number) {
    super(place, number);
    this.client = client;
  }

  get form(): 'shared' {
    return 'shared';
  }

  get restriction(): RestrictedRole | null {
    return this.#restriction ?? null;
  }

  override noteRole(role: Role): void {
    this.#restriction = isRestricted(role) ? role : null;
  }

  override get connection(): Connection {
    const { shown: state, restriction } = this;
    if (state === null && restriction === null) return super.connection;
    return { ...super.connection, ...(state === null ? {} : { state }), ...(restriction === null ? {} : { restriction }) };
  }

  sendEvent(event: BoardEvent): void {
    this.noteSent(event.seq);
    this.send(withBoard(event, this.place.boardId, this.place.epoch));
  }

  sendResync(seq: number): void {
    this.noteSent(seq);
    this.send(renderSharedResync(this.place, seq));
  }

  sendPresence(texts: readonly string[]): void {
    this.client.sendTogether(texts.map((text) => onBoard(this.place.boardId, text)));
  }

  noteJoined({ epoch, seq, attendance, restriction }: Position & JoinDetails): void {
    // A change that was published while the client joined is later than what the board answered, or the same.
    if (this.#restriction === undefined) this.#restriction = restriction ?? null;
    const { online, states } = attendance ?? { online: [], states: [] };
    const { boardId } = this.place;
    this.client.send(JSON.stringify({ type: 'subscribed', board_id: boardId, epoch, seq, online_users: online }));
    if (states.length > 0) this.sendPresence(states.map(renderState));
  }

  end(close: Close): void {
    if (!this.isEnded) this.client.leave(this, close);
  }
}

/** A message about a board, with its id in front. */
export function onBoard(boardId: Uuid, text: string): string {
  return `{"board_id":"${boardId}",${text.slice(1)}`;
}

export function renderSharedResync({ boardId, epoch }: RoomPlace, seq: number): string {
  return `{"type":"resync","board_id":"${boardId}","epoch":"${epoch}","seq":${seq}}`;
}
