import type { AskPort } from './askPort.js';
import type { BoardReply, OutboxKind, PartitionCommand, PartitionName } from './messages.js';

/** The entries that an answer waits for. */
export interface AwaitedEntries {
  readonly kind: OutboxKind;
  readonly source: PartitionName;
  readonly target: string;
  /** The last of them; without it all that the target has not got yet. */
  readonly upTo?: number;
}

export interface Deliveries {
  /** Resolves when the target has the entries, or after a deadline: the change itself has not failed. */
  delivered(awaited: AwaitedEntries): Promise<void>;
}

/**
 * Delays an answer that changed memberships until the directory has them, and an answer that changed a profile until
 * the boards have it. So the next list of boards, on any instance, shows the change.
 */
export class AnswerAfterDelivery implements AskPort {
  readonly #partitions: AskPort;
  readonly #deliveries: Deliveries;

  constructor(partitions: AskPort, deliveries: Deliveries) {
    this.#partitions = partitions;
    this.#deliveries = deliveries;
  }

  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    const answer = this.#partitions.ask(partition, command);
    if ('op' in command) {
      if (command.op !== 'user.update') return answer;
      const awaited: AwaitedEntries = { kind: 'profile', source: partition, target: command.input.id };
      return answer.then((user) => this.#deliveries.delivered(awaited).then(() => user));
    }
    if (partition === 'directory' || (command.kind !== 'board' && command.kind !== 'import')) return answer;
    return answer.then((reply) => {
      const { outboxId } = reply as BoardReply;
      if (outboxId === undefined) return reply;
      const awaited: AwaitedEntries = { kind: 'membership', source: partition, target: 'directory', upTo: outboxId };
      return this.#deliveries.delivered(awaited).then(() => reply);
    });
  }
}
