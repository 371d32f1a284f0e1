/** An empty page of another origin than the service, and the modules of the client. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { packagePath } from '../../src/paths.js';

/** Returns its address. */
export async function startClientPage(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    const file = packagePath('dist', 'src', 'client', isPage ? '' : (request.url ?? '').slice(1));
    const content = isPage ? Promise.resolve('<!doctype html><link rel="icon" href="data:,">') : readFile(file, 'utf8');
    void content.then((text) => {
      response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
