/** A connection to NATS that is made again for ever, and messages of any size on it. Only this file speaks to NATS. */
import { randomBytes } from 'node:crypto';
import { connect, type Msg, type NatsConnection, type Subscription as NatsSubscription } from 'nats';
import type { Logger } from 'pino';
import type { PeerRefusals } from '../wire/peerRefusals.js';
import { Refusal } from '../wire/refusal.js';
import { LARGEST_PART_BYTES, MessageParts, splitMessage } from './messageParts.js';
import { natsOptions } from './natsOptions.js';
import { PacedDelivery } from './pacedDelivery.js';

const NO_RESPONDERS = 503;
/** At least, and at most twice of it: instances that lost the same server do not come back all at once. */
const RECONNECT_MS = 250;
/** How long is waited for NATS to deliver or take the last messages. When it takes longer, it is away. */
const DRAIN_MS = 2_000;

export interface NatsLinkOptions {
  readonly url: string;
  /** Begins every subject. */
  readonly prefix: string;
  /** For whoever looks at the connections of the server. */
  readonly name: string;
  readonly refusals: PeerRefusals;
  readonly log: Logger;
}

export interface Incoming {
  readonly subject: string;
  /** Where to answer, below our prefix; empty when no answer is expected. */
  readonly replyTo: string;
  /** `nobody` listened to what was published with a way to answer. */
  readonly content: Uint8Array | 'nobody';
}

export interface Receiver {
  receive(message: Incoming): void;
  /** Of all receivers in the same queue a message goes to one. */
  readonly queue?: string;
}

export interface LinkSubscription {
  stop(): void;
  /** Resolves when nothing more can arrive: what was on its way then has. */
  drain(): Promise<void>;
}

export class NatsLink {
  readonly #options: NatsLinkOptions;
  readonly #receivers = new Map<string, Receiver>();
  readonly #subscriptions = new Map<string, NatsSubscription>();
  readonly #connectListeners: Array<() => void> = [];
  readonly #lossListeners: Array<() => void> = [];
  readonly #parts = new MessageParts();
  readonly #paced: PacedDelivery;
  #connection: NatsConnection | null = null;
  #state: 'connecting' | 'connected' | 'disconnected' | 'closed' = 'connecting';

  constructor(options: NatsLinkOptions) {
    this.#options = options;
    const flood = new Refusal('flood', 'more messages than this instance can handle');
    this.#paced = new PacedDelivery(() => options.refusals.note(flood, '*'));
    void this.#stayConnected();
  }

  isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Whenever there is a connection, at first and after a loss. */
  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  /** One receiver for each subject, now and over every later connection. */
  subscribe(subject: string, receiver: Receiver): LinkSubscription {
    this.#receivers.set(subject, receiver);
    if (this.#connection !== null && this.isConnected()) this.#subscribe(this.#connection, subject, receiver);
    return {
      stop: () => this.#forget(subject)?.unsubscribe(),
      drain: async () => {
        const [connection, subscription] = [this.#connection, this.#forget(subject)];
        if (connection === null || connection.isClosed() || subscription === undefined) return;
        await finish(subscription.drain(), connection);
        await this.#paced.idle();
      },
    };
  }

  /**
   * While NATS is away messages are dropped, not hoarded: their readers find what they lack in the boards' logs. The
   * bytes are only made when there is someone to send them to.
   */
  publish(subject: string, toBytes: () => Uint8Array, replyTo?: string): void {
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

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#state = 'closed';
    this.#publishLoss();
    if (connection === null || connection.isClosed()) return;
    // Draining sends what is still in the buffer.
    await finish(connection.drain(), connection);
    this.#discard(connection);
  }

  /**
   * Every connection is a new one. The client's own way of connecting again does not let go of an attempt that a frozen
   * server left unanswered: it comes alive later, beside the next one, and each message then arrives twice.
   */
  async #stayConnected(): Promise<void> {
    const { url, name } = this.#options;
    while (!this.#isClosed()) {
      try {
        const connection = await connect(natsOptions(url, name));
        if (this.#isClosed()) return this.#discard(connection);
        this.#use(connection);
        await untilGone(connection);
        if (!this.#isClosed()) this.#letGo(connection);
      } catch (error) {
        this.#noteAbsence(error);
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS * (1 + Math.random())).unref());
    }
  }

  #use(connection: NatsConnection): void {
    this.#connection = connection;
    this.#state = 'connected';
    this.#options.log.info('connected to NATS');
    for (const [subject, receiver] of this.#receivers) this.#subscribe(connection, subject, receiver);
    for (const listener of this.#connectListeners) listener();
  }

  #letGo(connection: NatsConnection): void {
    this.#connection = null;
    this.#subscriptions.clear();
    this.#noteAbsence();
    this.#publishLoss();
    this.#discard(connection);
  }

  /** Closing it may take until a frozen server reads again, so nobody waits for that. */
  #discard(connection: NatsConnection): void {
    connection.close().catch((error: unknown) => this.#options.log.debug({ err: error }, 'a lost connection to NATS'));
  }

  #publishLoss(): void {
    for (const listener of this.#lossListeners) listener();
  }

  /** One line in the log when the connection goes and one when it comes, however often it is tried. */
  #noteAbsence(error?: unknown): void {
    if (this.#isClosed() || this.#state === 'disconnected') return;
    this.#state = 'disconnected';
    this.#options.log.warn({ err: error }, 'NATS is away: boards of other instances cannot be reached');
  }

  #subscribe(connection: NatsConnection, subject: string, { receive, queue }: Receiver): void {
    const subscription = connection.subscribe(`${this.#options.prefix}.${subject}`, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        // What comes over a connection that was given up came, or will come, over the next one too.
        if (this.#connection !== connection) return;
        if (error !== null) this.#options.log.error({ err: error, subject }, 'a NATS subscription failed');
        else this.#paced.add(message.data.length, () => this.#deliver(message, receive));
      },
    });
    this.#subscriptions.set(subject, subscription);
  }

  #deliver(message: Msg, receive: (message: Incoming) => void): void {
    const start = this.#options.prefix.length + 1;
    const subject = message.subject.slice(start);
    const isOurs = message.reply?.startsWith(`${this.#options.prefix}.`) === true;
    const replyTo = isOurs ? (message.reply?.slice(start) ?? '') : '';
    try {
      const content = message.headers?.code === NO_RESPONDERS ? 'nobody' : this.#parts.add(message.data);
      if (content !== null) receive({ subject, replyTo, content });
    } catch (error) {
      this.#options.refusals.note(error, subject);
    }
  }

  #forget(subject: string): NatsSubscription | undefined {
    const subscription = this.#subscriptions.get(subject);
    this.#receivers.delete(subject);
    this.#subscriptions.delete(subject);
    return subscription;
  }

  /** A method, because the state changes while something is awaited. */
  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}

/** Closed, or no longer answering: the client closes it then, but waits for the server with that. */
async function untilGone(connection: NatsConnection): Promise<void> {
  const untilStale = async (): Promise<void> => {
    for await (const { type } of connection.status()) if (type === 'staleConnection') return;
  };
  await Promise.race([connection.closed(), untilStale()]);
}

/** Resolves when NATS has done it, or takes too long: then it is gone, or about to be found gone. */
async function finish(work: Promise<void>, connection: NatsConnection): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS);
  });
  await Promise.race([work, connection.closed(), tooLong]);
  clearTimeout(timer);
}
