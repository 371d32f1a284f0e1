import type { Uuid } from '../domain/ids.js';
import type { AskPort } from './askPort.js';
import type { BoardReply, ShardName, PartitionCommand, PartitionName } from './messages.js';

export interface Deliveries {
  /** Resolves when the changed profile is on all boards of the user, or the boards cannot be reached for now. */
  profileTold(userId: Uuid): Promise<void>;
  /** Resolves when the directory has the change, or cannot be reached for now. */
  delivered(shard: ShardName, outboxId: number): Promise<void>;
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
