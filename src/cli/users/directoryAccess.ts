/** Access to the users, whether the service runs or not. */
import type { Config } from '../../settings/config.js';
import { connectOperator } from '../../operator/client.js';
import type { AuditEntry } from '../../domain/audit.js';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation, DirectoryPort } from '../../domain/commands/directoryCommands.js';
import { AppError } from '../../domain/errors.js';
import type { Outcome } from '../../partitions/messages.js';
import type { Partition, PartitionHost } from '../../partitions/runtime/partition.js';
import { CommandFailure, EX_FAILURE, EX_TEMPFAIL } from '../outcome.js';

/**
 * Asks the running service, so that it sees the change at once; if none runs, opens the file itself. The file's lock
 * prevents both at the same time.
 */
export async function withDirectory<T>(config: Config, work: (directory: DirectoryPort) => Promise<T>): Promise<T> {
  const running = await connectOperator(config.dataDir);
  if (running !== null) return work(running);
  const opened = await OpenedDirectory.open(config);
  try {
    return await work(opened);
  } finally {
    opened.close();
  }
}

class OpenedDirectory implements DirectoryPort {
  readonly #partition: Partition;
  /**
   * The cause of a failure that is not the command's own. The service would log it; the command shows it to the
   * operator.
   */
  #trouble: unknown;

  private constructor(open: (host: PartitionHost) => Partition) {
    this.#partition = open({
      onError: (error) => (this.#trouble = error),
      // No running service has a cache or a socket to tell. The next one finds undelivered profiles in the outbox.
      publish: () => undefined,
      later: setImmediate,
      endTurn: () => undefined,
      deposed: () => undefined,
      isTurnOver: () => false,
    });
  }

  static async open({ dataDir, durability, replication }: Config): Promise<OpenedDirectory> {
    if (replication !== 'off') {
      const advice = 'The users of a cluster can only be read and changed through a running instance: start it first.';
      throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers. ${advice}`);
    }
    const { prepareFolder } = await import('../../store/folder/prepareFolder.js');
    const { openDirectory } = await import('../../store/directory/directory.js');
    const { openDirectoryPartition } = await import('../../partitions/runtime/directoryPartition.js');
    const { id: folder } = await prepareFolder({ dataDir, shards: null });
    try {
      return new OpenedDirectory((host) => {
        const store = openDirectory({ dataDir, durability, folder, onError: host.onError });
        return openDirectoryPartition({ store, onDeposed: () => store.close() }, host);
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      const message = `${error.message.replace(/\.$/, '')}. No running service answered either, so nothing was done.`;
      throw new CommandFailure(EX_TEMPFAIL, message, { cause: error });
    }
  }

  async ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
    audit?: AuditEntry,
  ): Promise<DirectoryCommands[Op]['output']> {
    this.#trouble = undefined;
    // A pair of operation and input is a command, but TypeScript cannot derive that for a generic operation.
    const command = { op, input, ...(audit === undefined ? {} : { audit }) } as DirectoryCommand;
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#partition.take([{ id: 0, partition: 'directory', command }], ({ replies: [reply] }) => reply && resolve(reply.outcome));
    });
    if (outcome.ok) return outcome.value as DirectoryCommands[Op]['output'];
    if (this.#trouble === undefined) throw AppError.from(outcome.error);
    const message = `${outcome.error.detail} (${String(this.#trouble)})`;
    throw new CommandFailure(EX_FAILURE, message, { cause: this.#trouble });
  }

  close(): void {
    this.#partition.close(() => undefined);
  }
}
