import type { Uuid } from '../domain/ids.js';
import type { AskPort } from './askPort.js';
import type { BoardReply, ShardName, PartitionCommand, PartitionName } from './messages.js';

export interface Deliveries {
  /** Resolves when the user's boards have heard of the changed profile, or cannot be reached for now. */
  profileTold(userId: Uuid): Promise<void>;
  /** Resolves when the directory has heard it, or cannot be reached for now. */
  delivered(shard: ShardName, outboxId: number): Promise<void>;
}

/**
 * The local partitions. An answer that changed memberships waits until the directory has them. So whoever was answered, on
 * whichever instance, finds the change in the list of boards, and the new profile on every board.
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
      const { id } = command.input;
      return answer.then((user) => this.#deliveries.profileTold(id).then(() => user));
    }
    if (partition === 'directory' || (command.kind !== 'board' && command.kind !== 'import')) return answer;
    return answer.then((reply) => {
      const { outboxId } = reply as BoardReply;
      return outboxId === undefined ? reply : this.#deliveries.delivered(partition, outboxId).then(() => reply);
    });
  }
}
