/** Sends calls to the service, with a token, and repeats them where that is safe and helps. */
import { untilAborted } from '../abort.js';
import { ApiError } from '../apiError.js';
import { prepareCall, readAnswer, type OperationRow, type PreparedCall } from './call.js';
import type { Clock } from '../clock.js';
import { newKey } from './idempotencyKey.js';
import type { ProgressFetch } from './progressFetch.js';
import { completeRetry, NoAnswer, NO_RETRY, withRetries, type RetryOptions } from './retry.js';
import type { Credential, Tokens } from './tokens.js';

export interface SessionOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** For calls that report their progress. */
  readonly progressFetch: ProgressFetch;
  readonly tokens: Tokens;
  /** Whether cookies are sent, also to another origin. */
  readonly isByCookie: boolean;
  readonly retry: RetryOptions | false;
  /** The user that a call must be made by, unless its options say it; undefined for any. */
  readonly userOf: (row: OperationRow) => string | undefined;
  /** A call for the user of `userOf` was refused in a session that goes on, perhaps as that of another user. */
  readonly onUserRefused: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

export class Session {
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get baseUrl(): string {
    return this.#options.baseUrl;
  }

  get tokens(): Tokens {
    return this.#options.tokens;
  }

  /** Throws an `ApiError` if the service refused. */
  async perform(row: OperationRow, args: readonly unknown[]): Promise<Answer> {
    const call = prepareCall(row, args);
    const { signal, retry: wanted = this.#options.retry } = call.options;
    const expected = call.options.asUser === undefined ? this.#options.userOf(row) : undefined;
    const asUser = call.options.asUser ?? expected;
    // All attempts have the same key, so that the service acts once.
    const key = row.method === undefined ? null : (call.options.idempotencyKey ?? newKey());
    const retry = wanted === false ? NO_RETRY : completeRetry(wanted);
    const { tokens } = this;
    const isUpload = row.input === 'file' || call.body instanceof Blob;
    const timeoutMs = isUpload ? Infinity : retry.timeoutMs;
    const attempt = ({ token }: Credential): Promise<Answer> => this.#attempt(row, call, { token, key, asUser, timeoutMs });
    const askAgain = canReplaceToken(row, tokens);
    const attemptWithToken = async (): Promise<Answer> => {
      const credential = row.isPublic ? tokens.current : await untilAborted(tokens.forUse(), signal);
      try {
        return await attempt(credential);
      } catch (error) {
        if (!askAgain(error)) throw error;
        return attempt(await untilAborted(tokens.insteadOf(credential), signal));
      }
    };
    try {
      return await withRetries(attemptWithToken, retry, this.#options, signal);
    } catch (error) {
      if (expected !== undefined && tokens.canAsk && error instanceof ApiError && error.status === 401) this.#options.onUserRefused(error);
      throw error;
    }
  }

  async #attempt(row: OperationRow, { path, body, options }: PreparedCall, sent: Sent): Promise<Answer> {
    const { signal, onProgress } = options;
    const { baseUrl, fetch, progressFetch, clock, isByCookie } = this.#options;
    const limit = limited(clock, sent.timeoutMs, signal);
    try {
      const credentials = isByCookie ? ({ credentials: 'include' } as const) : {};
      const init = { method: row.method ?? 'GET', headers: headersOf(row, sent, body), body, signal: limit.signal, ...credentials };
      const url = `${baseUrl}${path}`;
      const response = onProgress === undefined || body === null ? await fetch(url, init) : await progressFetch(url, init, onProgress);
      limit.stopTimer();
      if (!response.ok) throw await ApiError.from(response);
      return { body: await readAnswer(row, response, options), headers: response.headers };
    } catch (error) {
      const isAnswer = error instanceof ApiError || error instanceof SyntaxError;
      if (isAnswer || signal?.aborted === true) throw error;
      throw new NoAnswer(error);
    } finally {
      limit.release();
    }
  }
}

interface Sent {
  readonly token: string | null;
  readonly key: string | null;
  readonly asUser: string | undefined;
  readonly timeoutMs: number;
}

/** A refused token is replaced once a call. */
function canReplaceToken(row: OperationRow, tokens: Tokens): (error: unknown) => boolean {
  let isReplaced = row.isPublic === true;
  return (error) => {
    if (isReplaced || !tokens.canAsk || !(error instanceof ApiError) || error.status !== 401) return false;
    isReplaced = true;
    return true;
  };
}

function headersOf(row: OperationRow, { token, key, asUser }: Sent, body: PreparedCall['body']): Headers {
  const headers = new Headers();
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  if (row.input === 'json' || typeof body === 'string') headers.set('content-type', 'application/json');
  if (key !== null) headers.set('idempotency-key', key);
  if (asUser !== undefined) headers.set('expected-user', asUser);
  return headers;
}

/** A signal that aborts with the given one, or after a time unless the timer is stopped. */
function limited(clock: Clock, milliseconds: number, signal: AbortSignal | undefined): { signal: AbortSignal; stopTimer(): void; release(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  const expire = (): void => controller.abort(new DOMException('The service did not answer in time', 'TimeoutError'));
  const timer = milliseconds === Infinity ? null : clock.set(expire, milliseconds);
  const stopTimer = (): void => clock.clear(timer);
  const release = (): void => {
    stopTimer();
    signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, stopTimer, release };
}
