/** The client: every operation as a method, and boards that stay current. */
import { BoardConnection, type BoardSource } from './boardConnection.js';
import { PLATFORM_CLOCK, type Clock } from './clock.js';
import type { ConnectOptions } from './connectOptions.js';
import { OPERATIONS, type Operations } from './operations.js';
import type { AccessToken, FullBoard, Presence } from './resources.js';
import type { RetryOptions } from './retry.js';
import { Session } from './session.js';
import { findSocketConstructor, socketUrl, type SocketConstructor } from './socket.js';
import { Tokens, type GetToken } from './tokens.js';

export interface ClientOptions {
  /** The address of the service, such as `https://boards.example.org` or `https://example.org/api`. */
  readonly baseUrl: string;
  /** From an earlier login. */
  readonly token?: string;
  /**
   * Supplies tokens: asked if there is none, if the service refuses one, and shortly before one expires. It may use
   * the operations of this client that need no token.
   */
  readonly getToken?: GetToken;
  /** How calls without an answer, and those that the service wants later, are repeated; false for not at all. */
  readonly retry?: RetryOptions | false;
  /** For `connect` on platforms without a WebSocket: Node before 22. */
  readonly webSocket?: SocketConstructor;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
}

export interface Client extends Operations {
  /** Kept from login to logout. Without one, a browser may still send the service's cookie. */
  token: string | null;
  /** Follows a board until it is closed. Requires a token. */
  connect(boardId: string, options?: ConnectOptions): BoardConnection;
}

type OperationName = keyof typeof OPERATIONS;

export function createClient(options: ClientOptions): Client {
  const { token = null, getToken = null, retry = {}, clock = PLATFORM_CLOCK, random = Math.random } = options;
  const tokens = new Tokens({ token, getToken, clock });
  const session = new Session({
    baseUrl: withoutSlash(new URL(options.baseUrl).href),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    tokens,
    retry,
    clock,
    random,
  });
  const call = async (name: OperationName, args: readonly unknown[]): Promise<unknown> => {
    const { body } = await session.perform(OPERATIONS[name], args);
    if (name === 'auth.login') tokens.set((body as AccessToken).access_token);
    if (name === 'auth.logout') tokens.set(null);
    return body;
  };
  return {
    ...methods(call),
    get token() {
      return tokens.current;
    },
    set token(given) {
      tokens.set(given);
    },
    connect: (boardId, connectOptions) =>
      new BoardConnection(boardSource(session, boardId, options.webSocket), connectOptions),
  };
}

/** A name with a dot becomes a method of a group. The types of `Operations` come from the same table. */
function methods(call: (name: OperationName, args: readonly unknown[]) => Promise<unknown>): Operations {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const method = (...args: readonly unknown[]): Promise<unknown> => call(name, args);
    const [first = '', second] = name.split('.');
    if (second === undefined) made[first] = method;
    else made[first] = { ...(made[first] ?? {}), [second]: method };
  }
  return made as unknown as Operations;
}

function boardSource(session: Session, boardId: string, given: SocketConstructor | undefined): BoardSource {
  const WebSocket = findSocketConstructor(given);
  const path = { board_id: boardId };
  requireToken(session);
  return {
    async load(signal) {
      const { body, headers } = await session.perform(OPERATIONS['board.get'], [path, { signal, retry: false }]);
      return { board: body as FullBoard, ...positionIn(headers) };
    },
    async listOnline(signal) {
      const { body } = await session.perform(OPERATIONS['presence.get'], [path, { signal, retry: false }]);
      return (body as Presence).online_users;
    },
    open: (since) => new WebSocket(socketUrl(session.baseUrl, boardId, requireToken(session), since)),
  };
}

/** A WebSocket carries its token in the address; a cookie is not enough. */
function requireToken({ tokens: { current: token } }: Session): string {
  if (token === null) throw new Error('Connecting to a board needs a token: log in first');
  return token;
}

function positionIn(headers: Headers): { seq: number; epoch: string } {
  const tag = /^(?:W\/)?"(?:([0-9a-z]+)-)?(\d+)"$/.exec(headers.get('etag') ?? '');
  if (tag === null) throw new Error('The answer has no ETag, so the position of the board is unknown');
  return { epoch: tag[1] ?? '0', seq: Number(tag[2]) };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
