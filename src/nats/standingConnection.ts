/** A connection to one of several NATS servers that is replaced whenever it is lost. */
import { connect, type NatsConnection } from 'nats';
import { natsOptions } from './natsOptions.js';
import { NatsServers } from './natsServers.js';

/** Minimum; the maximum is twice this, at random, so that instances do not all reconnect at the same time. */
const RECONNECT_MS = 250;

export interface StandingConnectionOptions {
  /** Of the servers; at least one. */
  readonly urls: readonly string[];
  /** Shown in the server's list of connections. */
  readonly name: string;
  readonly onUp: (connection: NatsConnection) => void;
  /** Called when a connection is lost. */
  readonly onDown: (connection: NatsConnection) => void;
  /** Called for each attempt that failed. */
  readonly onFailure: (error: unknown) => void;
  /** Gets errors of closing a lost connection, which is no longer needed. */
  readonly onDiscard: (error: unknown) => void;
}

export class StandingConnection {
  readonly #options: StandingConnectionOptions;
  #current: NatsConnection | null = null;
  #isClosed = false;

  constructor(options: StandingConnectionOptions) {
    this.#options = options;
    void this.#stayConnected();
  }

  get current(): NatsConnection | null {
    return this.#current;
  }

  /** No further connection is made. The caller may still use and close the one that it returns. */
  abandon(): NatsConnection | null {
    this.#isClosed = true;
    return this.#current;
  }

  /** Not awaited: closing may take until a frozen server reads again. */
  discard(connection: NatsConnection): void {
    connection.close().catch(this.#options.onDiscard);
  }

  /**
   * Opens a new connection each time. The client's own reconnect keeps an attempt that a frozen server left unanswered;
   * that attempt succeeds later, beside the next one, and each message then arrives twice.
   */
  async #stayConnected(): Promise<void> {
    const { urls, name, onUp, onDown, onFailure } = this.#options;
    const servers = new NatsServers(urls);
    while (!this.#isClosed) {
      try {
        const url = servers.next();
        const connection = await connect(natsOptions(url, name));
        if (this.#isOver()) return this.discard(connection);
        servers.learn(url, connection.info?.connect_urls ?? []);
        this.#current = connection;
        onUp(connection);
        await untilGone(connection, (hosts) => servers.learn(url, hosts));
        if (this.#isOver()) return;
        this.#current = null;
        onDown(connection);
        this.discard(connection);
      } catch (error) {
        onFailure(error);
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS * (1 + Math.random())).unref());
    }
  }

  /** A method, because the field changes during an await and TypeScript would narrow it. */
  #isOver(): boolean {
    return this.#isClosed;
  }
}

/**
 * Resolves when the connection is closed or stale. The client closes a stale connection itself, but waits for the
 * server.
 */
async function untilGone(connection: NatsConnection, learn: (hosts: readonly string[]) => void): Promise<void> {
  const untilStale = async (): Promise<void> => {
    for await (const { type, data } of connection.status()) {
      if (type === 'staleConnection') return;
      if (type === 'update' && typeof data === 'object' && 'added' in data) learn(data.added ?? []);
    }
  };
  await Promise.race([connection.closed(), untilStale()]);
}
