/** Asks to stations that another instance owns. Those of one turn of the event loop travel as one message. */
import { AppError } from '../domain/errors.js';
import { notServed, unanswered, type Asking } from '../partitions/askPort.js';
import type { Outcome, StationCommand, StationName } from '../partitions/messages.js';
import { addressOf, type PeerNetwork } from './peerNetwork.js';
import { parseAnswer, type EncodedCommand, type RemoteMessages, type RemoteReply } from './remoteMessages.js';
import { MAX_FRAME_BYTES } from '../wire/frame.js';
import type { PeerRefusals } from '../wire/peerRefusals.js';

/** Longer than any commit takes; then nobody knows whether the command was carried out, and the client must be told. */
const ASK_DEADLINE_MS = 5_000;
/** An import is hundreds of commits, each in its turn. */
const IMPORT_DEADLINE_MS = 60_000;

/**
 * What surely travels in one piece. A batch in several pieces could meet the old owner of a station with the first and
 * the new one with the second, and neither would have all of it. A single larger command takes that risk.
 */
const BATCH_BYTES = 256 * 1024;
/** Far more than come in one turn of the event loop, and within what a receiver accepts. */
const MAX_BATCH_ASKS = 4_096;
/** The rest of a frame beside its largest command. */
const FRAME_OVERHEAD_BYTES = 1024;

interface Waiting {
  readonly command: StationCommand;
  readonly encoded: EncodedCommand;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Outgoing {
  readonly asks: Waiting[];
  bytes: number;
}

export class RemoteStations implements Asking {
  readonly #network: PeerNetwork;
  readonly #messages: RemoteMessages;
  readonly #refusals: PeerRefusals;
  readonly #outgoing = new Map<StationName, Outgoing>();
  /** What ends the waiting for batches that are under way. */
  readonly #underway = new Map<StationName, Set<(error: AppError) => void>>();

  constructor(network: PeerNetwork, messages: RemoteMessages, refusals: PeerRefusals) {
    this.#network = network;
    this.#messages = messages;
    this.#refusals = refusals;
  }

  /** Rejects with `NotServedHere` when it is certain that nobody has seen the command, or with `OutcomeUnknown`. */
  ask(station: StationName, command: StationCommand): Promise<unknown> {
    if (!this.#network.isConnected()) return Promise.reject(notServed(station));
    return new Promise((resolve, reject) => {
      const encoded = this.#messages.encodeCommand(command);
      if (encoded.bytes > MAX_FRAME_BYTES - FRAME_OVERHEAD_BYTES) reject(tooLarge(encoded));
      else this.#collect(station, { command, encoded, resolve, reject });
    });
  }

  /** Its owner is gone: nobody will answer, and nobody knows what was carried out. */
  abandon(station: StationName): void {
    for (const rejectRest of [...(this.#underway.get(station) ?? [])]) rejectRest(unanswered(station));
  }

  #collect(station: StationName, ask: Waiting): void {
    const filling = this.#outgoing.get(station);
    const { bytes } = ask.encoded;
    if (filling !== undefined && filling.bytes + bytes <= BATCH_BYTES && filling.asks.length < MAX_BATCH_ASKS) {
      filling.asks.push(ask);
      filling.bytes += bytes;
      return;
    }
    if (filling !== undefined) this.#send(station, filling);
    const outgoing = { asks: [ask], bytes };
    this.#outgoing.set(station, outgoing);
    setImmediate(() => {
      if (this.#outgoing.get(station) === outgoing) this.#send(station, outgoing);
    });
  }

  #send(station: StationName, { asks }: Outgoing): void {
    this.#outgoing.delete(station);
    const left = new Set(asks.keys());
    const underway = this.#underway.get(station) ?? new Set();
    const finish = (): void => {
      clearTimeout(timer);
      request.cancel();
      underway.delete(rejectRest);
    };
    const rejectRest = (error: AppError): void => {
      finish();
      for (const index of left) asks[index]?.reject(error);
      left.clear();
    };
    const timer = setTimeout(() => rejectRest(unanswered(station)), asks.some(isImport) ? IMPORT_DEADLINE_MS : ASK_DEADLINE_MS);
    this.#underway.set(station, underway.add(rejectRest));
    const batch = this.#messages.encodeBatch(Date.now(), asks.map(({ encoded }) => encoded));
    const request = this.#network.request(addressOf(station), batch, {
      answer: (bytes) => {
        for (const { index, outcome } of this.#decodeReplies(bytes, station)) {
          if (index === null) return rejectRest(errorOf(outcome, station));
          if (left.delete(index)) this.#settle(asks[index], outcome, station);
        }
        if (left.size === 0) finish();
      },
      nobody: () => rejectRest(notServed(station)),
      lost: () => rejectRest(unanswered(station)),
    });
  }

  /** A message that is not understood ends the waiting: its sender will not say it again in another way. */
  #decodeReplies(bytes: Uint8Array, station: StationName): RemoteReply[] {
    try {
      return this.#messages.decodeReplies(bytes).map((decode) => decode());
    } catch (error) {
      this.#refusals.note(error, `an answer of the ${station}`);
      return [{ index: null, outcome: { ok: false, error: unanswered(station).toData() } }];
    }
  }

  #settle(waiting: Waiting | undefined, outcome: Outcome, station: StationName): void {
    if (waiting === undefined) return;
    if (!outcome.ok) return waiting.reject(errorOf(outcome, station));
    try {
      waiting.resolve(parseAnswer(waiting.command, outcome.value));
    } catch (error) {
      this.#refusals.note(error, `an answer of the ${station}`);
      waiting.reject(unanswered(station));
    }
  }
}

function errorOf(outcome: Outcome, station: StationName): AppError {
  if (outcome.ok) return unanswered(station);
  return outcome.notHere === true ? notServed(station) : AppError.from(outcome.error);
}

function tooLarge({ bytes }: EncodedCommand): AppError {
  return new AppError('too_large', `${bytes} bytes are too many for a command to another instance; max ${MAX_FRAME_BYTES}`);
}

function isImport({ command }: Waiting): boolean {
  return (command as Readonly<{ kind?: string }> | null)?.kind === 'import';
}
