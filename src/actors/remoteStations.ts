/** Asks to stations that another instance owns. Those of one turn of the event loop travel as one message. */
import { AppError } from '../domain/errors.js';
import { notServed, unanswered, type Asking } from './asking.js';
import type { Outcome, StationCommand, StationName } from './messages.js';
import { addressOf, type PeerNetwork } from './peerNetwork.js';
import { decodeReplies, encodeBatch, encodeCommand } from './remoteMessages.js';

/** Longer than any commit takes; then nobody knows whether the command was carried out, and the client must be told. */
const ASK_DEADLINE_MS = 5_000;

/**
 * What surely travels in one piece. A batch in several pieces could meet the old owner of a station with the first and
 * the new one with the second, and neither would have all of it. A single larger command takes that risk.
 */
const BATCH_BYTES = 256 * 1024;

interface Waiting {
  readonly command: Uint8Array;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Outgoing {
  readonly asks: Waiting[];
  bytes: number;
}

export class RemoteStations implements Asking {
  readonly #network: PeerNetwork;
  readonly #outgoing = new Map<StationName, Outgoing>();
  /** What ends the waiting for batches that are under way. */
  readonly #underway = new Map<StationName, Set<(error: AppError) => void>>();

  constructor(network: PeerNetwork) {
    this.#network = network;
  }

  /** Rejects with `NotServedHere` when it is certain that nobody has seen the command, or with `OutcomeUnknown`. */
  ask(station: StationName, command: StationCommand): Promise<unknown> {
    if (!this.#network.isConnected()) return Promise.reject(notServed(station));
    return new Promise((resolve, reject) => {
      this.#collect(station, { command: encodeCommand(command), resolve, reject });
    });
  }

  /** Its owner is gone: nobody will answer, and nobody knows what was carried out. */
  abandon(station: StationName): void {
    for (const rejectRest of [...(this.#underway.get(station) ?? [])]) rejectRest(unanswered(station));
  }

  #collect(station: StationName, ask: Waiting): void {
    const filling = this.#outgoing.get(station);
    if (filling !== undefined && filling.bytes + ask.command.length <= BATCH_BYTES) {
      filling.asks.push(ask);
      filling.bytes += ask.command.length;
      return;
    }
    if (filling !== undefined) this.#send(station, filling);
    const outgoing = { asks: [ask], bytes: ask.command.length };
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
    const timer = setTimeout(() => rejectRest(unanswered(station)), ASK_DEADLINE_MS);
    this.#underway.set(station, underway.add(rejectRest));
    const batch = encodeBatch({ sentAt: Date.now(), commands: asks.map(({ command }) => command) });
    const request = this.#network.request(addressOf(station), batch, {
      answer: (bytes) => {
        for (const { index, outcome } of decodeReplies(bytes)) {
          if (left.delete(index)) settle(asks[index], outcome, station);
        }
        if (left.size === 0) finish();
      },
      nobody: () => rejectRest(notServed(station)),
      lost: () => rejectRest(unanswered(station)),
    });
  }
}

function settle(waiting: Waiting | undefined, outcome: Outcome, station: StationName): void {
  if (outcome.ok) waiting?.resolve(outcome.value);
  else waiting?.reject(outcome.notHere === true ? notServed(station) : AppError.from(outcome.error));
}
