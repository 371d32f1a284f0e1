import { AppError } from '../domain/errors.js';
import type { PartitionCommand, PartitionName } from './messages.js';

/** The way to a partition, wherever it is. */
export interface AskPort {
  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown>;
}

/** The partition itself has not answered: nothing is known of its health, or of what is in it. */
export class Unreachable extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1 });
  }
}

/** The process that was asked does not own the partition, or could not do this yet. Nothing was done: it may be sent again. */
export class NotServedHere extends Unreachable {}

/** The command was sent and no answer came. Whether it was carried out, nobody can tell. */
export class OutcomeUnknown extends Unreachable {}

export function notServed(partition: PartitionName): NotServedHere {
  return new NotServedHere(`The ${partition} is being moved. Try again.`);
}

export function unanswered(partition: PartitionName): OutcomeUnknown {
  return new OutcomeUnknown(`The ${partition} did not answer. Try again.`);
}
