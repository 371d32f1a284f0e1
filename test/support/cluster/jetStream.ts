import { connect, type JetStreamClient, type JetStreamManager, type NatsConnection } from 'nats';
import { natsOptions } from '../../../src/nats/natsOptions.js';

/** For one attempt: a server without a quorum answers nothing. */
export const REQUEST_MS = 1_500;

interface JetStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** A connection to one server for one use. */
export async function withJetStream<T>(url: string, use: (jetStream: JetStream) => Promise<T>): Promise<T> {
  const connection = await connect(natsOptions(url, 'test'));
  try {
    const options = { timeout: REQUEST_MS, checkAPI: false };
    const manager = await connection.jetstreamManager(options);
    return await use({ connection, client: connection.jetstream(options), manager });
  } finally {
    await connection.close();
  }
}
