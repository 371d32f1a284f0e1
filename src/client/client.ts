/** The client: every operation as a method, and boards that stay current. */
import { BoardConnection, type BoardSource } from './boardConnection.js';
import { readAnswer, send, type OperationRow, type Session } from './call.js';
import type { ConnectOptions } from './connectOptions.js';
import { OPERATIONS, type Operations } from './operations.js';
import type { AccessToken, FullBoard, Presence } from './resources.js';
import { findSocketConstructor, socketUrl, type SocketConstructor } from './socket.js';

export interface ClientOptions {
  /** The address of the service, such as `https://boards.example.org` or `https://example.org/api`. */
  readonly baseUrl: string;
  /** From an earlier login. */
  readonly token?: string;
  /** For `connect` on platforms without a WebSocket: Node before 22. */
  readonly webSocket?: SocketConstructor;
  readonly fetch?: typeof fetch;
}

export interface Client extends Operations {
  /** Kept from login to logout. Without one, a browser may still send the service's cookie. */
  token: string | null;
  /** Follows a board until it is closed. Requires a token. */
  connect(boardId: string, options?: ConnectOptions): BoardConnection;
}

type OperationName = keyof typeof OPERATIONS;

export function createClient(options: ClientOptions): Client {
  const session: Session = {
    baseUrl: withoutSlash(new URL(options.baseUrl).href),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    token: options.token ?? null,
  };
  const call = async (name: OperationName, args: readonly unknown[]): Promise<unknown> => {
    const row = OPERATIONS[name];
    const answer = await readAnswer(row, await send(session, row, args));
    if (name === 'auth.login') session.token = (answer as AccessToken).access_token;
    if (name === 'auth.logout') session.token = null;
    return answer;
  };
  return {
    ...methods(call),
    get token() {
      return session.token;
    },
    set token(token) {
      session.token = token;
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
  const read = (row: OperationRow, signal: AbortSignal): Promise<Response> => send(session, row, [path, { signal }]);
  requireToken(session);
  return {
    async load(signal) {
      const response = await read(OPERATIONS['board.get'], signal);
      return { board: (await response.json()) as FullBoard, ...positionIn(response.headers) };
    },
    async listOnline(signal) {
      const response = await read(OPERATIONS['presence.get'], signal);
      return ((await response.json()) as Presence).online_users;
    },
    open: (since) => new WebSocket(socketUrl(session.baseUrl, boardId, requireToken(session), since)),
  };
}

/** A WebSocket carries its token in the address; a cookie is not enough. */
function requireToken({ token }: Session): string {
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
