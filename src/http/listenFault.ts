/** uWebSockets does not say why it cannot listen. A listener of Node's own finds out. */
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface ListenFault {
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly text: string;
}

/** Null if nothing keeps a process from listening there. Port 0 is any free port. */
export async function findListenFault(host: string, port: number): Promise<ListenFault | null> {
  const failure = await tryToListen(host, port);
  if (failure === null) return null;
  const code = failure.code ?? '';
  return { code, text: `cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${explain(failure, host, port)}` };
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function explain({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `another service listens on port ${port}. Stop it ("ss -ltnp" shows it), or set PORT to a free port`;
    case 'EADDRNOTAVAIL':
      return `this machine does not have the address of HOST. Set HOST to one of ${ownAddresses().join(', ')}, or to 0.0.0.0 for all`;
    case 'EACCES':
      return `this user has no right to port ${port}. Set PORT to 1024 or more behind a proxy, or give the process the capability CAP_NET_BIND_SERVICE`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} of HOST is unknown. Set HOST to an address of this machine`;
    default:
      return message;
  }
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
