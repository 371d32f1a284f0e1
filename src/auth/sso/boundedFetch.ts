/** Requests to the provider with a bound on the time and the memory that its answers take. */

/** For a request with its whole answer. */
export const PROVIDER_TIMEOUT_SECONDS = 10;
/** Metadata, key sets and tokens have a few kilobytes. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/** The provider did not give an answer that could be used. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export async function boundedFetch(url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: (body ?? null) as NonNullable<RequestInit['body']> | null,
      // An answer that leads elsewhere could lead into our own network.
      redirect: 'manual',
      signal: signal ?? AbortSignal.timeout(PROVIDER_TIMEOUT_SECONDS * 1000),
    });
    const bytes = await readBounded(response);
    if (response.status >= 500 || response.status === 429) throw new ProviderUnreachable(`it answered ${response.status}`);
    const isEmpty = response.status === 204 || response.status === 304;
    return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers });
  } catch (error) {
    if (error instanceof ProviderUnreachable) throw error;
    throw new ProviderUnreachable(reasonOf(error));
  }
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new ProviderUnreachable(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Without the address, which may contain secrets. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return error.name === 'TimeoutError' ? 'it did not answer in time' : typeof code === 'string' ? code : 'the request failed';
}
