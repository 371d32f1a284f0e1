/** JSON over kept connections, for furnishing: `fetch` took more time for thousands of cards than the servers did. */
import { Agent, request } from 'node:http';

/** Shorter than any contestant keeps an idle connection, so that no connection is used while the server closes it. */
const IDLE_MS = 3_000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
}

export function requestJson(method: string, url: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<JsonAnswer> {
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const own = content === undefined ? {} : { 'content-type': 'application/json', 'content-length': content.length };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...headers, ...own } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(content);
  });
}
