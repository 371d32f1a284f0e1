/** An address that stays while the service behind it stops and restarts, like that of a load balancer. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface Relay {
  readonly url: string;
  /** The address of the service; while it is null, connections are refused. */
  target: string | null;
}

export async function startRelay(t: Test): Promise<Relay> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (relay.target === null) {
      near.resetAndDestroy();
      return;
    }
    const { hostname, port } = new URL(relay.target);
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      // An end or error of one side is passed to the other; tests inspect the clients' errors.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    open.forEach((socket) => socket.destroy());
    server.close();
  });
  const relay: Relay = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, target: null };
  return relay;
}
