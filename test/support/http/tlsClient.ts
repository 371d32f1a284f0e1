/** An HTTPS client that trusts exactly the given certificate, and returns that of the server. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';

export interface TlsRequest {
  readonly ca: string;
  readonly method?: string;
  readonly token?: string;
  readonly json?: unknown;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
  /** Default: a new connection for each request. */
  readonly agent?: Agent;
}

export interface TlsAnswer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  /** The common name of the server's certificate. */
  readonly certificate: string;
}

/** One kept-alive connection for consecutive requests. */
export function keptConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

export async function askOverTls<Body>(url: string, options: TlsRequest): Promise<TlsAnswer<Body>> {
  const { ca, method = 'GET', token, agent = new Agent() } = options;
  const { type, text: content } = bodyOf(options);
  const headers = { 'content-type': type, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const sent = request(url, { ca, agent, method, headers }).end(content);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { socket } = response;
  if (!(socket instanceof TLSSocket)) throw new Error('not TLS');
  const { subject } = socket.getPeerCertificate();
  const body = JSON.parse(await text(response)) as Body;
  return { status: response.statusCode ?? 0, body, certificate: String(subject.CN) };
}

function bodyOf({ json, form }: TlsRequest): { readonly type: string; readonly text: string } {
  if (form !== undefined) return { type: 'application/x-www-form-urlencoded', text: String(new URLSearchParams(form)) };
  return { type: 'application/json', text: json === undefined ? '' : JSON.stringify(json) };
}
