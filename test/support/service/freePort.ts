import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** One that nobody listens on, for what cannot be told to take any. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
