/** How the socket of a client behaves when it is lost. All options have defaults. */
export interface ConnectOptions {
  /** The maximum wait before the first reconnection, in milliseconds; it doubles after each failure. */
  readonly firstRetryMs?: number;
  /** In milliseconds. */
  readonly maxRetryMs?: number;
  /** In milliseconds. A socket without any message for this long, not even a heartbeat, is abandoned. */
  readonly maxSilenceMs?: number;
}

/** Short enough that a brief network failure is hardly visible. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** The service sends a heartbeat every 30 seconds by default: two may be missing. */
const MAX_SILENCE_MS = 75_000;

export function completeOptions(options: ConnectOptions): Required<ConnectOptions> {
  return {
    firstRetryMs: options.firstRetryMs ?? FIRST_RETRY_MS,
    maxRetryMs: options.maxRetryMs ?? MAX_RETRY_MS,
    maxSilenceMs: options.maxSilenceMs ?? MAX_SILENCE_MS,
  };
}
