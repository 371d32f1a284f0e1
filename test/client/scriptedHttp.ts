/** An HTTP server that answers as the test says, one answer after another. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** `cut`: the connection breaks without an answer. `silence`: there is no answer. */
export type Script = 'cut' | 'silence' | ScriptedAnswer;

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedHttp {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** The next answers; when there are none left, every answer is 200 with an empty object. */
  readonly script: Script[];
  /** Resolves when that many requests have arrived. */
  arrived(count: number): Promise<void>;
}

export async function startScriptedHttp(t: Test, ...script: Script[]): Promise<ScriptedHttp> {
  const seen: SeenRequest[] = [];
  const waiting: Array<() => void> = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      const next = script.shift() ?? { status: 200 };
      if (next === 'cut') request.socket.destroy();
      else if (next !== 'silence') {
        response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
        response.end(next.status === 204 ? '' : JSON.stringify(next.body ?? {}));
      }
      waiting.splice(0).forEach((check) => check());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const arrived = async (count: number): Promise<void> => {
    while (seen.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, script, arrived };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
