/** The asks that travel to the owner of their partition as one message, until each has its answer. */
import type { AppError } from '../../domain/errors.js';
import { machineNow } from '../../domain/machineClock.js';
import { errorOf, notServed, unanswered } from '../../partitions/askPort.js';
import type { Outcome, PartitionCommand, PartitionName } from '../../partitions/messages.js';
import { isRepeatable } from '../../partitions/repeatable.js';
import type { PeerNetwork } from '../../wire/peerNetwork.js';
import type { PeerRefusals } from '../../wire/peerRefusals.js';
import type { EncodedCommand, RemoteMessages, RemoteReply } from './remoteMessages.js';

export interface RemoteOwner {
  readonly id: string;
  /** What to add to our clock to get the owner's. */
  readonly clockOffset: number;
}

export interface WaitingAsk {
  readonly command: PartitionCommand;
  readonly encoded: EncodedCommand;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface AskBatchOptions {
  readonly network: PeerNetwork;
  readonly messages: RemoteMessages;
  readonly refusals: PeerRefusals;
  readonly partition: PartitionName;
  readonly owner: RemoteOwner;
  readonly asks: readonly WaitingAsk[];
  /** Unique among all batches of all instances. */
  readonly id: string;
  /** After it the outcome is unknown. */
  readonly deadlineMs: number;
  /** Every ask is settled. */
  readonly onEnd: () => void;
}

export class AskBatch {
  readonly #options: AskBatchOptions;
  /** The asks without an answer, by their place. */
  readonly #left: Set<number>;
  readonly #timer: NodeJS.Timeout;
  /** By the clock of the owner. */
  readonly #sentAt: number;
  #request: { cancel(): void } | null = null;

  constructor(options: AskBatchOptions) {
    this.#options = options;
    this.#left = new Set(options.asks.keys());
    this.#timer = setTimeout(() => this.giveUp(), options.deadlineMs);
    this.#sentAt = machineNow() + options.owner.clockOffset;
    const { messages, partition, asks, id } = options;
    this.#send(
      messages.encodeBatch(
        partition,
        this.#sentAt,
        asks.map(({ encoded }) => encoded),
        { id },
      ),
      notServed(partition),
    );
  }

  /** No answer will come. */
  giveUp(): void {
    this.#rejectRest(unanswered(this.#options.partition));
  }

  /** Refused as unanswered, so that its caller asks again. */
  refuseRepeatable(): void {
    const { asks, partition } = this.#options;
    for (const place of this.#left) {
      const ask = asks[place];
      if (ask === undefined || !isRepeatable(ask.command)) continue;
      this.#left.delete(place);
      ask.reject(unanswered(partition));
    }
    if (this.#left.size === 0) this.#end();
  }

  /**
   * The answers may be lost. What may be asked twice is asked again by its caller; of a change the owner remembers its reply.
   */
  repeat(): void {
    this.refuseRepeatable();
    if (this.#left.size > 0) this.#sendAgain();
  }

  #sendAgain(): void {
    const { network, messages, partition, owner, asks, id } = this.#options;
    if (!network.isConnected()) return;
    const places = [...this.#left];
    const encoded = places.flatMap((place) => asks[place]?.encoded ?? []);
    const now = machineNow() + owner.clockOffset;
    this.#request?.cancel();
    // An owner that is gone may have carried it out.
    this.#send(messages.encodeBatch(partition, now, encoded, { id, again: { places, sentAt: this.#sentAt } }), unanswered(partition));
  }

  #send(bytes: Uint8Array, unserved: AppError): void {
    const { network, owner } = this.#options;
    this.#request = network.request(owner.id, bytes, {
      answer: (reply) => this.#receive(reply),
      notServed: () => this.#rejectRest(unserved),
      lost: () => this.refuseRepeatable(),
    });
  }

  #receive(bytes: Uint8Array): void {
    const { asks, partition } = this.#options;
    for (const { index, outcome } of this.#decodeReplies(bytes)) {
      if (index === null) return this.#rejectRest(refusalOf(outcome, partition));
      if (this.#left.delete(index)) this.#settle(asks[index], outcome);
    }
    if (this.#left.size === 0) this.#end();
  }

  /** A message that cannot be decoded ends the wait: its sender will not repeat it in another form. */
  #decodeReplies(bytes: Uint8Array): RemoteReply[] {
    const { messages, refusals, partition } = this.#options;
    try {
      return messages.decodeReplies(bytes).map((decode) => decode());
    } catch (error) {
      refusals.note(error, `an answer of the ${partition}`);
      return [{ index: null, outcome: { ok: false, error: unanswered(partition).toData() } }];
    }
  }

  #settle(ask: WaitingAsk | undefined, outcome: Outcome): void {
    if (ask === undefined) return;
    if (!outcome.ok) return ask.reject(refusalOf(outcome, this.#options.partition));
    ask.resolve(outcome.value);
  }

  #rejectRest(error: AppError): void {
    for (const place of this.#left) this.#options.asks[place]?.reject(error);
    this.#left.clear();
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#request?.cancel();
    this.#options.onEnd();
  }
}

function refusalOf(outcome: Outcome, partition: PartitionName): AppError {
  if (outcome.ok) return unanswered(partition);
  return outcome.notHere === true ? notServed(partition) : errorOf(outcome);
}
