import type { AuditEntry } from '../../domain/audit.js';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation, DirectoryPort } from '../../domain/commands/directoryCommands.js';
import type { AskPort } from '../askPort.js';

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
