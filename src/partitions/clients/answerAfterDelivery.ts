import type { Answer } from '../../domain/answer.js';
import type { DirectoryCommand } from '../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../domain/ids.js';
import type { FoundAnswer } from '../../domain/ports/boardsPort.js';
import type { AskPort } from '../askPort.js';
import type { BoardReply, OutboxKind, PartitionCommand, PartitionName, ShardCommand } from '../messages.js';

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

  ask(partition: PartitionName, command: PartitionCommand): Answer<unknown> {
    const profile = 'op' in command ? changedProfile(command) : null;
    const answer = this.#partitions.ask(partition, command);
    // From a cache: only reads are.
    if (!(answer instanceof Promise)) return answer;
    if (profile !== null) {
      const awaited: AwaitedEntries = { kind: 'profile', source: partition, target: profile };
      return answer.then((value) => this.#deliveries.delivered(awaited).then(() => value));
    }
    const entryIn = 'kind' in command ? ENTRY_IN[command.kind] : undefined;
    if (partition === 'directory' || entryIn === undefined) return answer;
    return answer.then((reply) => {
      const upTo = entryIn(reply);
      if (upTo === null) return reply;
      const awaited: AwaitedEntries = { kind: 'membership', source: partition, target: 'directory', upTo };
      return this.#deliveries.delivered(awaited).then(() => reply);
    });
  }
}

/** The user whose profile the command changes. */
function changedProfile(command: DirectoryCommand): Uuid | null {
  const change = command.op === 'once' ? command.input.command : command;
  return change.op === 'user.update' || change.op === 'user.delete' ? change.input.id : null;
}

const entryInReply = (reply: unknown): number | null => (reply as BoardReply).outboxId ?? null;

/** The answers that may have to wait, and the entry that each waits for. */
const ENTRY_IN: Readonly<Partial<Record<ShardCommand['kind'], (reply: unknown) => number | null>>> = {
  board: entryInReply,
  keyed: entryInReply,
  import: entryInReply,
  'answer.find': (found) => (found as FoundAnswer).kept?.outboxId ?? null,
};
