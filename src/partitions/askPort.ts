import { AppError } from '../domain/errors.js';
import type { StationCommand, StationName } from './messages.js';

/** The way to a station, wherever it is. */
export interface Asking {
  ask(station: StationName, command: StationCommand): Promise<unknown>;
}

/** The station itself has not answered: nothing is known of its health, or of what is in it. */
export class Unreachable extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1 });
  }
}

/** Whoever was asked does not own the station. The command was not looked at, so it may be sent again. */
export class NotServedHere extends Unreachable {}

/** The command was sent and no answer came. Whether it was carried out, nobody can tell. */
export class OutcomeUnknown extends Unreachable {}

export function notServed(station: StationName): NotServedHere {
  return new NotServedHere(`The ${station} is being moved. Try again.`);
}

export function unanswered(station: StationName): OutcomeUnknown {
  return new OutcomeUnknown(`The ${station} did not answer. Try again.`);
}
