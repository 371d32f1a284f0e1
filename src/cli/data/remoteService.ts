/** Calls a running service over HTTP as a user, on this or another machine. The service checks access. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { readOverview } from '../../operator/client.js';
import type { Terminal } from '../command.js';
import { CommandFailure, EX_FAILURE, UsageError } from '../outcome.js';
import { readSecret } from '../users/password.js';
import { requireConfig } from '../requireConfig.js';

export const serviceOptions = {
  url: {
    type: 'string',
    placeholder: 'address',
    meaning: 'With --token-stdin, the address of the service. Default: the running service of these settings on this machine.',
  },
  'token-stdin': {
    type: 'boolean',
    meaning: 'Act as a user: read the access token (from a login) from the first line of standard input.',
  },
} as const;

export interface RemoteService {
  /** Resolves with a successful response; throws any other as a failure of the command. */
  call(method: 'GET' | 'POST', path: string, body?: JsonBody): Promise<IncomingMessage>;
}

export interface JsonBody {
  readonly content: Readable;
  /** In bytes. */
  readonly length: number;
}

/** Whether the command acts as a user; otherwise it acts as the operator of this machine. */
export function actsAsUser(options: { readonly url: string | undefined; readonly 'token-stdin': boolean }): boolean {
  if (options.url !== undefined && !options['token-stdin']) throw new UsageError('--url needs --token-stdin.');
  return options['token-stdin'];
}

export async function reachService(url: string | undefined, { stdin }: Terminal): Promise<RemoteService> {
  const base = url === undefined ? await ownAddress() : parseAddress(url, '--url');
  const token = requireToken(await readSecret(stdin, 'token'), 'Standard input');
  return {
    async call(method, path, body) {
      const answer = await send(new URL(`${base}${path}`), method, token, body);
      if (answer.statusCode !== undefined && answer.statusCode < 300) return answer;
      const detail = detailIn(await text(answer));
      throw new CommandFailure(EX_FAILURE, `The service refused (${answer.statusCode}): ${detail}`);
    },
  };
}

/** `source` is where it was read from. A token is never shown. */
export function requireToken(token: string, source: string): string {
  if (/^[\w.~+/=-]+$/.test(token)) return token;
  throw new CommandFailure(EX_FAILURE, `${source} contains no access token.`);
}

async function send(url: URL, method: string, token: string, body: JsonBody | undefined): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, { method, headers });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  if (body === undefined) request.end();
  // A service that refuses may answer before it has received everything. `answered` reports any other failure.
  else pipeline(body.content, request).catch(() => undefined);
  const [answer] = await answered;
  return answer;
}

/** The address of the running service, on any port. The settings say where one without a socket for operators may listen. */
export async function ownAddress(): Promise<string> {
  const { host, port, tlsCertFile, dataDir } = requireConfig();
  if (tlsCertFile !== null) {
    const example = '--url https://boards.example.org';
    throw new UsageError(`The service has a certificate: give the address of the certificate, as in ${example}.`);
  }
  const running = (await readOverview(dataDir))?.instances.find(({ url }) => URL.canParse(url))?.url;
  const own = new URL(running ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  // A service that listens on every address is reached on the loopback address.
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };
  own.hostname = everywhere[own.hostname] ?? own.hostname;
  return own.origin;
}

/** `source` is where it was read from. */
export function parseAddress(url: string, source: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError(`${source} must be an address such as https://boards.example.org.`);
  }
  return parsed.href.replace(/\/+$/, '');
}

function detailIn(body: string): string {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return String(detail ?? body);
  } catch {
    // A proxy in between answers in HTML; its text is better than none.
    return body.slice(0, 200);
  }
}
