/** A directory on a file, run as the service runs it, whose commands are carried out at once. */
import type { DirectoryCommand } from '../../../src/domain/commands/directoryCommands.js';
import type { DirectoryAnswer } from '../../../src/domain/directory/handler.js';
import type { DirectoryCommit } from '../../../src/domain/directory/tables.js';
import type { Outcome } from '../../../src/partitions/messages.js';
import { openDirectoryPartition, type DirectoryStore } from '../../../src/partitions/runtime/directoryPartition.js';
import type { DeposablePartition } from '../../../src/partitions/runtime/partition.js';
import { openDirectory, type Directory, type DirectoryOptions } from '../../../src/store/directory/directory.js';
import type { DirectoryOutcome } from './memoryDirectory.js';

export class RunningDirectory {
  readonly #directory: Directory;
  readonly #partition: DeposablePartition;
  /** With what is published when the command is stored, which a reply has not. */
  readonly #answers = new Map<unknown, DirectoryAnswer<unknown>>();

  constructor(options: DirectoryOptions) {
    const directory = openDirectory(options);
    const store: DirectoryStore = {
      get written() {
        return directory.written;
      },
      attempt: (decide, command) => {
        const answer = directory.attempt(decide, command);
        this.#answers.set(command, answer as DirectoryAnswer<unknown>);
        return answer;
      },
      begin: () => directory.begin(),
      commitTogether: (settled) => directory.commitTogether(settled),
      confirm: (settled) => directory.confirm(settled),
      rollback: () => directory.rollback(),
      probe: () => directory.probe(),
      close: () => directory.close(),
    };
    this.#directory = directory;
    this.#partition = openDirectoryPartition(
      { store, onDeposed: () => undefined, monotonic: () => 0 },
      {
        onError: options.onError,
        publish: () => undefined,
        later: (step) => step(),
        endTurn: () => undefined,
        deposed: () => undefined,
        isTurnOver: () => false,
      },
    );
  }

  get number(): number {
    return this.#directory.number;
  }

  /** As one batch. */
  runNow(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    const outcomes: Outcome[] = [];
    const asks = commands.map((command, id) => ({ id, partition: 'directory', command: { ...command } }) as const);
    this.#partition.take(asks, ({ replies }) => replies.forEach(({ id, outcome }) => (outcomes[id] = outcome)));
    const found = asks.map(({ id, command }): DirectoryOutcome => {
      const [outcome, answer] = [outcomes[id], this.#answers.get(command)];
      if (outcome === undefined) throw new Error('not all commands were settled at once');
      if (!outcome.ok) return outcome;
      if (answer === undefined) throw new Error('a command was answered and not decided');
      return { ok: true, ...answer };
    });
    this.#answers.clear();
    return found;
  }

  apply(commit: DirectoryCommit): void {
    this.#directory.apply(commit);
  }

  writeFor(schema: number): void {
    this.#directory.writeFor(schema);
  }

  probe(): void {
    this.#partition.probe();
  }

  close(): void {
    this.#partition.close(() => undefined);
  }
}
