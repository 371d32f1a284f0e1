/** The other side of asks over the network: hands on what peers ask of the stations that are owned here. */
import type { Logger } from 'pino';
import { AppError, INTERNAL_ERROR } from '../domain/errors.js';
import { NotServedHere, type Asking } from './asking.js';
import type { Outcome, StationName } from './messages.js';
import { addressOf, type PeerNetwork } from './peerNetwork.js';
import { decodeBatch, decodeCommand, encodeReplies, type RemoteReply } from './remoteMessages.js';
import { notOpen } from './stations.js';

/**
 * A batch that took longer to arrive is not carried out. It was stuck in front of an instance or a server that was
 * frozen, and whoever asked has given up or is about to: an instance is taken for dead after one and a half seconds.
 */
const FRESH_MS = 1_000;

export class RemoteServing {
  readonly #network: PeerNetwork;
  readonly #local: Asking;
  readonly #log: Logger;
  readonly #services = new Map<StationName, { stop(): Promise<void> }>();
  readonly #unanswered = new Set<Promise<void>>();

  constructor(network: PeerNetwork, local: Asking, log: Logger) {
    this.#network = network;
    this.#local = local;
    this.#log = log;
  }

  start(station: StationName): void {
    this.#services.set(
      station,
      this.#network.serve(addressOf(station), (bytes, answer) => this.#receive(station, bytes, answer)),
    );
  }

  /** Resolves when nothing more can arrive. What arrived before is still answered. */
  async stop(station: StationName): Promise<void> {
    await this.#services.get(station)?.stop();
    this.#services.delete(station);
  }

  async allAnswered(): Promise<void> {
    await Promise.all(this.#unanswered);
  }

  #receive(station: StationName, bytes: Uint8Array, answer: (bytes: Uint8Array) => void): void {
    const { sentAt, commands } = decodeBatch(bytes);
    const isFresh = Date.now() - sentAt <= FRESH_MS;
    const settled: RemoteReply[] = [];
    const reply = (index: number, outcome: Outcome): void => {
      if (settled.length === 0) setImmediate(() => answer(encodeReplies(settled.splice(0))));
      settled.push({ index, outcome });
    };
    commands.forEach((command, index) => {
      if (!isFresh) return reply(index, notOpen(station));
      const answered = this.#local.ask(station, decodeCommand(command)).then(
        (value) => reply(index, { ok: true, value }),
        (error: unknown) => reply(index, this.#outcomeOf(error)),
      );
      this.#unanswered.add(answered);
      void answered.then(() => this.#unanswered.delete(answered));
    });
  }

  #outcomeOf(error: unknown): Outcome {
    if (error instanceof NotServedHere) return { ok: false, error: error.toData(), notHere: true };
    if (error instanceof AppError) return { ok: false, error: error.toData() };
    this.#log.error({ err: error }, 'an ask of another instance failed');
    return { ok: false, error: INTERNAL_ERROR };
  }
}
