/** Repeats a call whose answer is missing, or that the service asked to repeat later. */
import { wait } from '../abort.js';
import { ApiError } from '../apiError.js';
import { Backoff } from '../socket/backoff.js';
import type { Clock } from '../clock.js';
import { ANSWER_LIFETIME_MS } from '../facts.js';

/** All options have defaults. */
export interface RetryOptions {
  /** How often a call is sent at most. `Infinity`: until the service itself answers, so a failing proxy is no answer. */
  readonly attempts?: number;
  /** In milliseconds after the first attempt: none begins later. */
  readonly maxMs?: number;
  /** In milliseconds. An attempt without any answer for this long is abandoned; an upload is not. */
  readonly timeoutMs?: number;
}

/** Several seconds of backoff: enough for the restart of an instance. */
const ATTEMPTS = 6;
const MAX_MS = 30_000;
/** Longer than the service takes for any answer that it will give. */
const TIMEOUT_MS = 20_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;
/** "Too many requests" and "unavailable". Any other answer would be the same again. */
const REPEATED_STATUSES: readonly number[] = [429, 503];

export function completeRetry({ attempts = ATTEMPTS, maxMs = MAX_MS, timeoutMs = TIMEOUT_MS }: RetryOptions): Required<RetryOptions> {
  return { attempts, maxMs, timeoutMs };
}

/** For so long a change may be sent again with its key: an hour is left for the clocks and for the way. */
export const KEY_LIFE_MS = ANSWER_LIFETIME_MS - 3_600_000;

/** A change that is shown must not vanish because the service is away. */
export const FOREVER: RetryOptions = { attempts: Infinity, maxMs: Infinity };

/** One attempt, without a time-out. */
export const NO_RETRY: Required<RetryOptions> = { attempts: 1, maxMs: 0, timeoutMs: Infinity };

/** The service may or may not have got the request: there is no answer. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** As `fetch` threw it. */
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('No answer');
    this.cause = cause;
  }
}

export interface RetryTools {
  readonly clock: Clock;
  readonly random: () => number;
}

/** Throws what the last attempt threw; a `NoAnswer` as its cause. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { attempts, maxMs }: Required<RetryOptions>,
  { clock, random }: RetryTools,
  signal: AbortSignal | undefined,
): Promise<T> {
  const backoff = new Backoff({ firstMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS, random });
  const end = clock.now() + maxMs;
  for (let left = attempts - 1; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const isUntilAnswered = attempts === Infinity && signal?.aborted !== true;
      const leastMs = waitBefore(error) ?? (isUntilAnswered && !isOfService(error) ? 0 : null);
      if (leastMs === null) throw error;
      const waitMs = Math.max(leastMs, backoff.next());
      if (left <= 0 || clock.now() + waitMs > end) throw error instanceof NoAnswer ? error.cause : error;
      await wait(clock, waitMs, signal);
    }
  }
}

/** In milliseconds; null if the call must not be repeated. */
function waitBefore(error: unknown): number | null {
  if (error instanceof NoAnswer) return 0;
  if (!(error instanceof ApiError) || !REPEATED_STATUSES.includes(error.status)) return null;
  return (error.retryAfter ?? 0) * 1000;
}

/**
 * A proxy answers for a service that is away, and a login page of a network answers everything. Neither has seen the change.
 * Our own 500 has a `detail`: it would be the same again, and would hold up the changes behind it.
 */
function isOfService(error: unknown): boolean {
  // Of `fetch`, and of an answer in another format.
  if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) return false;
  if (!(error instanceof ApiError)) return true;
  return error.status < 500 || (error.status === 500 && 'detail' in error.body);
}
