import { AppError } from '../domain/errors.js';
import type { Outcome, PartitionCommand, PartitionName } from './messages.js';

/** The way to a partition, in this process or in another. */
export interface AskPort {
  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown>;
}

/** The partition has not answered: its health and its contents are unknown. */
export class Unreachable extends AppError {
  constructor(detail: string) {
    super('unavailable', detail, { retryAfter: 1 });
  }
}

/** The process that was asked does not own the partition, or could not do this yet. Nothing was done: it may be sent again. */
export class NotServedHere extends Unreachable {}

/** The command was sent and no answer came. It may or may not have been carried out. */
export class OutcomeUnknown extends Unreachable {}

/** The error of a refusal. */
export function errorOf({ error, notHere, isUnknown }: Outcome & { readonly ok: false }): AppError {
  if (notHere === true) return new NotServedHere(error.detail);
  return isUnknown === true ? new OutcomeUnknown(error.detail) : AppError.from(error);
}

export function notServed(partition: PartitionName): NotServedHere {
  return new NotServedHere(`The ${partition} is being moved. Try again.`);
}

export function unanswered(partition: PartitionName): OutcomeUnknown {
  return new OutcomeUnknown(`The ${partition} did not answer. Try again.`);
}
