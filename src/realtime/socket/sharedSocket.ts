/** A socket for any number of boards and the feed of its user, and its sessions. */
import type { WebSocket } from 'uWebSockets.js';
import type { Close } from '../../api/closeCodes.js';
import { withBoard, type BoardEvent } from '../../domain/events.js';
import type { Uuid } from '../../domain/ids.js';
import type { PresenceSnapshot, Connection } from '../../domain/ports/presence.js';
import { renderState } from '../../domain/ports/presence.js';
import type { Position } from '../../domain/position.js';
import type { Audience, Backlog } from '../delivery/backlog.js';
import { type Client, Session, type SessionBoard, type SocketData, type SocketToken, type SocketUser } from './session.js';
import { hangUp, sendTogether } from './socketCalls.js';

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
  /** A session ended before its socket: the board must forget it. */
  readonly onLeft: (session: SharedSession) => void;
}

/** Nearly every socket follows one board, and a map takes more memory than all the rest. */
type Sessions = SharedSession | Map<Uuid, SharedSession> | null;

export class SharedSocket implements Client, Audience {
  readonly socket: WebSocket<SocketData>;
  readonly user: SocketUser;
  readonly number: number;
  token: SocketToken;
  readonly #host: SharedSocketHost;
  #sessions: Sessions = null;
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

  get sessions(): readonly SharedSession[] {
    if (this.#sessions === null) return [];
    return this.#sessions instanceof Map ? [...this.#sessions.values()] : [this.#sessions];
  }

  /** The number of boards. */
  get size(): number {
    if (this.#sessions === null) return 0;
    return this.#sessions instanceof Map ? this.#sessions.size : 1;
  }

  sessionOn(boardId: Uuid): SharedSession | null {
    if (this.#sessions instanceof Map) return this.#sessions.get(boardId) ?? null;
    return this.#sessions?.place.boardId === boardId ? this.#sessions : null;
  }

  add(session: SharedSession): void {
    if (this.#sessions === null) this.#sessions = session;
    else if (this.#sessions instanceof Map) this.#sessions.set(session.place.boardId, session);
    else this.#sessions = new Map([this.#sessions, session].map((each) => [each.place.boardId, each]));
  }

  /** The session has ended, and the socket has not: the client is told. */
  leave(session: SharedSession, close: Close): void {
    this.#host.onLeft(session);
    if (this.#sessions instanceof Map) this.#sessions.delete(session.place.boardId);
    else this.#sessions = null;
    const { code, reason } = close;
    this.send(JSON.stringify({ type: 'unsubscribed', board_id: session.place.boardId, code, reason }));
  }

  isOn({ boardId }: SessionBoard): boolean {
    return this.sessionOn(boardId) !== null;
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
    if (this.#makeRoom(Buffer.byteLength(text))) this.socket.send(text);
  }

  sendTogether(texts: readonly string[]): void {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (this.#makeRoom(bytes)) sendTogether(this.socket, texts);
  }

  noteDrain(): void {
    for (const session of this.sessions) session.noteDrain();
  }

  noteEnd(): void {
    this.#isClosed = true;
    for (const session of this.sessions) session.noteEnd();
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
export class SharedSession extends Session {
  readonly client: SharedSocket;
  /** What the client shows of itself on this board, as JSON; null for nothing. */
  shown: string | null = null;

  constructor(client: SharedSocket, place: SessionBoard, number: number) {
    super(place, number);
    this.client = client;
  }

  get form(): 'shared' {
    return 'shared';
  }

  override get connection(): Connection {
    return this.shown === null ? super.connection : { ...super.connection, state: this.shown };
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

  noteJoined({ epoch, seq, attendance }: Position & { readonly attendance?: PresenceSnapshot }): void {
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

export function renderSharedResync({ boardId, epoch }: SessionBoard, seq: number): string {
  return `{"type":"resync","board_id":"${boardId}","epoch":"${epoch}","seq":${seq}}`;
}
