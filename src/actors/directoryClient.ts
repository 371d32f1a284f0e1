import type { DirectoryCommands, DirectoryOperation, DirectoryPort } from '../domain/directoryCommands.js';
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
    return this.#thread.ask('directory', { op, input }) as Promise<DirectoryCommands[Op]['output']>;
  }
}
