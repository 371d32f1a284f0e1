/** The client: every operation as a method, and boards that stay current. */
import type { BoardConnection } from './board/boardConnection.js';
import type { CallOptions } from './calls/call.js';
import { PLATFORM_CLOCK, type Clock } from './clock.js';
import { completeOptions, type ConnectOptions } from './socket/connectOptions.js';
import type { Feed } from './socket/feed.js';
import { Listeners } from './listeners.js';
import { Login } from './calls/login.js';
import { OPERATIONS, type Operations } from './operations.js';
import { progressFetch } from './calls/progressFetch.js';
import { Realtime } from './socket/realtime.js';
import { readPosition } from './board/position.js';
import type { AccessToken, FullBoard, ImportedBoard } from './resources.js';
import type { RetryOptions } from './calls/retry.js';
import { Session } from './calls/session.js';
import { findSocketConstructor, type SocketConstructor } from './socket/socket.js';
import { Tokens, type GetToken } from './calls/tokens.js';
import type { ChangeStore } from './unsent/changeStore.js';
import type { Unsent } from './unsent/unsent.js';
import { UnsentChanges } from './unsent/unsentChanges.js';

export interface ClientOptions {
  /** The address of the service, such as `https://boards.example.org` or `https://example.org/api`. */
  readonly baseUrl: string;
  /** From an earlier login, or an API key. The client does not renew it. */
  readonly token?: string;
  /** An API key (`swb_…`), which takes precedence over `token`. */
  readonly key?: string;
  /**
   * In a browser: the cookies of the service carry the session, and scripts never hold a token. The service must run with
   * `AUTH_MODE=cookie`.
   */
  readonly cookie?: boolean;
  /**
   * Supplies tokens: asked if there is none, if the service refuses one, and shortly before one expires. It may use
   * the operations of this client that need no token.
   */
  readonly getToken?: GetToken;
  /** How calls without an answer, and those that the service wants later, are repeated; false for not at all. */
  readonly retry?: RetryOptions | false;
  /** How the socket behaves when it is lost. */
  readonly connection?: ConnectOptions;
  /** Where changes of connected boards are kept until they are answered; by default in memory. */
  readonly store?: ChangeStore;
  /** For `connect` and `feed` on platforms without a WebSocket: Node before 22. */
  readonly webSocket?: SocketConstructor;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** From 0 up to but not including 1. */
  readonly random?: () => number;
}

export interface ClientEvents {
  /**
   * The login has ended: it expired, or was ended elsewhere. Reported once; calls and connections are refused until the
   * next login. The reason is the refusal of the service.
   */
  readonly sessionEnded: { readonly error: unknown };
  /**
   * A call that must be made by a certain user was refused with 401, and the login goes on: another user may have logged in,
   * in another window. `auth.me` says who.
   */
  readonly userRefused: { readonly error: unknown };
}

export interface Client extends Operations {
  /**
   * Kept from login to logout, and renewed as long as the session lasts. Null in a session with cookies. One that is set
   * is not renewed.
   */
  token: string | null;
  /** As `board.export`, but a file: with the files of the board it may be larger than a string can be. */
  exportFile(path: { board_id: string }, options?: CallOptions): Promise<Blob>;
  /** As `board.import`, from a file that is sent as it is. It has no time-out. */
  importFile(file: Blob, options?: CallOptions): Promise<ImportedBoard>;
  /** Returns a function that removes the listener. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void;
  /** The changes of connected boards that the service has not made. */
  readonly unsent: Unsent;
  /**
   * With a `store`, after every login: sends the changes that were kept for this user, and keeps those to come. Without it
   * they end with the program. With cookies, every later call but `auth.me` is refused in the session of another user.
   */
  resume(userId: string): void;
  /** Before a logout: nothing is sent until `resume`, and what waits is kept. */
  suspend(): void;
  /** Follows a board until it is closed. Requires a token. All boards and feeds of a client share one socket. */
  connect(boardId: string): BoardConnection;
  /** Follows what happens to the user's boards, until it is closed. Requires a token. */
  feed(): Feed;
}

type OperationName = keyof typeof OPERATIONS;

export function createClient(options: ClientOptions): Client {
  const { getToken = null, cookie = false, retry = {}, clock = PLATFORM_CLOCK, random = Math.random } = options;
  const listeners = new Listeners<ClientEvents>();
  const login = new Login(cookie, async (refreshToken) => {
    const input = refreshToken === null ? {} : { refresh_token: refreshToken };
    return (await session.perform(OPERATIONS['auth.refresh'], [input])).body as AccessToken;
  });
  const tokens = new Tokens({
    token: options.key ?? options.token ?? null,
    getToken,
    login,
    clock,
    onEnded: (error) => listeners.emit('sessionEnded', { error }),
  });
  /** Whose session the cookies are expected to carry. */
  let userId: string | undefined;
  const ownFetch = options.fetch ?? ((input, init) => fetch(input, init));
  const session: Session = new Session({
    baseUrl: withoutSlash(new URL(options.baseUrl).href),
    fetch: ownFetch,
    progressFetch: progressFetch(ownFetch, options.fetch === undefined),
    tokens,
    isByCookie: cookie,
    retry,
    userOf: (row) => (!cookie || row.isPublic === true || row === OPERATIONS['auth.me'] ? undefined : userId),
    onUserRefused: (error) => listeners.emit('userRefused', { error }),
    clock,
    random,
  });
  const unsent = new UnsentChanges({
    store: options.store ?? null,
    clock,
    retry: options.retry,
    send: async ({ name, args, key }, callOptions) => {
      const { body, headers } = await session.perform(OPERATIONS[name], [...args, { ...callOptions, idempotencyKey: key }]);
      return { body, position: readPosition(headers.get('board-position') ?? undefined) };
    },
    readBoard: async (board_id, callOptions) => (await session.perform(OPERATIONS['board.get'], [{ board_id }, callOptions])).body as FullBoard,
  });
  const realtime = new Realtime({
    ...completeOptions(options.connection ?? {}),
    session,
    clock,
    random,
    unsent,
    findWebSocket: () => findSocketConstructor(options.webSocket),
  });
  const call = async (name: OperationName, args: readonly unknown[]): Promise<unknown> => {
    const { body } = await session.perform(OPERATIONS[name], args);
    if (name === 'auth.login' || name === 'auth.refresh') tokens.logIn(body as AccessToken);
    if (name === 'auth.logout') tokens.set(null);
    // The cookie of another window's login.
    if (name === 'auth.me' && cookie) login.begin(undefined);
    return body;
  };
  return {
    ...methods(call),
    get token() {
      return tokens.current.token;
    },
    set token(given) {
      tokens.set(given);
    },
    exportFile: async (...args) => (await session.perform({ ...OPERATIONS['board.export'], answer: 'bytes' }, args)).body as Blob,
    importFile: async (...args) => (await session.perform(OPERATIONS['board.import'], args)).body as ImportedBoard,
    on: (name, listener) => listeners.add(name, listener),
    unsent,
    resume: (id) => {
      userId = id;
      unsent.resume(id);
    },
    suspend: () => {
      userId = undefined;
      unsent.suspend();
    },
    connect: (boardId) => realtime.connect(boardId),
    feed: () => realtime.feed(),
  };
}

/** A name with a dot becomes a method of a group. The types of `Operations` come from the same table. */
function methods(call: (name: OperationName, args: readonly unknown[]) => Promise<unknown>): Operations {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const method = (...args: readonly unknown[]): Promise<unknown> => call(name, args);
    const [first = '', second] = name.split('.');
    if (second === undefined) made[first] = method;
    else made[first] = { ...(made[first] as object | undefined), [second]: method };
  }
  return made as unknown as Operations;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
