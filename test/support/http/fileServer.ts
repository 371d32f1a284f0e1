/** A web server of another origin than the service, for pages that a test opens. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import type { Test } from 'tap';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the files by their names. Returns its address, with a slash at the end. */
export async function serveFiles(t: Test, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://localhost').pathname.slice(1);
    const content = files[name];
    if (content === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', TYPES[extname(name)] ?? 'text/plain').end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
