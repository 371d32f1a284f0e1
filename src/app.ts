/** Composition root: builds the whole service from its configuration and takes it down again. */
import type { Logger } from 'pino';
import { BoardsClient, ContentClient, ShardThreads } from './actors/boardsClient.js';
import { DirectoryClient } from './actors/directoryClient.js';
import type { Notice } from './actors/messages.js';
import { OutboxCourier } from './actors/outboxCourier.js';
import { PresenceClient } from './actors/presenceClient.js';
import { ProfileCourier } from './actors/profileCourier.js';
import { StoreThread, type StoreThreadOptions } from './actors/storeThread.js';
import { asyncApiDocument } from './api/asyncapi.js';
import { openApiDocument } from './api/openapi.js';
import { operations } from './api/table.js';
import { Callers } from './auth/callers.js';
import { createLoginLimiter } from './auth/loginLimiter.js';
import { createPasswords } from './auth/passwords.js';
import { createTokens } from './auth/tokens.js';
import type { Bus } from './bus/bus.js';
import { LocalBus } from './bus/localBus.js';
import type { Config } from './config.js';
import { startControl } from './control/server.js';
import { IdSource } from './domain/ids.js';
import { loadPages } from './http/pages.js';
import { HttpServer } from './http/server.js';
import { createLogger } from './logger.js';
import { Hub } from './realtime/hub.js';
import { SocketServer } from './realtime/sockets.js';
import { stationOpener } from './storeThread.js';
import { VERSION } from './version.js';

const FAILED_LOGINS = { limit: 10, windowSeconds: 60 } as const;

export interface App {
  /** Where it serves, with the real port. */
  readonly url: string;
  /** Everything that is told of boards and users. */
  readonly bus: Bus;
  /** Resolves when a part broke that only a new start can mend. */
  readonly broken: Promise<unknown>;
  close(): Promise<void>;
}

export async function startApp(config: Config, log: Logger = createLogger(config)): Promise<App> {
  /** Taken down in the reverse of the order in which it was built, also when building fails halfway. */
  const built: Array<() => unknown> = [];
  const closeAll = async (): Promise<void> => {
    for (let close = built.pop(); close !== undefined; close = built.pop()) await close();
  };
  try {
    const bus = new LocalBus();
    built.push(() => bus.close());
    const store = await startStore(config, bus, log, built);

    const tokens = createTokens({
      secret: config.jwtSecret,
      algorithm: config.jwtAlgorithm,
      lifetimeSeconds: config.jwtLifetimeSeconds,
      audience: config.jwtAudience,
    });
    const callers = new Callers(tokens, store.directory);
    bus.listenToUsers((user) => callers.forget(user.id));
    const passwords = createPasswords({
      onError: (error) => log.error({ err: error }, 'a password could not be checked'),
    });
    built.push(() => passwords.close());
    const control = await startControl({ dataDir: config.dataDir, directory: store.directory, log });
    built.push(() => control.close());

    const server = new HttpServer({
      host: config.host,
      port: config.port,
      operations,
      callers,
      pages: loadPages(),
      log,
      services: {
        config,
        directory: store.directory,
        boards: store.boards,
        content: store.content,
        presence: store.presence,
        passwords,
        tokens,
        loginLimiter: createLoginLimiter(FAILED_LOGINS),
        ids: new IdSource(),
        now: () => new Date(),
        pubsub: () => bus.status(),
        openApi: JSON.stringify(openApiDocument(VERSION)),
        asyncApi: JSON.stringify(asyncApiDocument(VERSION)),
      },
    });
    const hub = new Hub({
      app: server.app,
      bus,
      presence: store.presence,
      log,
      heartbeatIntervalMs: config.heartbeatIntervalSeconds * 1000,
      pongTimeoutMs: config.pongTimeoutSeconds * 1000,
      compress: config.wsCompression,
    });
    const sockets = new SocketServer({ hub, presence: store.presence, tokens, callers, config, log });
    sockets.attach(server.app);
    built.push(() => server.stop());
    built.push(() => sockets.stop());
    const port = await server.listen();

    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
    log.info({ url, environment: config.environment, dataDir: config.dataDir }, 'serving');
    return { url, bus, broken: store.broken, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Store {
  readonly directory: DirectoryClient;
  readonly boards: BoardsClient;
  readonly content: ContentClient;
  readonly presence: PresenceClient;
  readonly broken: Promise<unknown>;
}

/** The threads that own the data, and the couriers between directory and boards. */
async function startStore(config: Config, bus: Bus, log: Logger, built: Array<() => unknown>): Promise<Store> {
  let onLost: (error: unknown) => void = () => undefined;
  const broken = new Promise<unknown>((resolve) => {
    onLost = resolve;
  });
  const onNotice = (notice: Notice): void => {
    switch (notice.kind) {
      case 'user.changed':
        bus.tellUser(notice.user);
        profiles.wake();
        return;
      case 'board.events':
        return bus.tellBoard(notice.board_id, { kind: 'events', events: notice.events });
      case 'board.left':
        return bus.tellBoard(notice.board_id, { kind: 'left', user_ids: notice.user_ids });
      case 'board.gone':
        return bus.tellBoard(notice.board_id, { kind: 'gone' });
      case 'board.presence': {
        const { board_id, connection_id, message } = notice;
        return bus.tellBoard(board_id, { kind: 'presence', connection_id, message });
      }
      case 'outbox':
        return memberships.take(notice);
    }
  };
  const start = (): StoreThread => {
    const thread = startThread(config, { log, onNotice, onLost });
    built.push(() => thread.close());
    return thread;
  };
  // The directory has a thread of its own: a search through all users must not hold up a board.
  const directoryThread = start();
  const directory = new DirectoryClient(directoryThread);
  const shards = new ShardThreads(Array.from({ length: Math.max(1, config.shardThreads) }, start), config.shards);
  const memberships = new OutboxCourier({
    directory,
    confirm: (shard, command) => shards.ask(shard, command),
    log,
  });
  built.push(() => memberships.stop());
  const boards = new BoardsClient(shards, memberships);
  const profiles = new ProfileCourier({ directory, boards, log });
  built.push(() => profiles.stop());

  await directoryThread.open('directory');
  await shards.open();
  profiles.wake();
  return {
    directory,
    boards,
    content: new ContentClient(shards),
    presence: new PresenceClient(shards, log),
    broken,
  };
}

function startThread(config: Config, options: StoreThreadOptions): StoreThread {
  return config.shardThreads === 0
    ? StoreThread.inline(stationOpener(config), options)
    : StoreThread.start(new URL('./storeThread.js', import.meta.url), config, options);
}
