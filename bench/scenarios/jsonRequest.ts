/** JSON over kept connections, for size: `fetch` took more time for thousands of cards than the servers did. */
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

/** Shorter than any contestant keeps an idle connection, so that no connection is used while the server closes it. */
const IDLE_MS = 3_000;
const OPTIONS = { keepAlive: true, timeout: IDLE_MS } as const;
const [agent, tlsAgent] = [new Agent(OPTIONS), new TlsAgent(OPTIONS)];

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
}

export function requestJson(method: string, url: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<JsonAnswer> {
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const own = content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length };
  return new Promise((resolve, reject) => {
    const isTls = url.startsWith('https:');
    const options = { method, agent: isTls ? tlsAgent : agent, headers: { ...headers, ...own } };
    const sent = (isTls ? tlsRequest : request)(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
