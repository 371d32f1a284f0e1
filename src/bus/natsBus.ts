/** The bus between instances, and the network that asks travel on: NATS. No other file knows that it is NATS. */
import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { connect, type Msg, type NatsConnection, type Subscription as NatsSubscription } from 'nats';
import type { Logger } from 'pino';
import type { Uuid } from '../domain/ids.js';
import type { PublicUser } from '../domain/user.js';
import type { BoardMessage, Bus, BusStatus, Subscription } from './bus.js';
import { LocalBus } from './localBus.js';
import { LARGEST_PART_BYTES, MessageParts, splitMessage } from './messageParts.js';
import { natsOptions } from './natsOptions.js';

const NO_RESPONDERS = 503;
/** When even the client's own attempts to connect again came to an end. */
const START_OVER_MS = 1_000;
/** How long a stop waits for NATS to take what was told last. */
const DRAIN_MS = 2_000;

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
  readonly #connectListeners: Array<() => void> = [];
  readonly #parts = new MessageParts();
  #connection: NatsConnection | null = null;
  #state: 'connecting' | 'connected' | 'disconnected' | 'closed' = 'connecting';
  #nextRequest = 0;

  constructor(options: NatsBusOptions) {
    this.#options = options;
    this.#receive(`inbox.${options.instanceId}.*`, (message) => this.#receiveAnswer(message));
    this.#receive('users', (message) => this.#whole(message, (bytes) => this.#local.tellUser(deserialize(bytes))));
    void this.#stayConnected();
  }

  status(): BusStatus {
    return this.isConnected() ? 'connected' : 'disconnected';
  }

  isConnected(): boolean {
    return this.#state === 'connected';
  }

  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  tellBoard(boardId: Uuid, message: BoardMessage): void {
    this.#local.tellBoard(boardId, message);
    this.#publish(`board.${boardId}.events`, () => serialize(message));
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
    let stopped = false;
    return {
      stop: () => {
        if (stopped) return;
        stopped = true;
        local.stop();
        const left = (this.#boards.get(boardId) ?? 1) - 1;
        if (left > 0) {
          this.#boards.set(boardId, left);
        } else {
          this.#boards.delete(boardId);
          this.#forget(subject)?.unsubscribe();
        }
      },
    };
  }

  tellUser(user: PublicUser): void {
    this.#local.tellUser(user);
    this.#publish('users', () => serialize(user));
  }

  listenToUsers(receive: (user: PublicUser) => void): Subscription {
    return this.#local.listenToUsers(receive);
  }

  request(address: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void } {
    if (!this.isConnected()) {
      queueMicrotask(() => receiver.nobody());
      return { cancel: () => undefined };
    }
    this.#nextRequest += 1;
    const id = this.#nextRequest.toString(36);
    this.#requests.set(id, receiver);
    this.#publish(`${address}.ask`, () => bytes, `inbox.${this.#options.instanceId}.${id}`);
    return { cancel: () => this.#requests.delete(id) };
  }

  serve(
    address: string,
    receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void,
  ): { stop(): Promise<void> } {
    const subject = `${address}.ask`;
    this.#receive(subject, (message) => {
      const replyTo = message.reply?.slice(this.#options.prefix.length + 1) ?? '';
      this.#whole(message, (bytes) => receive(bytes, (answer) => this.#publish(replyTo, () => answer)));
    });
    return {
      stop: async () => {
        const subscription = this.#forget(subject);
        // Requests that are on their way when NATS hears of the stop still arrive, and must not be met by silence.
        if (this.isConnected()) await subscription?.drain();
        else subscription?.unsubscribe();
      },
    };
  }

  tellPeers(bytes: Uint8Array): void {
    this.#publish('instances', () => bytes);
  }

  listenToPeers(receive: (bytes: Uint8Array) => void): void {
    this.#receive('instances', (message) => this.#whole(message, receive));
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    const wasConnected = this.isConnected();
    this.#state = 'closed';
    this.#failRequests();
    // Draining sends what is still in the buffer; without a connection it would wait for one.
    if (wasConnected) await Promise.race([connection?.drain(), pause(DRAIN_MS)]);
    await connection?.close();
    await this.#local.close();
  }

  /** The client connects again by itself, for ever. Should it ever give up all the same, we begin anew. */
  async #stayConnected(): Promise<void> {
    const { url, instanceId, log } = this.#options;
    while (!this.#isClosed()) {
      try {
        const connection = await connect(natsOptions(url, `switchboard ${instanceId}`));
        if (this.#isClosed()) return await connection.close();
        this.#connection = connection;
        this.#subscriptions.clear();
        for (const [subject, receive] of this.#receivers) this.#subscribe(connection, subject, receive);
        this.#setConnected();
        await this.#follow(connection);
        this.#setDisconnected();
      } catch (error) {
        log.error({ err: error }, 'NATS cannot be connected to; trying on');
      }
      if (!this.#isClosed()) await pause(START_OVER_MS);
    }
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.#setDisconnected();
      else if (type === 'reconnect') this.#setConnected();
    }
  }

  /** One line in the log when the connection comes and one when it goes, however often it is tried. */
  #setConnected(): void {
    if (this.#isClosed() || this.isConnected()) return;
    this.#state = 'connected';
    this.#options.log.info('connected to NATS');
    for (const listener of this.#connectListeners) listener();
  }

  #setDisconnected(): void {
    if (!this.isConnected()) return;
    this.#state = 'disconnected';
    this.#options.log.warn('NATS is away: boards of other instances cannot be reached');
    this.#failRequests();
  }

  /** Whoever received them may still act, but its answers cannot come back. */
  #failRequests(): void {
    const receivers = [...this.#requests.values()];
    this.#requests.clear();
    for (const receiver of receivers) receiver.lost();
  }

  #receive(subject: string, receive: Receive): void {
    this.#receivers.set(subject, receive);
    if (this.#connection !== null && !this.#isClosed()) this.#subscribe(this.#connection, subject, receive);
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

  #forget(subject: string): NatsSubscription | undefined {
    const subscription = this.#subscriptions.get(subject);
    this.#receivers.delete(subject);
    this.#subscriptions.delete(subject);
    return subscription;
  }

  /**
   * While NATS is away messages are dropped, not hoarded: their readers find what they lack in the boards' logs. The
   * bytes are only made when there is someone to send them to.
   */
  #publish(subject: string, toBytes: () => Uint8Array, replyTo?: string): void {
    const connection = this.#connection;
    if (connection === null || !this.isConnected()) return;
    const { prefix, log } = this.#options;
    const reply = replyTo === undefined ? {} : { reply: `${prefix}.${replyTo}` };
    const largestPart = Math.min(LARGEST_PART_BYTES, connection.info?.max_payload ?? LARGEST_PART_BYTES);
    try {
      for (const part of splitMessage(toBytes(), { largestPart, randomBytes })) {
        connection.publish(`${prefix}.${subject}`, part, reply);
      }
    } catch (error) {
      log.error({ err: error, subject }, 'a message could not be handed to NATS');
    }
  }

  #whole(message: Msg, use: (bytes: Uint8Array) => void): void {
    try {
      const bytes = this.#parts.add(message.data);
      if (bytes !== null) use(bytes);
    } catch (error) {
      this.#options.log.error({ err: error, subject: message.subject }, 'a message of a peer was not understood');
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

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
