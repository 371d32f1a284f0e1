import { connect, type JetStreamClient, type JetStreamManager, type NatsConnection } from 'nats';
import { natsOptions } from '../../../src/nats/natsOptions.js';

/** For one attempt: a server without a quorum answers nothing. */
export const REQUEST_MS = 1_500;
/** NATS elects for 4 to 9 seconds after a hard loss; on a busy machine everything takes several times as long. */
const SETTLE_MS = 90_000;
const RETRY_MS = 100;

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

/** Repeats an attempt until it succeeds. After a long time its failure is thrown. */
export async function untilResolved<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
