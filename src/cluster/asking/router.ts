/**
 * Sends an ask to the owner of the partition, in this process or over the network, and waits while a partition moves.
 */
import type { Answer } from '../../domain/answer.js';
import { NotServedHere, notServed, OutcomeUnknown, type AskPort } from '../../partitions/askPort.js';
import type { PartitionCommand, PartitionName } from '../../partitions/messages.js';
import type { Whereabouts } from '../../partitions/ownership.js';
import { isRepeatable, isSpent } from '../../partitions/repeatable.js';

/** Longer than a move, and than the replacement of a killed owner. */
export const PATIENCE_MS = 3_000;
const RETRY_MS = 40;

export interface ClusterRouterOptions {
  readonly local: AskPort;
  readonly remote: AskPort;
  readonly locate: (partition: PartitionName) => Whereabouts;
  readonly patienceMs?: number | undefined;
}

export class ClusterRouter implements AskPort {
  readonly #options: ClusterRouterOptions;

  constructor(options: ClusterRouterOptions) {
    this.#options = options;
  }

  ask(partition: PartitionName, command: PartitionCommand): Answer<unknown> {
    const answer = this.#askOnce(partition, command);
    return answer instanceof Promise ? this.#askAgain(partition, command, answer) : answer;
  }

  async #askAgain(partition: PartitionName, command: PartitionCommand, first: Promise<unknown>): Promise<unknown> {
    const { locate, patienceMs = PATIENCE_MS } = this.#options;
    const end = performance.now() + patienceMs;
    for (let answer: Answer<unknown> = first; ; answer = this.#askOnce(partition, command)) {
      try {
        return await answer;
      } catch (error) {
        const mayAskAgain = error instanceof NotServedHere || (error instanceof OutcomeUnknown && isRepeatable(command));
        if (!mayAskAgain || isSpent(command) || performance.now() >= end || locate(partition) === 'out of reach') throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Nothing is sent to a partition without a known owner: a frozen owner would find the command when it resumes. */
  #askOnce(partition: PartitionName, command: PartitionCommand): Answer<unknown> {
    const { local, remote, locate } = this.#options;
    switch (locate(partition)) {
      case 'here':
        return local.ask(partition, command);
      case 'elsewhere':
        return remote.ask(partition, command);
      case 'moving':
      case 'out of reach':
        return Promise.reject(notServed(partition));
    }
  }
}
