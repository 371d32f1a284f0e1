/** The WebSocket client of the end-to-end tests. It answers pings and validates every message against its schema. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { MessageChecker, type SocketMessage } from './messageChecker.js';
import type { TestUser } from '../http/users.js';
import { PATIENCE_MS } from '../until.js';

export interface SocketOptions {
  /** Null sends none. */
  readonly token: string | null;
  readonly since?: number | string;
  /** Before the path, such as `/api`. */
  readonly prefix?: string;
  /** Whether pings are answered. Default: true. */
  readonly pong?: boolean;
  /** Whether compression is offered. */
  readonly compression?: boolean;
  /** The certificate to trust, if the service has one. */
  readonly ca?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The offered subprotocols. */
  readonly protocols?: readonly string[];
  /** Skips the validation of messages: it is slow for thousands of them. */
  readonly unchecked?: boolean;
}

export interface Closing {
  readonly code: number;
  readonly reason: string;
}

type Match = (message: SocketMessage) => boolean;

/** Of a client that waited in vain. */
const SHOWN_MESSAGES = 20;
const SHOWN_CHARACTERS = 4_000;

const checker = new MessageChecker();

export class TestSocket {
  /** All received messages except pings, in order. */
  readonly messages: SocketMessage[] = [];
  readonly pings: SocketMessage[] = [];
  readonly closed: Promise<Closing>;
  /** The extensions that the server agreed to. */
  readonly extensions: () => string;
  /** The subprotocol that the server selected. */
  readonly protocol: () => string;
  readonly #socket: WebSocket;
  /** Wakes a reader that waits for a message. */
  #wake: () => void = () => undefined;
  #woken: Promise<void> = Promise.resolve();
  #end: string | null = null;
  #answersPings: boolean;

  protected constructor(socket: WebSocket, { pong = true, unchecked = false }: SocketOptions, kind: 'board' | 'shared' = 'board') {
    this.#socket = socket;
    this.#answersPings = pong;
    this.extensions = () => socket.extensions;
    this.protocol = () => socket.protocol;
    this.#sleep();
    socket.on('message', (data) => this.#receive(String(data), unchecked, kind));
    socket.on('error', (error) => this.#finish(error.message));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#finish(`it was closed with ${code} ${String(reason)}`);
        resolve({ code, reason: String(reason) });
      });
    });
  }

  /** Resolves after the handshake, before the server admits or refuses the client. */
  static async open(url: string, boardId: string, options: SocketOptions): Promise<TestSocket> {
    const socket = connect(url, `/ws/boards/${boardId}`, options);
    const client = new TestSocket(socket, options);
    await once(socket, 'open');
    return client;
  }

  /** Resolves when the client's own `user_joined` has arrived. */
  static async join(url: string, boardId: string, user: Pick<TestUser, 'id' | 'token'>, options: Partial<SocketOptions> = {}): Promise<TestSocket> {
    const client = await TestSocket.open(url, boardId, { token: user.token, ...options });
    await client.find(({ type, user_id }) => type === 'user_joined' && user_id === user.id);
    return client;
  }

  /** The events among the messages. */
  get events(): SocketMessage[] {
    return this.messages.filter(isEvent);
  }

  /** The message with this index, counted from the first. */
  message(index: number): Promise<SocketMessage> {
    return this.#wait(() => this.messages[index], `message ${index}`);
  }

  /** The first message that matches, from the given one on. */
  find(match: Match | string, from = 0): Promise<SocketMessage> {
    const matches: Match = typeof match === 'string' ? ({ type }) => type === match : match;
    return this.#wait(() => this.messages.slice(from).find(matches), `a message like ${String(match)}`);
  }

  ping(index: number): Promise<SocketMessage> {
    return this.#wait(() => this.pings[index], `ping ${index}`);
  }

  send(text: string | Uint8Array): void {
    this.#socket.send(text);
  }

  /** From here on every ping is answered, beginning with this one. */
  answerPings(): void {
    this.#answersPings = true;
    this.send('{"type":"pong"}');
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed;
  }

  /** Disconnects without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  #receive(text: string, unchecked: boolean, kind: 'board' | 'shared'): void {
    try {
      const message = unchecked ? (JSON.parse(text) as SocketMessage) : checker.read(text, kind);
      if (message.type !== 'ping') this.messages.push(message);
      else this.#takePing(message);
      this.#wake();
    } catch (error) {
      this.#finish(String(error));
    }
  }

  #takePing(message: SocketMessage): void {
    this.pings.push(message);
    if (this.#answersPings) this.send('{"type":"pong"}');
  }

  /** After a long time it fails with what was received last. */
  async #wait<T>(look: () => T | undefined, what: string): Promise<T> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, PATIENCE_MS);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (this.#end !== null) throw new Error(`waiting for ${what}: ${this.#end}`);
        if (isLate) throw new Error(`waited in vain for ${what}; of ${this.messages.length} messages the last are ${this.#last()}`);
        await this.#woken;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #last(): string {
    return JSON.stringify(this.messages.slice(-SHOWN_MESSAGES)).slice(-SHOWN_CHARACTERS);
  }

  #finish(why: string): void {
    this.#end ??= why;
    this.#wake();
  }

  #sleep(): void {
    this.#woken = new Promise((resolve) => {
      this.#wake = () => {
        this.#sleep();
        resolve();
      };
    });
  }
}

export function connect(url: string, path: string, options: SocketOptions): WebSocket {
  const query = new URLSearchParams();
  if (options.token !== null) query.set('token', options.token);
  if (options.since !== undefined) query.set('since', String(options.since));
  const address = `${url.replace(/^http/, 'ws')}${options.prefix ?? ''}${path}?${query}`;
  const { compression = false, ca, headers = {}, protocols = [] } = options;
  return new WebSocket(address, [...protocols], { perMessageDeflate: compression, ca, headers });
}

export function isEvent(message: SocketMessage): boolean {
  return message.type.includes('.');
}
