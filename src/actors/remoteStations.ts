/** Asks to stations that another instance owns. Those of one turn of the event loop travel as one message. */
import { deserialize, serialize } from 'node:v8';
import { AppError } from '../domain/errors.js';
import { NotServedHere, notServed, type Asking } from './asking.js';
import type { Outcome, StationCommand, StationName } from './messages.js';
import type { PeerNetwork } from './peerNetwork.js';

/** Longer than any commit takes; then nobody knows whether the command was carried out, and the client must be told. */
const ASK_DEADLINE_MS = 5_000;

/** A batch as it travels. Numbers are the asks' places in it. */
export interface RemoteBatch {
  /** When the asker stops waiting, in milliseconds since the epoch. After it nothing may be carried out any more. */
  readonly expiresAt: number;
  readonly commands: readonly StationCommand[];
}

export interface RemoteReplies {
  readonly replies: ReadonlyArray<{ readonly index: number; readonly outcome: Outcome }>;
}

interface Waiting {
  readonly command: StationCommand;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class RemoteStations implements Asking {
  readonly #network: PeerNetwork;
  readonly #outgoing = new Map<StationName, Waiting[]>();
  /** What ends the waiting for batches that are under way. */
  readonly #underway = new Map<StationName, Set<(error: AppError) => void>>();

  constructor(network: PeerNetwork) {
    this.#network = network;
  }

  /** Rejects with `NotServedHere` when it is certain that nobody has seen the command. */
  ask(station: StationName, command: StationCommand): Promise<unknown> {
    if (!this.#network.isConnected()) return Promise.reject(unreachable(station));
    return new Promise((resolve, reject) => {
      const waiting = { command, resolve, reject };
      const batch = this.#outgoing.get(station);
      if (batch !== undefined) {
        batch.push(waiting);
        return;
      }
      this.#outgoing.set(station, [waiting]);
      setImmediate(() => this.#send(station));
    });
  }

  /** Its owner is gone: nobody will answer, and nobody knows what was carried out. */
  abandon(station: StationName): void {
    for (const rejectRest of this.#underway.get(station) ?? []) rejectRest(unreachable(station));
  }

  #send(station: StationName): void {
    const asks = this.#outgoing.get(station) ?? [];
    this.#outgoing.delete(station);
    const batch: RemoteBatch = {
      expiresAt: Date.now() + ASK_DEADLINE_MS,
      commands: asks.map(({ command }) => command),
    };
    const left = new Set(asks.keys());
    const rejectRest = (error: AppError): void => {
      finish();
      for (const index of left) asks[index]?.reject(error);
    };
    const underway = this.#underway.get(station) ?? new Set();
    this.#underway.set(station, underway.add(rejectRest));
    const request = this.#network.request(addressOf(station), serialize(batch), {
      answer: (bytes) => {
        for (const { index, outcome } of (deserialize(bytes) as RemoteReplies).replies) {
          if (left.delete(index)) settle(asks[index], outcome, station);
        }
        if (left.size === 0) finish();
      },
      nobody: () => rejectRest(notServed(station)),
      lost: () => rejectRest(unreachable(station)),
    });
    const timer = setTimeout(() => rejectRest(unreachable(station)), ASK_DEADLINE_MS);
    const finish = (): void => {
      clearTimeout(timer);
      request.cancel();
      underway.delete(rejectRest);
    };
  }
}

/** The other side: hands on what a peer asks of a station that is owned here. */
export function serveRemotely(network: PeerNetwork, station: StationName, local: Asking): { stop(): void } {
  return network.serve(addressOf(station), (bytes, answer) => {
    const { expiresAt, commands } = deserialize(bytes) as RemoteBatch;
    // Delivered late, after a freeze for example: whoever asked has long been told that it failed.
    if (Date.now() > expiresAt) return;
    const settled: Array<RemoteReplies['replies'][number]> = [];
    commands.forEach((command, index) => {
      const reply = (outcome: Outcome): void => {
        if (settled.length === 0) setImmediate(() => answer(serialize({ replies: settled.splice(0) })));
        settled.push({ index, outcome });
      };
      local.ask(station, command).then(
        (value) => reply({ ok: true, value }),
        (error: unknown) => reply(outcomeOf(error)),
      );
    });
  });
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof NotServedHere) return { ok: false, error: error.toData(), notHere: true };
  if (error instanceof AppError) return { ok: false, error: error.toData() };
  return { ok: false, error: { code: 'internal', detail: 'Internal Server Error' } };
}

function settle(waiting: Waiting | undefined, outcome: Outcome, station: StationName): void {
  if (outcome.ok) waiting?.resolve(outcome.value);
  else waiting?.reject(outcome.notHere === true ? notServed(station) : AppError.from(outcome.error));
}

function addressOf(station: StationName): string {
  return station.replace(' ', '.');
}

function unreachable(station: StationName): AppError {
  return new AppError('unavailable', `The ${station} cannot be reached right now. Try again.`, { retryAfter: 1 });
}
