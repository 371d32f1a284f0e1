import { AppError } from '../domain/errors.js';
import type { StationCommand, StationName } from './messages.js';

/** The way to a station, wherever it is. */
export interface Asking {
  ask(station: StationName, command: StationCommand): Promise<unknown>;
}

/** Whoever was asked does not own the station. The command was not looked at, so it may be sent again. */
export class NotServedHere extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1 });
  }
}

export function notServed(station: StationName): NotServedHere {
  return new NotServedHere(`The ${station} is being moved. Try again.`);
}
