/** The WebSocket edge: turns uWebSockets' handshakes, messages and closes into clients of the hub. */
import type { Logger } from 'pino';
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import type { Callers } from '../../auth/callers.js';
import type { Config } from '../../settings/config.js';
import { requireBoard as requireKeyBoard, requireScope } from '../../domain/account/apiKey.js';
import { readPosition } from '../../domain/position.js';
import { AppError } from '../../domain/errors.js';
import { parseUuid } from '../../domain/ids.js';
import { Turns } from '../../flow/turns.js';
import type { Joined, PresencePort } from '../../domain/ports/presence.js';
import { admit, closeFor, requireBoard } from '../entry/admission.js';
import { CLOSE, refused, type Close } from '../../api/closeCodes.js';
import { MAX_SHARED_MESSAGES_PER_SECOND } from '../../api/socketLimits.js';
import { readCredential } from '../entry/credential.js';
import { EarlyMessages } from '../entry/earlyMessages.js';
import type { ConnectionLimits } from '../entry/connectionLimits.js';
import { hangUp } from './socketCalls.js';
import { MAX_MESSAGES_PER_SECOND, type Hub } from '../hub.js';
import { TAKEN, type Since, type SocketData, type SocketRequest } from './follower.js';
import { SharedMessages } from './sharedMessages.js';
import { SharedSocket } from './sharedSocket.js';
import { HARD_BACKLOG_BYTES } from '../delivery/slowClients.js';

/** No valid client message is longer. */
const MAX_MESSAGE_BYTES = 4 * 1024;
/** uWebSockets cuts off larger messages without a close code; up to this size the client gets one. */
const MAX_FRAME_BYTES = 128 * 1024;
/** uWebSockets' own idle time-out, longer than ours. It can be switched off but not be longer. */
const LEAST_IDLE_SECONDS = 120;
const MAX_IDLE_SECONDS = 960;
const NO_IDLE_LIMIT = 0;

/** uWebSockets' `DISABLED` and `SHARED_COMPRESSOR`, which its published types declare only as types. */
const COMPRESSION = { off: 0, on: 1 } as const;

const BOARD_PATHS = ['/ws/boards/:board_id', '/api/ws/boards/:board_id'] as const;
const SHARED_PATHS = ['/ws', '/api/ws'] as const;
const SWEEP_MS = 10_000;
/** Many sockets arrive in one turn, and admitting a hundred sockets in it took thirty milliseconds, for which the requests of others waited. */
const ENTRIES_PER_TURN = 8;
const PONG = '{"type":"pong"}';
/** A pong may have further fields. Longer messages are not parsed: deep ones take a tenth of a millisecond each. */
const MAX_PONG_BYTES = 256;

export interface SocketServerOptions {
  readonly hub: Hub;
  readonly connectionLimits: ConnectionLimits;
  readonly presence: PresencePort;
  readonly callers: Callers;
  readonly config: Config;
  readonly log: Logger;
  /** In milliseconds, from a clock that is never set. */
  readonly monotonic?: () => number;
  /** Whether a page may use its visitor's cookie. */
  readonly admitsCookie: (res: HttpResponse, req: HttpRequest) => boolean;
}

export class SocketServer {
  readonly #options: SocketServerOptions;
  /** Sockets without a follower, yet or for ever. The others are in the hub. */
  readonly #unidentified = new Set<WebSocket<SocketData>>();
  /** Of sockets for several boards. */
  readonly #early = new EarlyMessages();
  readonly #entries = new Turns(ENTRIES_PER_TURN);
  readonly #shared: SharedMessages;
  readonly #sweeper: NodeJS.Timeout;
  #isStopping = false;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#shared = new SharedMessages(options);
    this.#sweeper = setInterval(() => this.#shared.sweep(), SWEEP_MS);
  }

  attach(app: TemplatedApp): void {
    for (const path of BOARD_PATHS) app.ws(path, this.#behavior(readBoardRequest));
    for (const path of SHARED_PATHS) app.ws(path, this.#behavior(readSharedRequest));
  }

  /** Closes every socket, also those not admitted yet. New sockets are refused from here on. */
  stop(): void {
    this.#isStopping = true;
    clearInterval(this.#sweeper);
    this.#options.hub.stop(CLOSE.goingAway);
    for (const socket of [...this.#unidentified]) hangUp(socket, CLOSE.goingAway);
  }

  #behavior(readRequest: (req: HttpRequest, token: string | null) => SocketRequest): WebSocketBehavior<SocketData> {
    const { config, admitsCookie } = this.#options;
    return {
      maxPayloadLength: MAX_FRAME_BYTES,
      maxBackpressure: HARD_BACKLOG_BYTES,
      closeOnBackpressureLimit: true,
      idleTimeout: idleSeconds(config),
      sendPingsAutomatically: false,
      compression: config.wsCompression ? COMPRESSION.on : COMPRESSION.off,
      upgrade: (res, req, context) => {
        const { token, protocol } = readCredential(req, () => admitsCookie(res, req));
        upgrade(res, req, context, readRequest(req, token), protocol);
      },
      open: (socket) => this.#accept(socket),
      message: (socket, message) => this.#receive(socket, message),
      ping: (socket) => this.#allow(socket),
      pong: (socket) => this.#allow(socket),
      drain: (socket) => socket.getUserData().client?.noteDrain(),
      dropped: (socket) => this.#noteCut(socket.getUserData()),
      close: (socket) => this.#forget(socket),
    };
  }

  #accept(socket: WebSocket<SocketData>): void {
    this.#unidentified.add(socket);
    const data = socket.getUserData();
    const { request } = data;
    data.request = TAKEN;
    const refusal = this.#refusal();
    if (refusal !== null) return hangUp(socket, refusal);
    if (data.isShared) this.#early.await(data);
    this.#entries.add(() => this.#enter(socket, data, request));
  }

  #enter(socket: WebSocket<SocketData>, data: SocketData, request: SocketRequest): void {
    if (data.closed) return;
    this.#letIn(socket, data, request).catch((error: unknown) => {
      if (!(error instanceof AppError)) this.#options.log.error({ err: error }, 'a socket could not be admitted');
      if (!data.closed) hangUp(socket, closeFor(error));
    });
  }

  #refusal(): Close | null {
    return this.#isStopping ? CLOSE.goingAway : this.#options.connectionLimits.refusal(this.#unidentified.size);
  }

  async #letIn(socket: WebSocket<SocketData>, data: SocketData, request: SocketRequest): Promise<void> {
    const { hub, connectionLimits, presence, callers } = this.#options;
    const boardId = request.kind === 'board' ? requireBoard(request) : null;
    const { user, token } = await callers.verify(request.token);
    if (data.closed) return;
    requireScope(token.key, 'read');
    if (boardId !== null) requireKeyBoard(token.key, boardId);
    connectionLimits.check(user.id);
    this.#unidentified.delete(socket);
    // From here on the hub ends the client when its user is deactivated or its session ends. What happened just before is
    // found by a second check.
    if (request.kind === 'shared' || boardId === null) {
      const client = hub.enterShared(socket, { user, token });
      data.client = client;
      await callers.identify(request.token);
      if (!data.closed) this.#welcome(client, data);
      return;
    }
    const numbered = request.since.kind !== 'unnumbered';
    const { follower, room } = hub.enter(socket, { boardId, user, token, numbered });
    data.client = follower;
    await callers.identify(request.token);
    const join = (): Promise<Joined> => presence.join(follower.connection);
    await admit(follower, request.since, { join, presence }, { room, pages: hub.pages, deliveries: hub.deliveries });
  }

  #welcome(client: SharedSocket, data: SocketData): void {
    this.#shared.greet(client);
    for (const text of this.#early.take(data)) if (!data.closed) this.#shared.receive(client, text);
  }

  #receive(socket: WebSocket<SocketData>, message: ArrayBuffer): void {
    if (!this.#allow(socket)) return;
    if (message.byteLength > MAX_MESSAGE_BYTES) return hangUp(socket, CLOSE.tooBig);
    const data = socket.getUserData();
    if (data.isShared) return this.#receiveShared(socket, data, Buffer.from(message).toString());
    if (data.client !== null && isPong(message)) this.#options.hub.notePong(data.client);
  }

  #receiveShared(socket: WebSocket<SocketData>, data: SocketData, text: string): void {
    if (data.client instanceof SharedSocket && !this.#early.has(data)) return this.#shared.receive(data.client, text);
    if (!this.#early.add(data, text)) hangUp(socket, refused('Too many messages before the user was identified'));
  }

  /** Every message costs something, control frames too: uWebSockets answers each ping itself. */
  #allow(socket: WebSocket<SocketData>): boolean {
    const { isShared, client } = socket.getUserData();
    const max = isShared ? MAX_SHARED_MESSAGES_PER_SECOND : MAX_MESSAGES_PER_SECOND;
    // By user, so that many sockets send no more than one.
    const isAllowed = this.#options.hub.countMessage(isShared ? (client?.user.id ?? socket) : socket) <= max;
    if (!isAllowed) hangUp(socket, refused(`Too many messages: at most ${max} a second`));
    return isAllowed;
  }

  /** Above the hard limit uWebSockets cuts the connection without a close code. */
  #noteCut({ client }: SocketData): void {
    if (client !== null) this.#options.hub.noteTooSlow(client);
  }

  #forget(socket: WebSocket<SocketData>): void {
    const data = socket.getUserData();
    this.#unidentified.delete(socket);
    this.#early.take(data);
    data.closed = true;
    if (data.client !== null) this.#options.hub.remove(data.client);
  }
}

/** Longer than the silence of any client that answers pings. */
function idleSeconds({ heartbeatIntervalSeconds, pongTimeoutSeconds }: Config): number {
  const patience = Math.ceil(2 * (heartbeatIntervalSeconds + pongTimeoutSeconds));
  return patience > MAX_IDLE_SECONDS ? NO_IDLE_LIMIT : Math.max(LEAST_IDLE_SECONDS, patience);
}

/** Every handshake is accepted: a browser sees a close code, but never the status of a refused handshake. */
function upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t, request: SocketRequest, protocol: string): void {
  const data: SocketData = { request, isShared: request.kind === 'shared', client: null, closed: false };
  res.upgrade(data, req.getHeader('sec-websocket-key'), protocol, req.getHeader('sec-websocket-extensions'), context);
}

function readSharedRequest(_req: HttpRequest, token: string | null): SocketRequest {
  return { kind: 'shared', token };
}

function readBoardRequest(req: HttpRequest, token: string | null): SocketRequest {
  const query = new URLSearchParams(req.getQuery() ?? '');
  return {
    kind: 'board',
    boardId: parseUuid(req.getParameter(0) ?? '') ?? null,
    token,
    since: parseSince(query.get('since')),
  };
}

function parseSince(text: string | null): Since {
  if (text === null) return { kind: 'unnumbered' };
  if (text === 'latest') return { kind: 'latest' };
  const position = readPosition(text);
  return position === null ? { kind: 'invalid' } : { kind: 'after', position };
}

/** The only message that the server acts on, on a socket for one board. Anything else is ignored. */
function isPong(message: ArrayBuffer): boolean {
  if (message.byteLength > MAX_PONG_BYTES) return false;
  const text = Buffer.from(message).toString();
  if (text === PONG) return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value && value.type === 'pong';
  } catch {
    return false;
  }
}
