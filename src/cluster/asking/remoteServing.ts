/** Receives asks from other instances and forwards them to the local partitions. */
import type { Logger } from 'pino';
import type { Answer } from '../../domain/answer.js';
import { AppError, INTERNAL_ERROR } from '../../domain/errors.js';
import { NotServedHere, OutcomeUnknown, unanswered } from '../../partitions/askPort.js';
import { isRepeatable } from '../../partitions/repeatable.js';
import type { Outcome, PartitionCommand, PartitionName } from '../../partitions/messages.js';
import { machineNow } from '../../domain/machineClock.js';
import type { PeerNetwork, Serving } from '../../wire/peerNetwork.js';
import type { RemoteBatch, RemoteMessages } from './remoteMessages.js';
import { RememberedReplies } from './rememberedReplies.js';
import type { Forgotten } from '../userGrants.js';
import { notOpen } from '../../partitions/runtime/partition.js';
import { encodeFrame, itemBytes, MAX_FRAME_BYTES, type FrameItem } from '../../wire/frame.js';
import type { PeerRefusals } from '../../wire/peerRefusals.js';
import { Refusal } from '../../wire/refusal.js';

/**
 * A batch that took longer to arrive is not carried out. It waited before a frozen instance or server, and its sender
 * has given up or is about to: an instance counts as dead after one and a half seconds.
 */
const FRESH_MS = 1_000;

/** Replies of one turn share a message up to this size; a larger reply gets its own. */
const SHARED_REPLY_BYTES = 256 * 1024;
/** The largest reply that fits a frame. */
const MAX_REPLY_BYTES = MAX_FRAME_BYTES - 1024;
/** An older instance that lacks a command will be replaced by a newer one, but not within a second. */
const UPGRADE_SECONDS = 5;

export interface RemoteServingOptions {
  readonly network: PeerNetwork;
  readonly messages: RemoteMessages;
  /** The partitions owned here. An answer from a cache is there at once. */
  readonly local: { ask(partition: PartitionName, command: PartitionCommand): Answer<unknown> };
  /** The owner of the directory reports changes of users, and goes on when this has returned. */
  readonly onForgotten: (forgotten: Forgotten) => void;
  readonly refusals: PeerRefusals;
  readonly log: Logger;
}

export class RemoteServing {
  readonly #options: RemoteServingOptions;
  readonly #unanswered = new Set<Promise<void>>();
  readonly #remembered = new RememberedReplies();
  #serving: Serving | null = null;

  constructor(options: RemoteServingOptions) {
    this.#options = options;
  }

  /** Once. */
  start(): void {
    this.#serving = this.#options.network.serve((bytes, answer) => this.#receive(bytes, answer));
  }

  /**
   * After all partitions were given away: an ask that is still on its way is answered as not served here, and its sender
   * asks the next owner. Resolves when every ask has its answer; none is left to wait for one that cannot come.
   */
  async stop(): Promise<void> {
    await this.#serving?.stop();
    await Promise.all(this.#unanswered);
    await new Promise(setImmediate);
  }

  #receive(bytes: Uint8Array, answer: (bytes: Uint8Array) => void): void {
    const replies = new OutgoingReplies(answer);
    const reply = (index: number | null, outcome: Outcome): void => replies.add(this.#encode(index, outcome));
    let batch: RemoteBatch;
    try {
      batch = this.#options.messages.decodeBatch(bytes);
    } catch (error) {
      return reply(null, this.#refuse(error, 'an ask'));
    }
    const { forgotten } = batch;
    if (forgotten !== null) {
      this.#options.onForgotten(forgotten);
      return reply(0, { ok: true, value: true });
    }
    for (const [position, decode] of batch.commands.entries()) {
      const index = batch.again?.places[position] ?? position;
      const answered = this.#replyTo(batch, index, decode).then((item) => replies.add(item));
      this.#unanswered.add(answered);
      void answered.then(() => this.#unanswered.delete(answered));
    }
  }

  /** Never rejects. What was carried out once is not carried out again. */
  #replyTo(batch: RemoteBatch, index: number, decode: () => PartitionCommand): Promise<FrameItem> {
    const { partition, sentAt, id, again } = batch;
    const known = id === null ? null : this.#remembered.find(id, index);
    if (known !== null) return known;
    const refusal = isLate(sentAt) ? notOpen(partition) : again !== null && !this.#remembered.covers(again.sentAt) ? unknownOutcome(partition) : null;
    if (refusal !== null) return Promise.resolve(this.#encode(index, refusal));
    let command: PartitionCommand;
    try {
      command = decode();
    } catch (error) {
      return Promise.resolve(this.#encode(index, this.#refuse(error, partition)));
    }
    const reply = this.#ask(partition, command).then((outcome) => this.#encode(index, outcome));
    if (id !== null && !isRepeatable(command)) this.#remembered.remember(id, index, reply);
    return reply;
  }

  /** Never rejects. */
  async #ask(partition: PartitionName, command: PartitionCommand): Promise<Outcome> {
    try {
      return { ok: true, value: await this.#options.local.ask(partition, command) };
    } catch (error) {
      if (error instanceof NotServedHere) return { ok: false, error: error.toData(), notHere: true };
      if (error instanceof OutcomeUnknown) return { ok: false, error: error.toData(), isUnknown: true };
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      this.#options.log.error({ err: error }, 'an ask of another instance failed');
      return { ok: false, error: INTERNAL_ERROR };
    }
  }

  /** Counts the refusal. The sender's client gets 503. */
  #refuse(error: unknown, subject: string): Outcome {
    this.#options.refusals.note(error, subject);
    if (!(error instanceof Refusal)) return { ok: false, error: INTERNAL_ERROR };
    const detail = `The instance that owns the board or the directory refused the message: ${error.message}`;
    return { ok: false, error: { code: 'unavailable', detail, retryAfter: UPGRADE_SECONDS } };
  }

  #encode(index: number | null, outcome: Outcome): FrameItem {
    const { messages, log } = this.#options;
    try {
      const item = messages.encodeReply({ index, outcome });
      if (itemBytes(item) <= MAX_REPLY_BYTES) return item;
      throw new AppError('too_large', `an answer of ${itemBytes(item)} bytes; max ${MAX_REPLY_BYTES}`);
    } catch (error) {
      log.error({ err: error }, 'an answer for another instance could not be encoded');
      return messages.encodeReply({ index, outcome: { ok: false, error: INTERNAL_ERROR } });
    }
  }
}

function isLate(sentAt: number): boolean {
  return machineNow() - sentAt > FRESH_MS;
}

function unknownOutcome(partition: PartitionName): Outcome {
  return { ok: false, error: unanswered(partition).toData(), isUnknown: true };
}

/** Collects the replies of one turn of the event loop. */
class OutgoingReplies {
  readonly #answer: (bytes: Uint8Array) => void;
  #items: FrameItem[] = [];
  #bytes = 0;

  constructor(answer: (bytes: Uint8Array) => void) {
    this.#answer = answer;
  }

  add(item: FrameItem): void {
    const bytes = itemBytes(item);
    if (this.#bytes + bytes > SHARED_REPLY_BYTES) this.#flush();
    if (this.#items.length === 0) setImmediate(() => this.#flush());
    this.#items.push(item);
    this.#bytes += bytes;
  }

  #flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    this.#answer(encodeFrame(items));
  }
}
