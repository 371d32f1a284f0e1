/**
 * The way to a partition: to its thread if it is owned here, else to the instance that owns it. Waits while a partition
 * moves, and until others have what an answer promises.
 */
import type { AuditEntry } from '../domain/audit.js';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/commands/directoryCommands.js';
import type { Answer } from '../domain/answer.js';
import type { Uuid } from '../domain/ids.js';
import type { FoundAnswer } from '../domain/ports/boardsPort.js';
import { NotServedHere, notServed, OutcomeUnknown, type AskPort } from './askPort.js';
import { ELECTION_MS, withDeadline } from './deadline.js';
import type { BoardReply, OutboxKind, PartitionCommand, PartitionName, ShardCommand } from './messages.js';
import type { Whereabouts } from './ownership.js';
import { isRepeatable, isSpent } from './repeatable.js';

/** Longer than a move, and than the replacement of a killed owner. */
export const PATIENCE_MS = 3_000;
const RETRY_MS = 40;

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

/** The other instances. */
export interface PeerPartitions extends AskPort {
  readonly locate: (partition: PartitionName) => Whereabouts;
  readonly patienceMs?: number | undefined;
}

/** Holds the answers of the directory back until other instances have forgotten what these change. */
export interface AnswerGate {
  pass(command: DirectoryCommand, value: unknown): Answer<unknown>;
}

export interface PartitionsOptions {
  /** The thread of a partition that is owned here; null of any other. */
  readonly local: { threadOf(partition: PartitionName): AskPort | null };
  readonly deliveries: Deliveries;
  /** Whether a log may have to elect a leader before it answers. */
  readonly isReplicated: boolean;
  /** Null for a single process. */
  readonly peers: PeerPartitions | null;
  /** Null if no other instance uses what it remembers. */
  readonly gate: AnswerGate | null;
}

export class Partitions implements AskPort {
  readonly #options: PartitionsOptions;

  constructor(options: PartitionsOptions) {
    this.#options = options;
  }

  ask(partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    const { peers } = this.#options;
    if (peers === null) return this.askHere(partition, command);
    const end = performance.now() + (peers.patienceMs ?? PATIENCE_MS);
    return this.#askOwner(peers, partition, command).catch((error: unknown) => this.#askAgain(peers, partition, command, { end, error }));
  }

  /** Only if the partition is owned here: for asks of other instances, which find the owner themselves. */
  askHere(partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    const thread = this.#options.local.threadOf(partition);
    if (thread === null) return Promise.reject(notServed(partition));
    const isBounded = this.#options.isReplicated && !isImport(command);
    const ask = (): Promise<unknown> => (isBounded ? withDeadline(thread.ask(partition, command), ELECTION_MS) : thread.ask(partition, command));
    const awaited = awaitedBefore(partition, command);
    const answer = awaited === null ? ask() : this.#options.deliveries.delivered(awaited).then(ask);
    if ('op' in command) return this.#afterDirectory(command, answer);
    const entryIn = ENTRY_IN[command.kind];
    if (entryIn === undefined) return answer;
    return answer.then((reply) => {
      const upTo = entryIn(reply);
      return upTo === null ? reply : this.#afterDelivery({ kind: 'membership', source: partition, target: 'directory', upTo }, reply);
    });
  }

  /** The next list of boards, on any instance, shows the change. */
  async #afterDelivery(awaited: AwaitedEntries, value: unknown): Promise<unknown> {
    await this.#options.deliveries.delivered(awaited);
    return value;
  }

  #afterDirectory(command: DirectoryCommand, answer: Promise<unknown>): Promise<unknown> {
    const { gate } = this.#options;
    const profile = changedProfile(command);
    const delivered =
      profile === null ? answer : answer.then((value) => this.#afterDelivery({ kind: 'profile', source: 'directory', target: profile }, value));
    return gate === null ? delivered : delivered.then((value) => gate.pass(command, value));
  }

  /** Nothing is sent to a partition without a known owner: a frozen owner would find the command when it resumes. */
  #askOwner(peers: PeerPartitions, partition: PartitionName, command: PartitionCommand): Promise<unknown> {
    switch (peers.locate(partition)) {
      case 'here':
        return this.askHere(partition, command);
      case 'elsewhere':
        return peers.ask(partition, command);
      case 'moving':
      case 'out of reach':
        return Promise.reject(notServed(partition));
    }
  }

  async #askAgain(
    peers: PeerPartitions,
    partition: PartitionName,
    command: PartitionCommand,
    first: { end: number; error: unknown },
  ): Promise<unknown> {
    for (let { error } = first; ;) {
      const mayAskAgain = error instanceof NotServedHere || (error instanceof OutcomeUnknown && isRepeatable(command));
      if (!mayAskAgain || isSpent(command) || performance.now() >= first.end || peers.locate(partition) === 'out of reach') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      try {
        return await this.#askOwner(peers, partition, command);
      } catch (next) {
        error = next;
      }
    }
  }
}

/** The answer to how far a card is on its way comes when it has arrived, if it does so soon. */
function awaitedBefore(source: PartitionName, command: PartitionCommand): AwaitedEntries | null {
  if ('op' in command || command.kind !== 'board') return null;
  const { op, input } = command.command;
  const target = op === 'move.state' && 'awaited' in input ? input.awaited : null;
  return target === null ? null : { kind: 'cardMove', source, target };
}

function isImport(command: PartitionCommand): boolean {
  return 'kind' in command && command.kind === 'import';
}

/** The user whose profile the command changes. */
function changedProfile(command: DirectoryCommand): Uuid | null {
  const change = command.op === 'once' ? command.input.command : command;
  return change.op === 'user.update' || change.op === 'user.delete' ? change.input.id : null;
}

const entryInReply = (reply: unknown): number | null => (reply as BoardReply).outboxId ?? null;

/** The answers that may have to wait until the directory has their memberships, and the entry that each waits for. */
const ENTRY_IN: Readonly<Partial<Record<ShardCommand['kind'], (reply: unknown) => number | null>>> = {
  board: entryInReply,
  keyed: entryInReply,
  import: entryInReply,
  'board.discard': entryInReply,
  'answer.find': (found) => (found as FoundAnswer).kept?.outboxId ?? null,
};

/** Typed client for the directory, used where requests are served. */
export class DirectoryClient implements DirectoryPort {
  readonly #partitions: AskPort;

  constructor(partitions: AskPort) {
    this.#partitions = partitions;
  }

  ask<Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input'], audit?: AuditEntry): Promise<DirectoryCommands[Op]['output']> {
    // A pair of operation and input is a command, but TypeScript cannot derive that from the union.
    const command = { op, input, ...(audit === undefined ? {} : { audit }) } as unknown as DirectoryCommand;
    return this.#partitions.ask('directory', command) as Promise<DirectoryCommands[Op]['output']>;
  }
}
