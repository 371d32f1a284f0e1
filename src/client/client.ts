/** The client: every operation as a method, and boards that stay current by themselves. */
import { BoardConnection, type BoardSource } from './boardConnection.js';
import { readAnswer, send, type OperationRow, type Session } from './call.js';
import type { ConnectOptions } from './connectOptions.js';
import { OPERATIONS, type Operations } from './operations.js';
import type { AccessToken, FullBoard, Presence } from './resources.js';
import { findSocketConstructor, socketUrl, type SocketConstructor } from './socket.js';

export interface ClientOptions {
  /** Where the service is, as in `https://boards.example.org` or `https://example.org/api`. */
  readonly baseUrl: string;
  /** From an earlier login. */
  readonly token?: string;
  /** For `connect`, where the platform has none: Node before 22. */
  readonly webSocket?: SocketConstructor;
  readonly fetch?: typeof fetch;
}

export interface Client extends Operations {
  /** Kept from a login until the logout. Without one, browsers may still send the cookie of the service. */
  token: string | null;
  /** Follows a board until it is closed. Needs a token. */
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

/** Names with a dot become methods of a group. That they have the types of `Operations` follows from the same table. */
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
      return { board: (await response.json()) as FullBoard, seq: seqIn(response.headers) };
    },
    async listOnline(signal) {
      const response = await read(OPERATIONS['presence.get'], signal);
      return ((await response.json()) as Presence).online_users;
    },
    open: (since) => new WebSocket(socketUrl(session.baseUrl, boardId, requireToken(session), since)),
  };
}

/** A WebSocket shows its token in its address: a cookie alone does not do. */
function requireToken({ token }: Session): string {
  if (token === null) throw new Error('Connecting to a board needs a token: log in first');
  return token;
}

function seqIn(headers: Headers): number {
  const tag = /^(?:W\/)?"(\d+)"$/.exec(headers.get('etag') ?? '');
  if (tag === null) throw new Error('The service did not say how current the board is: its ETag is missing');
  return Number(tag[1]);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
