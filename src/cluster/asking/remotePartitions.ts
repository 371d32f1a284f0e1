/**
 * Sends asks to partitions that another instance owns. The asks of one turn of the event loop travel as one message.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.js';
import { notServed, type AskPort } from '../../partitions/askPort.js';
import type { PartitionCommand, PartitionName } from '../../partitions/messages.js';
import type { PeerNetwork } from '../../wire/peerNetwork.js';
import { AskBatch, type RemoteOwner, type WaitingAsk } from './askBatch.js';
import { MAX_BATCH_ASKS, type EncodedCommand, type RemoteMessages } from './remoteMessages.js';
import { MAX_FRAME_BYTES } from '../../wire/frame.js';
import type { PeerRefusals } from '../../wire/peerRefusals.js';

/** Longer than any commit. After it the outcome is unknown, and the caller gets an error. */
const ASK_DEADLINE_MS = 5_000;
/** An import is hundreds of commits, each in its turn. */
const IMPORT_DEADLINE_MS = 60_000;

/**
 * Small enough to travel in one piece. The pieces of a larger batch could reach the old and the new owner of a
 * partition, and neither would have all of it. A single larger command takes that risk.
 */
const BATCH_BYTES = 256 * 1024;
/** Bytes of a frame besides its largest command. */
const FRAME_OVERHEAD_BYTES = 1024;

interface Outgoing {
  readonly asks: WaitingAsk[];
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
  readonly #underway = new Map<string, Set<AskBatch>>();
  /** Of this process, in the ids of its batches. */
  readonly #asker = randomUUID();
  #batches = 0;

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
    network.onConnect(() => {
      for (const instance of this.#underway.keys()) this.repeat(instance);
    });
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
    for (const batch of [...(this.#underway.get(instance) ?? [])]) batch.giveUp();
  }

  /** The instance has given all its partitions away. What may be sent twice does not wait for its last answers. */
  leave(instance: string): void {
    for (const batch of [...(this.#underway.get(instance) ?? [])]) batch.refuseRepeatable();
  }

  /** Messages from or to the instance may be lost: what waits for its answer is asked again at once, and nothing is done twice. */
  repeat(instance: string): void {
    for (const batch of [...(this.#underway.get(instance) ?? [])]) batch.repeat();
  }

  #collect(partition: PartitionName, ask: WaitingAsk): void {
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
    const underway = this.#underway.get(owner.id) ?? new Set();
    this.#underway.set(owner.id, underway);
    this.#batches += 1;
    const batch = new AskBatch({
      network: this.#network,
      messages: this.#messages,
      refusals: this.#refusals,
      partition,
      owner,
      asks,
      id: `${this.#asker} ${this.#batches}`,
      deadlineMs: asks.some(isImport) ? IMPORT_DEADLINE_MS : this.#deadlineMs,
      onEnd: () => {
        underway.delete(batch);
        if (underway.size === 0 && this.#underway.get(owner.id) === underway) this.#underway.delete(owner.id);
      },
    });
    underway.add(batch);
  }
}

function tooLarge({ bytes }: EncodedCommand): AppError {
  return new AppError('too_large', `${bytes} bytes are too many for a command to another instance; max ${MAX_FRAME_BYTES}`);
}

function isImport({ command }: WaitingAsk): boolean {
  return (command as Readonly<{ kind?: string }> | null)?.kind === 'import';
}
