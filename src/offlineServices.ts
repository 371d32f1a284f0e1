/** Composition root of a command that works on the data of a stopped service. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { operatorServices } from './api/operatorServices.js';
import { LocalBus } from './bus/localBus.js';
import type { Config } from './settings/config.js';
import type { OperatorPort } from './operator/operatorPort.js';
import { startDataServices } from './dataServices.js';
import { DocumentThreadClient } from './documents/documentThreadClient.js';
import type { DirectoryPort } from './domain/commands/directoryCommands.js';
import { IdSource } from './domain/ids.js';
import { boardLimits } from './shard/boardLimits.js';
import { shardsOfCommand } from './replication/shardCount.js';
import { prepareFolder } from './store/folder/prepareFolder.js';
import { ThisInstance } from './thisInstance.js';

export interface OfflineServices extends OperatorPort {
  readonly directory: DirectoryPort;
  /** Also what was not delivered before is delivered while it is open. */
  close(): Promise<void>;
}

/** Refused with `unavailable` if another process uses the folder. */
export async function startOffline(settings: Config): Promise<OfflineServices> {
  // In this thread: the command has nothing else to do.
  const shards = await shardsOfCommand(settings);
  const config = { ...settings, shards, shardThreads: 0 };
  const { dataDir } = config;
  const folder = await prepareFolder({ dataDir, shards });
  const log = pino({ level: 'error' }, pino.destination({ fd: process.stderr.fd, sync: true }));
  const instance = new ThisInstance(randomBytes(6).toString('hex'));
  const built: Array<() => unknown> = [];
  const close = async (): Promise<void> => {
    for (let end = built.pop(); end !== undefined; end = built.pop()) await end();
  };
  try {
    const bus = new LocalBus();
    built.push(() => bus.close());
    const data = await startDataServices({
      config,
      folder: folder.id,
      bus,
      peers: null,
      log,
      describe: () => instance.describe(),
      room: { hasRoom: () => true, room: async () => undefined },
      replication: null,
      built,
    });
    const documents = new DocumentThreadClient({
      limits: boardLimits(config),
      imports: config,
      onError: (error) => log.error({ err: error }, 'a document could not be read'),
    });
    built.push(() => documents.close());
    const { directory, boards, imports, content, trashedBoards } = data;
    const report = (failure: unknown, message: string): void => log.error({ err: failure }, message);
    const parts = {
      config,
      directory,
      boards,
      imports,
      content,
      trashedBoards,
      documents,
      ids: new IdSource(),
      now: () => new Date(),
      report,
      writeToFile: () => undefined,
    };
    return { directory, ...operatorServices(parts), close };
  } catch (error) {
    await close();
    throw error;
  }
}
