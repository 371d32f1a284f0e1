/** Receivers that never finish an answer: half of them are silent, half send a header without end. Each port is a host. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

const DRIP_MS = 100;

interface Host {
  readonly url: string;
  open: number;
  /** The largest number of open connections, until the first was closed: from then on, ends and beginnings cross on their way. */
  most: number;
}

export class SlowHosts {
  readonly hosts: Host[] = [];
  #open = 0;
  #most = 0;
  #isFirstClosed = false;

  static async start(t: Pick<Test, 'teardown'>, count: number): Promise<SlowHosts> {
    const slow = new SlowHosts();
    const sockets = new Set<Socket>();
    const servers = await Promise.all(Array.from({ length: count }, (_, index) => slow.#listen(index % 2 === 0, sockets)));
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    });
    return slow;
  }

  /** The largest number of open connections to all hosts, until the first was closed. */
  get most(): number {
    return this.#most;
  }

  async #listen(isSilent: boolean, sockets: Set<Socket>): Promise<Server> {
    let host: Host | null = null;
    const server = createServer((socket) => {
      sockets.add(socket);
      if (host !== null) this.#count(host, 1);
      const drip = isSilent ? undefined : setInterval(() => socket.write('x'), DRIP_MS);
      if (!isSilent) socket.write('HTTP/1.1 200 OK\r\nx: ');
      socket.resume();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(drip);
        sockets.delete(socket);
        this.#isFirstClosed = true;
        if (host !== null) this.#count(host, -1);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, open: 0, most: 0 };
    this.hosts.push(host);
    return server;
  }

  #count(host: Host, change: 1 | -1): void {
    host.open += change;
    this.#open += change;
    if (this.#isFirstClosed) return;
    host.most = Math.max(host.most, host.open);
    this.#most = Math.max(this.#most, this.#open);
  }
}
