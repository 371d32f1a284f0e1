import type { DirectoryCommand, DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/directoryCommands.js';
import type { StoreThread } from './storeThread.js';

/** The directory as seen from the I/O thread. */
export class DirectoryClient implements DirectoryPort {
  readonly #thread: StoreThread;

  constructor(thread: StoreThread) {
    this.#thread = thread;
  }

  ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
  ): Promise<DirectoryCommands[Op]['output']> {
    // The pair of an operation and its input is a command, which the union of all commands cannot be told.
    const command = { op, input } as unknown as DirectoryCommand;
    return this.#thread.ask('directory', command) as Promise<DirectoryCommands[Op]['output']>;
  }
}
