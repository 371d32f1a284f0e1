import type { DirectoryCommand, DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/commands/directoryCommands.js';
import type { AskPort } from './askPort.js';

/** The directory as seen from whoever serves requests. */
export class DirectoryClient implements DirectoryPort {
  readonly #partitions: AskPort;

  constructor(partitions: AskPort) {
    this.#partitions = partitions;
  }

  ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
  ): Promise<DirectoryCommands[Op]['output']> {
    // The pair of an operation and its input is a command, which the union of all commands cannot be told.
    const command = { op, input } as unknown as DirectoryCommand;
    return this.#partitions.ask('directory', command) as Promise<DirectoryCommands[Op]['output']>;
  }
}
