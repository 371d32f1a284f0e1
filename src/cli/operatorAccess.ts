/** Access to all users and boards on this machine, whether the service runs or not. */
import type { Config } from '../settings/config.js';
import { connectOperator } from '../operator/client.js';
import type { OperatorPort } from '../operator/operatorPort.js';
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import { CommandFailure, EX_FAILURE, EX_TEMPFAIL } from './outcome.js';

export interface OperatorAccess extends OperatorPort {
  readonly directory: DirectoryPort;
}

/**
 * Asks the running service, which is found by its socket for operators; if none runs, opens the files itself. Their locks
 * prevent both at the same time.
 */
export async function withOperator<T>(config: Config, work: (access: OperatorAccess) => Promise<T>): Promise<T> {
  const running = await connectOperator(config.dataDir);
  if (running !== null) {
    return work({
      directory: running,
      deleteUser: (id, heirId) => running.deleteUser(id, heirId),
      exportBoard: (id) => running.exportBoard(id),
      importBoard: (ownerId, document) => running.importBoard(ownerId, document),
    });
  }
  const offline = await open(config);
  try {
    return await work(offline);
  } finally {
    await offline.close();
  }
}

async function open(config: Config) {
  const { dataDir, replication } = config;
  if (replication !== 'off') {
    const advice = 'The data of a cluster can only be used through a running instance: start it first.';
    throw new CommandFailure(EX_TEMPFAIL, `No service on ${dataDir} answers. ${advice}`);
  }
  const { listDataFiles } = await import('../store/folder/dataFolder.js');
  if ((await listDataFiles(dataDir)).length === 0) throw new CommandFailure(EX_FAILURE, `There is no data in ${dataDir}. Is DATA_DIR right?`);
  const { startOffline } = await import('../offlineServices.js');
  try {
    return await startOffline(config);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    const message = `${error.message.replace(/\.$/, '')}. No running service answered either, so nothing was done.`;
    throw new CommandFailure(EX_TEMPFAIL, message, { cause: error });
  }
}
