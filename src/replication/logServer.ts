/** A connection to the log for one piece of work. */
import { AppError } from '../domain/errors.js';
import { JetStream } from '../log/jetStream.js';
import { isSufficient, LEAST_SERVER_VERSION } from '../log/serverVersion.js';
import { withDeadline } from '../partitions/deadline.js';

const CONNECT_MS = 10_000;

export async function withLogServer<Result>(urls: readonly string[], work: (server: JetStream) => Promise<Result>): Promise<Result> {
  const server = new JetStream({ urls, name: 'switchboard', onError: () => undefined });
  try {
    await withDeadline(server.connected(), CONNECT_MS).catch(() => {
      throw new AppError('unavailable', 'No NATS server answers.');
    });
    const { serverVersion } = server;
    if (serverVersion !== null && !isSufficient(serverVersion)) {
      throw new AppError('unavailable', `nats-server ${serverVersion} is too old for replication: at least ${LEAST_SERVER_VERSION} is needed.`);
    }
    return await work(server);
  } finally {
    await server.close();
  }
}
