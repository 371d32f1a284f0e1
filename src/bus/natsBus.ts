/** The bus between instances, and the network that asks travel on: NATS. No other file knows that it is NATS. */
import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { connect, type Msg, type NatsConnection, type Subscription as NatsSubscription } from 'nats';
import type { Logger } from 'pino';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import type { BoardMessage, Bus, BusStatus, Subscription } from './bus.js';
import { LocalBus } from './localBus.js';
import { MessageParts, splitMessage } from './messageParts.js';
import { natsOptions } from './natsOptions.js';

const NO_RESPONDERS = 503;

export interface NatsBusOptions {
  readonly url: string;
  /** Begins every subject, so that several services can share one NATS. */
  readonly prefix: string;
  readonly instanceId: string;
  readonly log: Logger;
}

type Receive = (message: Msg) => void;

interface RequestReceiver {
  answer(bytes: Uint8Array): void;
  nobody(): void;
  lost(): void;
}

export class NatsBus implements Bus {
  readonly #options: NatsBusOptions;
  /** What is told reaches the listeners of this process directly, with or without NATS. */
  readonly #local = new LocalBus();
  readonly #receivers = new Map<string, Receive>();
  readonly #subscriptions = new Map<string, NatsSubscription>();
  readonly #boards = new Map<Uuid, number>();
  readonly #requests = new Map<string, RequestReceiver>();
  readonly #reconnectListeners: Array<() => void> = [];
  readonly #parts = new MessageParts();
  #connection: NatsConnection | null = null;
  #state: 'connecting' | 'connected' | 'disconnected' | 'closed' = 'connecting';
  #nextRequest = 0;

  constructor(options: NatsBusOptions) {
    this.#options = options;
    this.#receive(`inbox.${options.instanceId}.*`, (message) => this.#receiveAnswer(message));
    this.#receive('users', (message) => this.#whole(message, (bytes) => this.#local.tellUser(deserialize(bytes))));
    void this.#connect();
  }

  status(): BusStatus {
    return this.isConnected() ? 'connected' : 'disconnected';
  }

  isConnected(): boolean {
    return this.#state === 'connected';
  }

  onReconnect(listener: () => void): void {
    this.#reconnectListeners.push(listener);
  }

  tellBoard(boardId: Uuid, message: BoardMessage): void {
    this.#local.tellBoard(boardId, message);
    this.#publish(`board.${boardId}.events`, serialize(message));
  }

  /** NATS is asked for a board's messages only while someone here listens to it. */
  listenToBoard(boardId: Uuid, receive: (message: BoardMessage) => void): Subscription {
    const subject = `board.${boardId}.events`;
    const local = this.#local.listenToBoard(boardId, receive);
    const listeners = this.#boards.get(boardId) ?? 0;
    this.#boards.set(boardId, listeners + 1);
    if (listeners === 0) {
      this.#receive(subject, (message) => {
        this.#whole(message, (bytes) => this.#local.tellBoard(boardId, deserialize(bytes)));
      });
    }
    return {
      stop: () => {
        local.stop();
        const left = (this.#boards.get(boardId) ?? 1) - 1;
        if (left > 0) {
          this.#boards.set(boardId, left);
        } else {
          this.#boards.delete(boardId);
          this.#stopReceiving(subject);
        }
      },
    };
  }

  tellUser(user: PublicUser): void {
    this.#local.tellUser(user);
    this.#publish('users', serialize(user));
  }

  listenToUsers(receive: (user: PublicUser) => void): Subscription {
    return this.#local.listenToUsers(receive);
  }

  request(address: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void } {
    this.#nextRequest += 1;
    const id = this.#nextRequest.toString(36);
    if (!this.isConnected()) {
      queueMicrotask(() => receiver.nobody());
      return { cancel: () => undefined };
    }
    this.#requests.set(id, receiver);
    this.#publish(`${address}.ask`, bytes, `inbox.${this.#options.instanceId}.${id}`);
    return { cancel: () => this.#requests.delete(id) };
  }

  serve(address: string, receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void): { stop(): void } {
    const subject = `${address}.ask`;
    this.#receive(subject, (message) => {
      const replyTo = message.reply?.slice(this.#options.prefix.length + 1) ?? '';
      this.#whole(message, (bytes) => receive(bytes, (answer) => this.#publish(replyTo, answer)));
    });
    return { stop: () => this.#stopReceiving(subject) };
  }

  tellPeers(bytes: Uint8Array): void {
    this.#publish('instances', bytes);
  }

  listenToPeers(receive: (bytes: Uint8Array) => void): void {
    this.#receive('instances', (message) => this.#whole(message, receive));
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    const wasConnected = this.isConnected();
    this.#state = 'closed';
    // Draining sends what is still in the buffer; without a connection it would wait for one.
    if (wasConnected) await connection?.drain();
    else await connection?.close();
    await this.#local.close();
  }

  async #connect(): Promise<void> {
    const { url, instanceId, log } = this.#options;
    try {
      const connection = await connect(natsOptions(url, `switchboard ${instanceId}`));
      if (this.#isClosed()) return await connection.close();
      this.#connection = connection;
      for (const [subject, receive] of this.#receivers) this.#subscribe(connection, subject, receive);
      log.info('connected to NATS');
      this.#setConnected();
      await this.#follow(connection);
    } catch (error) {
      log.error({ err: error }, 'the connection to NATS is lost for good; restart to connect again');
      if (!this.#isClosed()) this.#state = 'disconnected';
    }
  }

  /** One line in the log when the connection goes and one when it comes back, however often it is tried. */
  async #follow(connection: NatsConnection): Promise<void> {
    const { log } = this.#options;
    for await (const { type } of connection.status()) {
      if (this.#isClosed()) return;
      if (type === 'disconnect' && this.isConnected()) {
        this.#state = 'disconnected';
        this.#failRequests();
        log.warn('NATS is away: boards of other instances cannot be reached');
      } else if (type === 'reconnect' && !this.isConnected()) {
        log.info('NATS is back');
        this.#setConnected();
      }
    }
  }

  #setConnected(): void {
    this.#state = 'connected';
    for (const listener of this.#reconnectListeners) listener();
  }

  /** Whoever received them may still act, but its answers cannot come back. */
  #failRequests(): void {
    const receivers = [...this.#requests.values()];
    this.#requests.clear();
    for (const receiver of receivers) receiver.lost();
  }

  #receive(subject: string, receive: Receive): void {
    this.#receivers.set(subject, receive);
    if (this.#connection !== null) this.#subscribe(this.#connection, subject, receive);
  }

  #subscribe(connection: NatsConnection, subject: string, receive: Receive): void {
    const subscription = connection.subscribe(`${this.#options.prefix}.${subject}`, {
      callback: (error, message) => {
        if (error !== null) this.#options.log.error({ err: error, subject }, 'a NATS subscription failed');
        else receive(message);
      },
    });
    this.#subscriptions.set(subject, subscription);
  }

  #stopReceiving(subject: string): void {
    this.#receivers.delete(subject);
    this.#subscriptions.get(subject)?.unsubscribe();
    this.#subscriptions.delete(subject);
  }

  /** While NATS is away messages are dropped, not hoarded: their readers find what they lack in the boards' logs. */
  #publish(subject: string, bytes: Uint8Array, replyTo?: string): void {
    const connection = this.#connection;
    if (connection === null || !this.isConnected()) return;
    const { prefix } = this.#options;
    const reply = replyTo === undefined ? {} : { reply: `${prefix}.${replyTo}` };
    for (const part of splitMessage(bytes, randomBytes)) connection.publish(`${prefix}.${subject}`, part, reply);
  }

  #whole(message: Msg, use: (bytes: Uint8Array) => void): void {
    try {
      const bytes = this.#parts.add(message.data);
      if (bytes !== null) use(bytes);
    } catch (error) {
      this.#options.log.error({ err: error, subject: message.subject }, 'a message of another instance was not understood');
    }
  }

  #receiveAnswer(message: Msg): void {
    const id = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    const receiver = this.#requests.get(id);
    if (receiver === undefined) return;
    if (message.headers?.code === NO_RESPONDERS) {
      this.#requests.delete(id);
      receiver.nobody();
    } else {
      this.#whole(message, (bytes) => receiver.answer(bytes));
    }
  }

  /** A method, because the state changes while something is awaited. */
  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}
