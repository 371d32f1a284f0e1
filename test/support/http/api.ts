/** The HTTP client of the end-to-end tests. It validates every answer against the API document of the service. */
import { ResponseChecker } from './responseChecker.js';
import { sendRequest } from './sendRequest.js';

export interface ApiRequest {
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent unchanged; `headers` sets the content type, except for FormData. */
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, undefined if there is none, else the bytes. */
  readonly body: Body;
}

/** By document: creating a checker takes longer than most tests. */
const checkers = new Map<string, ResponseChecker>();

export class Api {
  readonly url: string;
  readonly #checker: ResponseChecker;

  private constructor(url: string, checker: ResponseChecker) {
    this.url = url;
    this.#checker = checker;
  }

  static async connect(url: string): Promise<Api> {
    const { bytes } = await sendRequest(`${url}/openapi.json`, { method: 'GET', headers: new Headers(), body: null });
    const text = new TextDecoder().decode(bytes);
    const checker = checkers.get(text) ?? new ResponseChecker(JSON.parse(text));
    checkers.set(text, checker);
    return new Api(url, checker);
  }

  /** `Body` is the type that the test expects; the answer is validated against its documented schema here. */
  async request<Body = unknown>(method: string, path: string, request: ApiRequest = {}): Promise<ApiResponse<Body>> {
    const { status, headers, bytes } = await sendRequest(this.url + path, {
      method,
      headers: headersOf(request),
      body: bodyOf(request),
    });
    const contentType = headers.get('content-type') ?? '';
    const isText = isJson(contentType);
    const body = bytes.length === 0 ? undefined : isText ? JSON.parse(new TextDecoder().decode(bytes)) : bytes;
    this.#checker.check({ method, path, status, contentType, headers: headers.keys(), body });
    return { status, headers, body: body as Body };
  }
}

function headersOf({ token, json, form, headers }: ApiRequest): Headers {
  return new Headers({
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...headers,
  });
}

function bodyOf({ json, form, body }: ApiRequest): string | Uint8Array<ArrayBuffer> | FormData | null {
  if (json !== undefined) return JSON.stringify(json);
  if (form !== undefined) return new URLSearchParams(form).toString();
  return body ?? null;
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}
