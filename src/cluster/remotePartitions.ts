/**
 * Sends asks to partitions that another instance owns. The asks of one turn of the event loop travel as one message.
 */
import { AppError } from '../domain/errors.js';
import { errorOf, notServed, unanswered, type AskPort } from '../partitions/askPort.js';
import { isRepeatable } from '../partitions/repeatable.js';
import type { Outcome, PartitionCommand, PartitionName } from '../partitions/messages.js';
import { machineNow } from '../domain/machineClock.js';
import type { PeerNetwork } from '../wire/peerNetwork.js';
import { parseAnswer, type EncodedCommand, type RemoteMessages, type RemoteReply } from './remoteMessages.js';
import { MAX_FRAME_BYTES } from '../wire/frame.js';
import type { PeerRefusals } from '../wire/peerRefusals.js';

/** Longer than any commit. After it the outcome is unknown, and the caller gets an error. */
const ASK_DEADLINE_MS = 5_000;
/** An import is hundreds of commits, each in its turn. */
const IMPORT_DEADLINE_MS = 60_000;

/**
 * Small enough to travel in one piece. The pieces of a larger batch could reach the old and the new owner of a
 * partition, and neither would have all of it. A single larger command takes that risk.
 */
const BATCH_BYTES = 256 * 1024;
/** Far more than arrive in one turn of the event loop, and within a receiver's bounds. */
const MAX_BATCH_ASKS = 4_096;
/** Bytes of a frame besides its largest command. */
const FRAME_OVERHEAD_BYTES = 1024;

export interface RemoteOwner {
  readonly id: string;
  /** What to add to our clock to get the owner's. */
  readonly clockOffset: number;
}

interface Waiting {
  readonly command: PartitionCommand;
  readonly encoded: EncodedCommand;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A batch that was sent. */
interface Underway {
  /** No answer will come. */
  giveUp(): void;
  /** The answers may be lost: what may be sent again is refused as unanswered. The rest waits on. */
  repeat(): void;
}

interface Outgoing {
  readonly asks: Waiting[];
  bytes: number;
}

export class RemotePartitions implements AskPort {
  readonly #ownerOf: (partition: PartitionName) => RemoteOwner | null;
  readonly #deadlineMs: number;
  readonly #network: PeerNetwork;
  readonly #messages: RemoteMessages;
  readonly #refusals: PeerRefusals;
  readonly #outgoing = new Map<PartitionName, Outgoing>();
  /** The batches under way to each instance. */
  readonly #underway = new Map<string, Set<Underway>>();

  /** `ownerOf`: the instance that owns the partition, as far as known. */
  constructor(
    network: PeerNetwork,
    messages: RemoteMessages,
    refusals: PeerRefusals,
    ownerOf: (partition: PartitionName) => RemoteOwner | null,
    deadlineMs = ASK_DEADLINE_MS,
  ) {
    this.#ownerOf = ownerOf;
    this.#deadlineMs = deadlineMs;
    this.#network = network;
    this.#messages = messages;
    this.#refusals = refusals;
  }

  /** Rejects with `NotServedHere` if the command was certainly not seen, else with `OutcomeUnknown`. */
  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    if (!this.#network.isConnected()) return Promise.reject(notServed(partition));
    return new Promise((resolve, reject) => {
      const encoded = this.#messages.encodeCommand(command);
      if (encoded.bytes > MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES) reject(tooLarge(encoded));
      else this.#collect(partition, { command, encoded, resolve, reject });
    });
  }

  /** The instance is gone: no answer will come, and the outcome of asks that were sent to it is unknown. */
  abandon(instance: string): void {
    for (const { giveUp } of [...(this.#underway.get(instance) ?? [])]) giveUp();
  }

  /** Answers of the instance may be lost. Its callers ask again at once what may be asked twice. */
  repeat(instance: string): void {
    for (const { repeat } of [...(this.#underway.get(instance) ?? [])]) repeat();
  }

  #collect(partition: PartitionName, ask: Waiting): void {
    const filling = this.#outgoing.get(partition);
    const { bytes } = ask.encoded;
    if (filling !== undefined && filling.bytes + bytes <= BATCH_BYTES && filling.asks.length < MAX_BATCH_ASKS) {
      filling.asks.push(ask);
      filling.bytes += bytes;
      return;
    }
    if (filling !== undefined) this.#send(partition, filling);
    const outgoing = { asks: [ask], bytes };
    this.#outgoing.set(partition, outgoing);
    setImmediate(() => {
      if (this.#outgoing.get(partition) === outgoing) this.#send(partition, outgoing);
    });
  }

  #send(partition: PartitionName, { asks }: Outgoing): void {
    this.#outgoing.delete(partition);
    const owner = this.#ownerOf(partition);
    if (owner === null) return asks.forEach(({ reject }) => reject(notServed(partition)));
    const left = new Set(asks.keys());
    const underway = this.#underway.get(owner.id) ?? new Set();
    const finish = (): void => {
      clearTimeout(timer);
      request.cancel();
      underway.delete(batchUnderWay);
      if (underway.size === 0) this.#underway.delete(owner.id);
    };
    const rejectRest = (error: AppError): void => {
      finish();
      for (const index of left) asks[index]?.reject(error);
      left.clear();
    };
    const giveUp = (): void => rejectRest(unanswered(partition));
    const repeat = (): void => {
      for (const index of left) {
        const ask = asks[index];
        if (ask === undefined || !isRepeatable(ask.command)) continue;
        left.delete(index);
        ask.reject(unanswered(partition));
      }
      if (left.size === 0) finish();
    };
    const batchUnderWay: Underway = { giveUp, repeat };
    const timer = setTimeout(giveUp, asks.some(isImport) ? IMPORT_DEADLINE_MS : this.#deadlineMs);
    this.#underway.set(owner.id, underway.add(batchUnderWay));
    const batch = this.#messages.encodeBatch(partition, machineNow() + owner.clockOffset, asks.map(({ encoded }) => encoded));
    const request = this.#network.request(owner.id, batch, {
      answer: (bytes) => {
        for (const { index, outcome } of this.#decodeReplies(bytes, partition)) {
          if (index === null) return rejectRest(refusalOf(outcome, partition));
          if (left.delete(index)) this.#settle(asks[index], outcome, partition);
        }
        if (left.size === 0) finish();
      },
      notServed: () => rejectRest(notServed(partition)),
      lost: giveUp,
    });
  }

  /** A message that cannot be decoded ends the wait: its sender will not repeat it in another form. */
  #decodeReplies(bytes: Uint8Array, partition: PartitionName): RemoteReply[] {
    try {
      return this.#messages.decodeReplies(bytes).map((decode) => decode());
    } catch (error) {
      this.#refusals.note(error, `an answer of the ${partition}`);
      return [{ index: null, outcome: { ok: false, error: unanswered(partition).toData() } }];
    }
  }

  #settle(waiting: Waiting | undefined, outcome: Outcome, partition: PartitionName): void {
    if (waiting === undefined) return;
    if (!outcome.ok) return waiting.reject(refusalOf(outcome, partition));
    try {
      waiting.resolve(parseAnswer(waiting.command, outcome.value));
    } catch (error) {
      this.#refusals.note(error, `an answer of the ${partition}`);
      waiting.reject(unanswered(partition));
    }
  }
}

function refusalOf(outcome: Outcome, partition: PartitionName): AppError {
  if (outcome.ok) return unanswered(partition);
  return outcome.notHere === true ? notServed(partition) : errorOf(outcome);
}

function tooLarge({ bytes }: EncodedCommand): AppError {
  return new AppError('too_large', `${bytes} bytes are too many for a command to another instance; max ${MAX_FRAME_BYTES}`);
}

function isImport({ command }: Waiting): boolean {
  return (command as Readonly<{ kind?: string }> | null)?.kind === 'import';
}
