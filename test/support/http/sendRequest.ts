/** One HTTP request and its whole answer. Over node:http, which takes half the CPU time of `fetch`. */
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { PATIENCE_MS } from '../until.js';

export interface WholeRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | FormData | null;
}

export interface WholeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Less than the service keeps an idle connection, so that no request is sent on one that it is closing. */
const IDLE_MS = 4_000;

const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
const idleSince = new WeakMap<object, number>();
agent.on('free', (socket: object) => idleSince.set(socket, performance.now()));

/** Rejects with a `TypeError` if the connection fails, as `fetch` does. */
export async function sendRequest(url: string, { method, headers, body }: WholeRequest): Promise<WholeResponse> {
  const { type, content } = await encode(body);
  const fields = Object.fromEntries(headers);
  if (type !== null) fields['content-type'] ??= type;
  // node:http sends the body of a DELETE without its length.
  if (method === 'DELETE' && content !== undefined) fields['content-length'] = String(Buffer.byteLength(content));
  closeIdle();
  let late: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, { method, headers: fields, agent }, resolve);
      // After the answer the rest of a refused body may fail to leave.
      sent.on('error', reject);
      late = setTimeout(() => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
      sent.end(content);
    });
    const { buffer: memory, byteOffset, length } = await buffer(response);
    return { status: response.statusCode ?? 0, headers: headersOf(response), bytes: new Uint8Array(memory, byteOffset, length) };
  } catch (error) {
    throw new TypeError(`the connection failed: ${method} ${new URL(url).pathname}: ${String(error)}`, { cause: error });
  } finally {
    clearTimeout(late);
  }
}

/** On a starved machine this process may run again long after its time-outs, and before they are noticed. */
function closeIdle(): void {
  const now = performance.now();
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) if (now - (idleSince.get(socket) ?? 0) > IDLE_MS) socket.destroy();
  }
}

/** The content type is that of the body itself; null if the caller states it. */
async function encode(body: WholeRequest['body']): Promise<{ type: string | null; content: string | Uint8Array | undefined }> {
  if (!(body instanceof FormData)) return { type: null, content: body ?? undefined };
  const form = new Response(body);
  return { type: form.headers.get('content-type'), content: new Uint8Array(await form.arrayBuffer()) };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}
