/**
 * Requests to URLs that users give. Only http and https, only to permitted addresses: names are resolved once, all their
 * addresses are checked, and the connection goes to one of these. Redirects are not followed and the proxies of the
 * environment are not used. Time, headers and bodies are bounded.
 */
import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { AddressGuard } from './addresses.js';
import { Names } from './names.js';

/** From the lookup of the name to the head of the answer. */
const TIMEOUT_MS = 10_000;
/** What an answer says is not used. Reading a little of it keeps the connection for the next request. */
const MAX_ANSWER_BYTES = 16 * 1024;
const DRAIN_MS = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
const IDLE_CONNECTION_MS = 4_000;

export interface GuardedFetchOptions {
  /** Networks that may be reached although they are not public. */
  readonly allowed: readonly string[];
  /** For certificates of receivers that tests make. */
  readonly ca?: string;
  readonly timeoutMs?: number;
  /** All addresses of a name. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

export interface GuardedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request, whose connection is closed. */
  readonly signal?: AbortSignal;
}

export interface GuardedAnswer {
  readonly status: number;
}

/** The receiver cannot be asked, or does not answer. The message is for the owner of the URL, and contains no secret of it. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
}

const REFUSED_ADDRESS = 'the address is not allowed';

/** Null if the URL can be asked; otherwise what is wrong with it. Names are checked when they are resolved. */
export function urlFlaw(text: string, allowed: readonly string[]): string | null {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.org/hook';
  const { protocol, username, password, hostname, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username !== '' || password !== '') return 'must not contain a user or a password';
  if (hash !== '') return 'must not contain a fragment';
  const host = bareHost(hostname);
  if (isIP(host) !== 0 && !new AddressGuard(allowed).permits(host)) return 'must not lead to a private or reserved address';
  return null;
}

export class GuardedFetch {
  readonly #guard: AddressGuard;
  readonly #timeoutMs: number;
  readonly #resolve: (hostname: string) => Promise<readonly string[]>;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor({ allowed, ca, timeoutMs = TIMEOUT_MS, resolve }: GuardedFetchOptions) {
    const names = new Names();
    this.#guard = new AddressGuard(allowed);
    this.#timeoutMs = timeoutMs;
    this.#resolve = resolve ?? ((hostname) => names.addressesOf(hostname));
    // Every connection was made to a checked address, so it may be used again for the same host.
    const agent = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxFreeSockets: 4 } as const;
    this.#http = new HttpAgent(agent);
    this.#https = new HttpsAgent(ca === undefined ? agent : { ...agent, ca });
  }

  /** Resolves with any answer, a redirect too. Rejects with `FetchRefused`. */
  async post({ url: text, headers, body, signal }: GuardedRequest): Promise<GuardedAnswer> {
    const url = new URL(text);
    const content = Buffer.from(body);
    if (content.length > MAX_REQUEST_BYTES) throw new FetchRefused('the message is too large');
    const host = bareHost(url.hostname);
    if (isIP(host) !== 0 && !this.#guard.permits(host)) throw new FetchRefused(REFUSED_ADDRESS);
    const answer = await this.#send(url, host, headers, content, signal);
    if (answer !== 'connection was closed') return answer;
    const second = await this.#send(url, host, headers, content, signal);
    if (second === 'connection was closed') throw new FetchRefused('the connection was closed');
    return second;
  }

  /** A receiver may close a connection that was kept, just when it is used again: that says nothing about the request. */
  #send(
    url: URL,
    host: string,
    headers: GuardedRequest['headers'],
    content: Buffer,
    signal?: AbortSignal,
  ): Promise<GuardedAnswer | 'connection was closed'> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? requestHttps : requestHttp)({
        agent: isSecure ? this.#https : this.#http,
        protocol: url.protocol,
        hostname: host,
        port: url.port === '' ? undefined : url.port,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...headers, host: url.host, 'content-length': String(content.length) },
        lookup: this.#lookup,
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(signal === undefined ? {} : { signal }),
        ...(isSecure && isIP(host) === 0 ? { servername: host } : {}),
      });
      const timer = setTimeout(() => request.destroy(new FetchRefused('it did not answer in time')), this.#timeoutMs);
      let hasAnswer = false;
      request.on('response', (answer) => {
        clearTimeout(timer);
        hasAnswer = true;
        drain(request, answer, () => resolve({ status: answer.statusCode ?? 0 }));
      });
      // An answer before the end of the request is an answer too. Later failures of the connection change nothing.
      request.on('error', (error) => {
        clearTimeout(timer);
        if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET') return resolve('connection was closed');
        reject(error instanceof FetchRefused ? error : new FetchRefused(reasonOf(error)));
      });
      // Node reports an answer with another protocol by this event alone.
      request.on('upgrade', ({ statusCode }, socket) => {
        clearTimeout(timer);
        hasAnswer = true;
        socket.destroy();
        resolve({ status: statusCode ?? 0 });
      });
      // Every request emits this last, so each ends.
      request.on('close', () => {
        clearTimeout(timer);
        if (!hasAnswer) reject(new FetchRefused('the connection was closed'));
      });
      request.end(content);
    });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  /** Called once for a connection, which then goes to one of these addresses and to no other. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        // One that is not permitted among others is an attempt.
        const isRefused = found.length === 0 || found.some(({ address }) => !this.#guard.permits(address));
        if (isRefused) return callback(new FetchRefused(found.length === 0 ? 'the name has no address' : REFUSED_ADDRESS), []);
        if (options.all === true) return callback(null, found);
        const [first] = found;
        callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}

/** IPv6 without its brackets. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * The status counts. A body that is long or slow costs the receiver its connection. The request ends with it: one that ended
 * earlier would leave a connection that no limit of requests counts.
 */
function drain(request: ClientRequest, answer: IncomingMessage, onEnd: () => void): void {
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) request.destroy();
  });
  answer.on('close', () => {
    clearTimeout(timer);
    onEnd();
  });
  // The connection was closed before its end, by us or by the receiver. The status is known.
  answer.on('error', () => undefined);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name could not be resolved',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'it did not answer in time',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too long',
};

/** Without the address, which may contain secrets. */
function reasonOf(error: Error): string {
  // Several addresses were tried: the cause is among them.
  const failures = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  for (const failure of failures) {
    const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
    const reason = REASONS[code];
    if (reason !== undefined) return reason;
    if (failure instanceof FetchRefused) return failure.message;
    if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'its certificate is not valid';
    if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  }
  return 'the request failed';
}
