/** The users, whether the service runs or not. */
import type { Config } from '../config.js';
import { connectControl } from '../control/client.js';
import type {
  DirectoryCommand,
  DirectoryCommands,
  DirectoryOperation,
  DirectoryPort,
} from '../domain/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import { openDirectory, type Directory } from '../store/directory.js';
import { CommandFailure, EX_TEMPFAIL } from './outcome.js';

/**
 * Asks the running service, so that it sees the change at once; with none running, opens the file itself. The file's
 * lock keeps the two from ever happening together.
 */
export async function withDirectory<T>(config: Config, work: (directory: DirectoryPort) => Promise<T>): Promise<T> {
  const running = await connectControl(config.dataDir);
  if (running) {
    try {
      return await work(running);
    } finally {
      running.close();
    }
  }
  const directory = open(config);
  try {
    return await work(new OpenedDirectory(directory));
  } finally {
    directory.close();
  }
}

function open({ dataDir, durability }: Config): Directory {
  try {
    // Each refusal reaches the operator through the outcome; there is no log beside it.
    return openDirectory({ dataDir, durability, onError: () => undefined });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    const message = `${error.message}. No running service could be asked instead; nothing was done.`;
    throw new CommandFailure(EX_TEMPFAIL, message, { cause: error });
  }
}

class OpenedDirectory implements DirectoryPort {
  readonly #directory: Directory;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  async ask<Op extends DirectoryOperation>(
    op: Op,
    input: DirectoryCommands[Op]['input'],
  ): Promise<DirectoryCommands[Op]['output']> {
    // An operation and its own input are a command, which inference cannot see for an operation not yet known.
    const [outcome] = this.#directory.run([{ op, input } as DirectoryCommand]);
    if (!outcome) throw new Error(`${op} has no outcome`);
    if (!outcome.ok) throw AppError.from(outcome.error);
    return outcome.value;
  }
}
