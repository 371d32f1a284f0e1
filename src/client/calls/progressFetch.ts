/** `fetch` for bodies whose sending is reported: through XMLHttpRequest, because `fetch` does not report it. */

/** Called with the part that is sent, from 0 to 1; from 0 again for each attempt. */
export type OnProgress = (sent: number) => void;

/** What is used of a browser's XMLHttpRequest. */
interface ProgressRequest {
  responseType: string;
  withCredentials: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly response: unknown;
  readonly upload: { onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

export type CallBody = string | URLSearchParams | FormData | Blob;

export interface ProgressInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body: CallBody | null;
  readonly signal: AbortSignal;
  readonly credentials?: 'include';
}

export type ProgressFetch = (url: string, init: ProgressInit, onProgress: OnProgress) => Promise<Response>;

/** A `Response` with one of these must have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** Without an XMLHttpRequest, as in Node, only the beginning and the end are reported. */
export function progressFetch(fetch: typeof globalThis.fetch, canReplaceFetch: boolean): ProgressFetch {
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => ProgressRequest };
  return async (url, init, onProgress) => {
    onProgress(0);
    const response =
      canReplaceFetch && XMLHttpRequest !== undefined ? await send(new XMLHttpRequest(), url, init, onProgress) : await fetch(url, init);
    onProgress(1);
    return response;
  };
}

/** Settles as `fetch` does. */
function send(
  request: ProgressRequest,
  url: string,
  { method, headers, body, signal, credentials }: ProgressInit,
  onProgress: OnProgress,
): Promise<Response> {
  return new Promise<Response>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const abort = (): void => request.abort();
    const end = (): void => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.open(method, url);
    request.responseType = 'blob';
    request.withCredentials = credentials === 'include';
    headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      end();
      resolve(responseOf(request));
    };
    request.onerror = () => {
      end();
      reject(new TypeError('The connection failed'));
    };
    request.onabort = () => {
      end();
      reject(signal.reason as Error);
    };
    request.send(body);
  });
}

function responseOf(request: ProgressRequest): Response {
  const { status, statusText } = request;
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const [name = '', ...value] = line.split(':');
    if (name !== '') headers.append(name, value.join(':').trim());
  }
  return new Response(WITHOUT_BODY.includes(status) ? null : (request.response as Blob), { status, statusText, headers });
}
