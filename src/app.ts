/** Composition root: builds the whole service from its configuration and takes it down again. */
import type { Logger } from 'pino';
import { DirectoryClient } from './actors/directoryClient.js';
import { StoreThread, type StoreThreadOptions } from './actors/storeThread.js';
import { openApiDocument } from './api/openapi.js';
import type { Services } from './api/operation.js';
import { operations } from './api/table.js';
import { Callers } from './auth/callers.js';
import { createLoginLimiter } from './auth/loginLimiter.js';
import { createPasswords } from './auth/passwords.js';
import { createTokens } from './auth/tokens.js';
import type { Config } from './config.js';
import { startControl } from './control/server.js';
import { IdSource } from './domain/ids.js';
import { loadPages } from './http/pages.js';
import { HttpServer } from './http/server.js';
import { createLogger } from './logger.js';
import { stationOpener, type StoreThreadData } from './storeThread.js';
import { VERSION } from './version.js';

const FAILED_LOGINS = { limit: 10, windowSeconds: 60 } as const;

export interface App {
  /** Where it serves, with the real port. */
  readonly url: string;
  /** Resolves when a part broke that only a new start can mend. */
  readonly broken: Promise<unknown>;
  close(): Promise<void>;
}

export async function startApp(config: Config, log: Logger = createLogger(config)): Promise<App> {
  /** Taken down in the reverse of the order in which it was built, also when building fails halfway. */
  const built: Array<() => Promise<unknown>> = [];
  const closeAll = async (): Promise<void> => {
    for (let close = built.pop(); close !== undefined; close = built.pop()) await close();
  };
  try {
    let breakDown: (error: unknown) => void = () => undefined;
    const broken = new Promise<unknown>((resolve) => {
      breakDown = resolve;
    });

    let callers: Callers | null = null;
    const directoryThread = startStoreThread(config, {
      log,
      onNotice: ({ user }) => callers?.forget(user.id),
      onLost: breakDown,
    });
    built.push(() => directoryThread.close());
    await directoryThread.open('directory');
    const directory = new DirectoryClient(directoryThread);

    const passwords = createPasswords({ onError: (error) => log.error({ err: error }, 'a password could not be checked') });
    built.push(() => passwords.close());
    const tokens = createTokens({
      secret: config.jwtSecret,
      algorithm: config.jwtAlgorithm,
      lifetimeSeconds: config.jwtLifetimeSeconds,
      audience: config.jwtAudience,
    });
    callers = new Callers(tokens, directory);

    const services: Services = {
      config,
      directory,
      passwords,
      tokens,
      loginLimiter: createLoginLimiter(FAILED_LOGINS),
      ids: new IdSource(),
      now: () => new Date(),
      pubsub: () => 'embedded',
      openApi: JSON.stringify(openApiDocument(VERSION)),
    };
    const control = await startControl({ dataDir: config.dataDir, directory, log });
    built.push(() => control.close());
    const server = new HttpServer({
      host: config.host,
      port: config.port,
      operations,
      services,
      callers,
      pages: loadPages(),
      log,
    });
    const port = await server.listen();
    built.push(() => server.stop());

    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    log.info({ url, environment: config.environment, dataDir: config.dataDir }, 'serving');
    return { url, broken, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function startStoreThread(config: Config, options: StoreThreadOptions): StoreThread {
  const data: StoreThreadData = { dataDir: config.dataDir, durability: config.durability };
  return config.shardThreads === 0
    ? StoreThread.inline(stationOpener(data), options)
    : StoreThread.start(new URL('./storeThread.js', import.meta.url), data, options);
}
