/** Asks by whoever owns the station: this instance directly, another one over the network, waiting out a move. */
import { NotServedHere, type Asking } from './asking.js';
import type { StationCommand, StationName } from './messages.js';

/** A move takes less; a killed owner is replaced in less. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 40;

export interface ClusterRouterOptions {
  readonly local: Asking & { owns(station: StationName): boolean };
  readonly remote: Asking;
  /** Whether waiting for an owner makes sense: someone lives who owns it, or could. */
  readonly isExpected: (station: StationName) => boolean;
}

export class ClusterRouter implements Asking {
  readonly #options: ClusterRouterOptions;

  constructor(options: ClusterRouterOptions) {
    this.#options = options;
  }

  async ask(station: StationName, command: StationCommand): Promise<unknown> {
    const { local, remote, isExpected } = this.#options;
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      try {
        return await (local.owns(station) ? local : remote).ask(station, command);
      } catch (error) {
        // Anything else may have been carried out, and nothing may be carried out twice.
        if (!(error instanceof NotServedHere) || Date.now() >= end || !isExpected(station)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
