/** Carries messages of any size, sealed, over a connection to NATS that is replaced whenever it is lost. */
import { randomBytes } from 'node:crypto';
import type { Msg, NatsConnection, Subscription as NatsSubscription } from 'nats';
import type { Logger } from 'pino';
import { NO_RESPONDERS } from '../nats/natsOptions.js';
import { StandingConnection } from '../nats/standingConnection.js';
import type { PeerRefusals } from '../wire/peerRefusals.js';
import { Refusal } from '../wire/refusal.js';
import { SEAL_BYTES, type SealedMessages } from '../wire/sealedMessages.js';
import { LARGEST_PART_BYTES, MessageParts, splitMessage } from './messageParts.js';
import { PacedDelivery } from './pacedDelivery.js';

/** How long to wait for NATS to accept the last messages. After that it counts as away. */
const DRAIN_MS = 2_000;

export interface NatsLinkOptions {
  /** Of the servers; at least one. */
  readonly urls: readonly string[];
  /** The first part of every subject. */
  readonly prefix: string;
  /** Shown in the server's list of connections. */
  readonly name: string;
  readonly sealed: SealedMessages;
  readonly refusals: PeerRefusals;
  readonly log: Logger;
}

export interface Incoming {
  readonly subject: string;
  /** The reply subject without our prefix; empty if no answer is expected. */
  readonly replyTo: string;
  /** `no responders`: no subscriber for a message that expected an answer. */
  readonly content: Uint8Array | 'no responders';
}

export interface Receiver {
  receive(message: Incoming): void;
  /** A message could not be read; it is counted and logged already. */
  refuse?(refusal: Refusal): void;
}

export interface LinkSubscription {
  stop(): void;
  /** Resolves when what was on its way is delivered, or NATS is away. Nothing more is sent to the subscription. */
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
  readonly #standing: StandingConnection;
  #connection: NatsConnection | null = null;
  #state: 'connecting' | 'connected' | 'disconnected' | 'closed' = 'connecting';

  constructor(options: NatsLinkOptions) {
    this.#options = options;
    const flood = new Refusal('flood', 'more messages than this instance can handle');
    this.#paced = new PacedDelivery(() => options.refusals.note(flood, '*'));
    this.#standing = new StandingConnection({
      urls: options.urls,
      name: options.name,
      onUp: (connection) => this.#use(connection),
      onDown: () => this.#letGo(),
      onFailure: (error) => this.#noteAbsence(error),
      onDiscard: (error) => options.log.debug({ err: error }, 'a lost connection to NATS'),
    });
  }

  isConnected(): boolean {
    return this.#state === 'connected';
  }

  /** Called at the first connection and at every reconnection. */
  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  /** One receiver for each subject, kept over reconnections. */
  subscribe(subject: string, receiver: Receiver): LinkSubscription {
    this.#receivers.set(subject, receiver);
    if (this.#connection !== null && this.isConnected()) this.#subscribe(this.#connection, subject, receiver);
    return { stop: () => this.#forget(subject)?.unsubscribe(), drain: () => this.#drain(subject) };
  }

  /**
   * While NATS is away messages are dropped, not queued: readers recover from the boards' logs. `toBytes` runs only
   * while there is a connection.
   */
  publish(subject: string, toBytes: () => Uint8Array, replyTo = ''): void {
    const connection = this.#connection;
    if (connection === null || !this.isConnected()) return;
    const { prefix, sealed, log } = this.#options;
    const place = { subject: `${prefix}.${subject}`, replyTo: replyTo === '' ? '' : `${prefix}.${replyTo}` };
    const reply = replyTo === '' ? {} : { reply: place.replyTo };
    const largestPart = Math.min(LARGEST_PART_BYTES, connection.info?.max_payload ?? LARGEST_PART_BYTES) - SEAL_BYTES;
    try {
      for (const part of splitMessage(toBytes(), { largestPart, randomBytes })) {
        connection.publish(place.subject, sealed.close(part, place), reply);
      }
    } catch (error) {
      log.error({ err: error, subject }, 'a message could not be sent to NATS');
    }
  }

  async close(): Promise<void> {
    const connection = this.#standing.abandon();
    this.#state = 'closed';
    this.#publishLoss();
    if (connection === null || connection.isClosed()) return;
    // Draining sends what is left in the buffer.
    await finish(connection.drain(), connection);
    this.#standing.discard(connection);
  }

  #use(connection: NatsConnection): void {
    this.#connection = connection;
    this.#state = 'connected';
    this.#options.log.info('connected to NATS');
    for (const [subject, receiver] of this.#receivers) this.#subscribe(connection, subject, receiver);
    for (const listener of this.#connectListeners) listener();
  }

  #letGo(): void {
    this.#connection = null;
    this.#subscriptions.clear();
    this.#noteAbsence();
    this.#publishLoss();
  }

  #publishLoss(): void {
    for (const listener of this.#lossListeners) listener();
  }

  /** Logs once when the connection is lost and once when it returns, however many attempts it takes. */
  #noteAbsence(error?: unknown): void {
    if (this.#state === 'closed' || this.#state === 'disconnected') return;
    this.#state = 'disconnected';
    this.#options.log.warn({ err: error }, 'NATS is away: boards of other instances cannot be reached');
  }

  #subscribe(connection: NatsConnection, subject: string, receiver: Receiver): void {
    const subscription = connection.subscribe(`${this.#options.prefix}.${subject}`, {
      callback: (error, message) => {
        // A message on an abandoned connection also arrives on the next one.
        if (this.#connection !== connection) return;
        if (error !== null) this.#options.log.error({ err: error, subject }, 'a NATS subscription failed');
        else this.#paced.add(message.data.length, () => this.#deliver(message, receiver));
      },
    });
    this.#subscriptions.set(subject, subscription);
  }

  #deliver(message: Msg, receiver: Receiver): void {
    const start = this.#options.prefix.length + 1;
    const subject = message.subject.slice(start);
    const isOurs = message.reply?.startsWith(`${this.#options.prefix}.`) === true;
    const replyTo = isOurs ? (message.reply?.slice(start) ?? '') : '';
    try {
      const content = message.headers?.code === NO_RESPONDERS ? 'no responders' : this.#open(message);
      if (content !== null) receiver.receive({ subject, replyTo, content });
    } catch (error) {
      this.#options.refusals.note(error, subject);
      if (error instanceof Refusal) receiver.refuse?.(error);
    }
  }

  /** Null while other parts of the message are missing. */
  #open({ data, subject, reply: replyTo = '' }: Msg): Uint8Array | null {
    return this.#parts.add(this.#options.sealed.open(data, { subject, replyTo }));
  }

  async #drain(subject: string): Promise<void> {
    const connection = this.#connection;
    const subscription = this.#forget(subject);
    if (connection === null || subscription === undefined || connection.isClosed()) return;
    await finish(subscription.drain(), connection);
    await this.#paced.idle();
  }

  #forget(subject: string): NatsSubscription | undefined {
    const subscription = this.#subscriptions.get(subject);
    this.#receivers.delete(subject);
    this.#subscriptions.delete(subject);
    return subscription;
  }
}

/** Resolves when the work is done, or after a time-out: then NATS is gone, or will soon be found gone. */
async function finish(work: Promise<void>, connection: NatsConnection): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS);
  });
  await Promise.race([work, connection.closed(), tooLong]);
  clearTimeout(timer);
}
