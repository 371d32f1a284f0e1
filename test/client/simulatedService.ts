/**
 * A service in memory, made of the domain's own code, and the network to its clients. Nothing moves by itself: the
 * test says which request, answer or message moves next, and which is lost.
 */
import { createClient, type ChangeName, type ChangeStore, type Client, type Socket } from '../../src/client/index.js';
import type { OperationRow } from '../../src/client/calls/call.js';
import { OPERATIONS } from '../../src/client/operations.js';
import { STATUS_OF } from '../../src/api/operation/statuses.js';
import type { LoadedBoard } from '../../src/domain/board/board.js';
import { writePosition, type Position } from '../../src/domain/position.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { crowdedBoard } from '../domain/fullBoard.js';
import { BOARD_ID, Scenario, type Result } from '../domain/scenario.js';
import { domainCommand, type CallBody, type CallPath } from './domainCommands.js';
import { ManualClock } from './manualClock.js';

interface Request {
  readonly user: PublicUser;
  readonly name: ChangeName | 'board.get';
  readonly path: CallPath;
  readonly body: CallBody;
  readonly key: string;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One call on its way: `reply` is null until the request has arrived. */
export interface Exchange {
  readonly request: Request;
  reply: Reply | null;
  readonly settle: (reply: Reply | Error) => void;
}

export interface ClientTraits {
  readonly isPatient?: boolean;
  readonly store?: ChangeStore;
}

export interface SimulatedClient {
  readonly user: PublicUser;
  readonly client: Client;
  readonly clock: ManualClock;
  readonly exchanges: Exchange[];
  readonly sockets: SimulatedSocket[];
}

/** Both directions keep their order. */
export class SimulatedSocket implements Socket {
  readonly toService: string[] = [];
  readonly toClient: string[] = [];
  isSubscribed = false;
  isOpen = true;
  readonly #listeners = new Map<string, (event: never) => void>();

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    this.toService.push(text);
  }

  close(): void {
    this.isOpen = false;
  }

  deliver(): void {
    const data = this.toClient.shift();
    if (data !== undefined && this.isOpen) this.#happen('message', { data });
  }

  cut(code = 1006): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#happen('close', { code, reason: '' });
  }

  #happen(type: string, event: object): void {
    (this.#listeners.get(type) as ((event: object) => void) | undefined)?.(event);
  }
}

export interface KnownBoard {
  readonly json: string;
  readonly records: LoadedBoard;
}

export class SimulatedService {
  scenario = Scenario.loaded(crowdedBoard({ columns: 3, cards: 5, items: 3 }));
  epoch = '0';
  readonly clients: SimulatedClient[] = [];
  /** The board at every position at which a command ended. */
  readonly history = new Map<string, KnownBoard>();
  #events: Array<{ readonly seq: number; readonly text: string }> = [];
  #epochs = 0;

  /** A change with this key is made: now, if it had events, or before. */
  onAnswered: (key: string, hasEvents: boolean) => void = () => undefined;

  constructor() {
    this.#note();
  }

  get position(): Position {
    return { epoch: this.epoch, seq: this.scenario.state.seq };
  }

  /** The board as it is now. */
  get board(): string {
    return this.history.get(writePosition(this.position))?.json ?? '';
  }

  newClient(user: PublicUser, random: () => number, { isPatient = false, store }: ClientTraits = {}): SimulatedClient {
    const exchanges: Exchange[] = [];
    const sockets: SimulatedSocket[] = [];
    const clock = new ManualClock();
    class Made extends SimulatedSocket {
      constructor() {
        super();
        sockets.push(this);
        this.toClient.push('{"type":"authenticated","expires_at":"2100-01-01T00:00:00.000Z"}');
      }
    }
    const send = (url: string, init: RequestInit = {}): Promise<Response> =>
      new Promise((resolve, reject) => {
        const settle = (reply: Reply | Error): void => (reply instanceof Error ? reject(reply) : resolve(toResponse(reply)));
        exchanges.push({ request: readRequest(user, url, init), reply: null, settle });
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    const token = `x.${btoa(JSON.stringify({ sub: user.id }))}.x`;
    const fetch = (url: string | URL | globalThis.Request, init?: RequestInit): Promise<Response> => send(String(url), init);
    // Few, so that some changes have an unknown outcome.
    const retry = isPatient ? {} : { retry: { attempts: 2 } };
    const client = createClient({
      baseUrl: 'http://service',
      token,
      webSocket: Made,
      fetch,
      clock,
      random,
      ...retry,
      ...(store === undefined ? {} : { store }),
    });
    const made = { user, client, clock, exchanges, sockets };
    this.clients.push(made);
    return made;
  }

  /** A request arrives, once or again. */
  arrive(exchange: Exchange): void {
    exchange.reply ??= this.#answer(exchange.request);
  }

  /** The socket's next message to the service arrives. */
  receive(socket: SimulatedSocket, isKept: boolean): void {
    const text = socket.toService.shift();
    if (text === undefined || !socket.isOpen) return;
    const { type, since } = JSON.parse(text) as { readonly type: string; readonly since?: string };
    if (type === 'unsubscribe') {
      socket.isSubscribed = false;
      socket.toClient.push(JSON.stringify({ type: 'unsubscribed', board_id: BOARD_ID, code: 1000, reason: '' }));
    }
    if (type === 'subscribe') this.#subscribe(socket, since ?? '', isKept);
  }

  /** A command of anyone has been decided: its events go to everyone. If it is large, as one `resync`. */
  publish({ events, decision }: Result, isLarge: boolean): void {
    const first = decision.seq - events.length;
    events.forEach((event, index) => {
      const seq = first + index + 1;
      const text = JSON.stringify({ board_id: BOARD_ID, seq, ...this.#inEpoch(), ...event });
      this.#events.push({ seq, text });
      const sent = isLarge ? this.#resync(seq) : text;
      for (const { sockets } of this.clients) for (const socket of sockets) if (socket.isSubscribed) socket.toClient.push(sent);
    });
    this.#note();
  }

  /** Everything that the service has on disk. */
  save(): Scenario {
    return this.scenario.copy(this.epoch);
  }

  /** The service restarts with what was saved, and another epoch. */
  restore(saved: Scenario): void {
    this.#epochs += 1;
    this.epoch = `e${this.#epochs}`;
    this.scenario = saved.copy(this.epoch);
    this.#events = [];
    for (const { sockets } of this.clients) for (const socket of sockets) socket.cut(1001);
    this.#note();
  }

  #subscribe(socket: SimulatedSocket, since: string, isKept: boolean): void {
    const { epoch, seq } = this.position;
    socket.isSubscribed = true;
    socket.toClient.push(JSON.stringify({ type: 'subscribed', board_id: BOARD_ID, epoch, seq, online_users: [] }));
    const from = this.epoch === '0' ? Number(since) : Number(since.startsWith(`${epoch}-`) ? since.slice(epoch.length + 1) : NaN);
    if (from === seq) return;
    const missed = this.#events.filter((event) => event.seq > from);
    if (isKept && missed.length === seq - from && from < seq) socket.toClient.push(...missed.map(({ text }) => text));
    else socket.toClient.push(this.#resync(seq));
  }

  #answer(request: Request): Reply {
    if (request.name === 'board.get') {
      return { status: 200, text: this.board, headers: { etag: `"${writePosition(this.position)}"` } };
    }
    const { user, name, path, body, key } = request;
    const { op, target, input } = domainCommand(name, path, body);
    const idempotency = { key, fingerprint: JSON.stringify([name, path, body]) };
    const result = this.scenario.askOnce(user, idempotency, op, target, input);
    const { outcome } = result.decision;
    if (!outcome.ok) {
      return { status: STATUS_OF[outcome.error.code], text: JSON.stringify({ detail: outcome.error.detail }), headers: {} };
    }
    this.onAnswered(key, result.events.length > 0);
    this.publish(result, false);
    return { status: 200, text: result.json ?? '', headers: { 'board-position': outcome.position ?? '' } };
  }

  #note(): void {
    const records = { ...this.position, entities: this.scenario.state.entities() };
    this.history.set(writePosition(this.position), { json: JSON.stringify(this.scenario.full), records });
  }

  #resync(seq: number): string {
    return JSON.stringify({ type: 'resync', board_id: BOARD_ID, epoch: this.epoch, seq });
  }

  #inEpoch(): { readonly epoch?: string } {
    return this.epoch === '0' ? {} : { epoch: this.epoch };
  }
}

function toResponse({ status, text, headers }: Reply): Response {
  return new Response(text === '' ? null : text, { status: text === '' ? 204 : status, headers });
}

function readRequest(user: PublicUser, url: string, init: RequestInit): Request {
  const { pathname } = new URL(url);
  const rows: Readonly<Record<string, OperationRow>> = OPERATIONS;
  for (const [name, { method = 'GET', path: template }] of Object.entries(rows)) {
    const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const found = method === (init.method ?? 'GET') ? pattern.exec(pathname) : null;
    if (found === null) continue;
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as CallBody) : {};
    const key = new Headers(init.headers).get('idempotency-key') ?? '';
    return { user, name: name as Request['name'], path: { ...found.groups }, body, key };
  }
  throw new Error(`nothing is served at ${init.method} ${pathname}`);
}
