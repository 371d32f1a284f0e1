/** The servers of the log: one connection of a thread to NATS with JetStream, and its interface for streams. */
import { createInbox, headers, RequestStrategy, type Msg, type MsgHdrs, type NatsConnection } from 'nats';
import { NO_RESPONDERS } from '../nats/natsOptions.js';
import { StandingConnection } from '../nats/standingConnection.js';

/** How long an answer of a server is awaited. An append is repeated after it. */
export const ANSWER_MS = 1_000;
/** The same for an examination, which must not take a busy server for a lost one. It compares clocks for as long. */
export const EXAMINE_MS = 4_000;
/** The same for a change of streams, for which servers may have to elect a leader first. */
export const CHANGE_MS = 15_000;

export interface JetStreamOptions {
  readonly urls: readonly string[];
  /** Shown in the server's list of connections. */
  readonly name: string;
  /** Called once when the connection is lost, and not again until it was back. */
  readonly onLoss?: (error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

interface RequestOptions {
  /** Headers. */
  readonly head?: Readonly<Record<string, string>>;
  readonly answerMs?: number;
}

interface Question {
  resolve(data: Uint8Array): void;
  reject(error: unknown): void;
  readonly timer: NodeJS.Timeout;
}

export interface Heard {
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
}

/** Error codes of nats-server. */
export const NO_MESSAGE = 10_037;
export const NO_STREAM = 10_059;
export const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10_071, 10_164]);
/** No suitable peers, not available, not the leader: what servers say while they elect a leader or find each other. */
export const NOT_YET: ReadonlySet<number> = new Set([10_005, 10_008, 10_009]);

/** A server has answered, and refuses. */
export class JetStreamRefusal extends Error {
  readonly code: number;

  constructor(code: number, description: string) {
    super(description);
    this.code = code;
  }
}

export class JetStream {
  readonly #options: JetStreamOptions;
  readonly #standing: StandingConnection;
  readonly #subscribers = new Map<string, Set<(message: Heard) => void>>();
  readonly #connectListeners = new Set<() => void>();
  readonly #inbox = createInbox();
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  #isLost = false;

  constructor(options: JetStreamOptions) {
    this.#options = options;
    this.#standing = new StandingConnection({
      urls: options.urls,
      name: options.name,
      onUp: (connection) => this.#use(connection),
      onDown: () => this.#noteLoss(new Error('the connection was lost')),
      onFailure: (error) => this.#noteLoss(error),
      onDiscard: () => undefined,
    });
  }

  get isConnected(): boolean {
    return this.#standing.current !== null;
  }

  /** Of the server that this process is connected to. */
  get serverVersion(): string | null {
    return this.#standing.current?.info?.version ?? null;
  }

  /** Resolves at the first connection, or at once. */
  connected(): Promise<void> {
    if (this.isConnected) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.onConnect(() => {
        stop();
        resolve();
      });
    });
  }

  /** Called at every connection. Returns what ends it. */
  onConnect(listener: () => void): () => void {
    this.#connectListeners.add(listener);
    return () => this.#connectListeners.delete(listener);
  }

  /** Kept over reconnections; messages in between are lost. */
  subscribe(subject: string, receive: (message: Heard) => void): { stop(): void } {
    const receivers = this.#subscribers.get(subject) ?? new Set();
    receivers.add(receive);
    if (receivers.size === 1) {
      this.#subscribers.set(subject, receivers);
      const connection = this.#standing.current;
      if (connection !== null) this.#subscribe(connection, subject);
    }
    return { stop: () => receivers.delete(receive) };
  }

  /** Rejects without an answer. The client's own requests cost twice as much: each makes an error with its stack in advance. */
  request(subject: string, data: Uint8Array, { head, answerMs = ANSWER_MS }: RequestOptions = {}): Promise<Uint8Array> {
    const connection = this.#standing.current;
    if (connection === null) return Promise.reject(new Error('there is no connection to NATS'));
    return new Promise((resolve, reject) => {
      this.#asked += 1;
      const reply = `${this.#inbox}.${this.#asked}`;
      const timer = setTimeout(() => {
        this.#questions.delete(reply);
        reject(new Error(`no answer from ${subject} in ${answerMs} ms`));
      }, answerMs);
      this.#questions.set(reply, { resolve, reject, timer });
      try {
        connection.publish(subject, data, head === undefined ? { reply } : { reply, headers: toHeaders(head) });
      } catch (error) {
        clearTimeout(timer);
        this.#questions.delete(reply);
        reject(error);
      }
    });
  }

  /** The answers of all servers that answer in time; not waited for longer than until `servers` have. */
  async requestAll(subject: string, question: object = {}, servers?: number): Promise<Uint8Array[]> {
    const connection = this.#standing.current;
    if (connection === null) throw new Error('there is no connection to NATS');
    const answers: Uint8Array[] = [];
    const end = servers === undefined ? { strategy: RequestStrategy.Timer } : { strategy: RequestStrategy.Count, maxMessages: servers };
    const asked = await connection.requestMany(subject, Buffer.from(JSON.stringify(question)), { ...end, maxWait: EXAMINE_MS });
    for await (const { data } of asked) answers.push(data);
    return answers;
  }

  /** A call of JetStream's interface. Rejects with `JetStreamRefusal` if a server answers and refuses. */
  async call<Answer>(operation: string, question: object = {}, answerMs = ANSWER_MS): Promise<Answer> {
    const data = await this.request(`$JS.API.${operation}`, Buffer.from(JSON.stringify(question)), { answerMs });
    return parseAnswer<Answer>(data);
  }

  async close(): Promise<void> {
    const connection = this.#standing.abandon();
    if (connection !== null) this.#standing.discard(connection);
  }

  #use(connection: NatsConnection): void {
    this.#isLost = false;
    connection.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#answer(error, message) });
    for (const subject of this.#subscribers.keys()) this.#subscribe(connection, subject);
    for (const listener of this.#connectListeners) listener();
  }

  #subscribe(connection: NatsConnection, subject: string): void {
    connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return this.#options.onError(error);
        if (this.#standing.current !== connection) return;
        for (const receive of this.#subscribers.get(subject) ?? []) receive({ data: message.data, headers: message.headers });
      },
    });
  }

  #answer(error: Error | null, message: Msg): void {
    if (error !== null) return this.#options.onError(error);
    const question = this.#questions.get(message.subject);
    if (question === undefined) return;
    this.#questions.delete(message.subject);
    clearTimeout(question.timer);
    if (message.headers?.code === NO_RESPONDERS) question.reject(new Error('no server answers for it'));
    else question.resolve(message.data);
  }

  #noteLoss(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onLoss?.(error);
  }
}

export function parseAnswer<Answer>(data: Uint8Array): Answer {
  const answer = JSON.parse(Buffer.from(data).toString()) as Answer & { readonly error?: { err_code?: number; code: number; description?: string } };
  const { error } = answer;
  if (error !== undefined) throw new JetStreamRefusal(error.err_code ?? error.code, error.description ?? `error ${error.code}`);
  return answer;
}

function toHeaders(head: Readonly<Record<string, string>>): MsgHdrs {
  const fields = headers();
  for (const [name, value] of Object.entries(head)) fields.set(name, value);
  return fields;
}
