/** Asks by whoever owns the station: this instance directly, another one over the network, waiting out a move. */
import { NotServedHere, notServed, OutcomeUnknown, type Asking } from '../partitions/askPort.js';
import type { StationCommand, StationName } from '../partitions/messages.js';
import type { Whereabouts } from '../partitions/ownership.js';
import { isRepeatable } from '../partitions/repeatable.js';

/** A move takes less; a killed owner is replaced in less. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 40;

export interface ClusterRouterOptions {
  readonly local: Asking;
  readonly remote: Asking;
  readonly locate: (station: StationName) => Whereabouts;
}

export class ClusterRouter implements Asking {
  readonly #options: ClusterRouterOptions;

  constructor(options: ClusterRouterOptions) {
    this.#options = options;
  }

  async ask(station: StationName, command: StationCommand): Promise<unknown> {
    const { locate } = this.#options;
    for (const end = performance.now() + PATIENCE_MS; ; ) {
      try {
        return await this.#askOnce(station, command);
      } catch (error) {
        const mayAskAgain =
          error instanceof NotServedHere || (error instanceof OutcomeUnknown && isRepeatable(command));
        if (!mayAskAgain || performance.now() >= end || locate(station) === 'out of reach') throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Nothing is sent to a station without a known owner: one that is frozen would find it when it wakes up. */
  async #askOnce(station: StationName, command: StationCommand): Promise<unknown> {
    const { local, remote, locate } = this.#options;
    switch (locate(station)) {
      case 'here':
        return local.ask(station, command);
      case 'elsewhere':
        return remote.ask(station, command);
      case 'moving':
      case 'out of reach':
        throw notServed(station);
    }
  }
}
