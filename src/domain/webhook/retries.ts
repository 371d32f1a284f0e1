/** When a failed delivery is tried again, and when no more. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** After each failed attempt; the last one repeats. */
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR] as const;
const LONGEST_WAIT_MS = 6 * HOUR;
export const GIVE_UP_MS = 72 * HOUR;
/** Receivers that come back are not met by everything at once. */
const SPREAD = 0.1;

export interface Failing {
  /** Failed attempts so far. */
  readonly attempt: number;
  /** Of the first of them. */
  readonly failing_since: string | null;
}

export type Retry = { readonly kind: 'wait'; readonly next_at: string } | { readonly kind: 'give up' };

/** After one more failed attempt at `now`. `random` is from 0 to 1. */
export function retryAfter({ attempt, failing_since }: Failing, now: number, random: number): Retry {
  const since = failing_since === null ? now : Date.parse(failing_since);
  if (now - since >= GIVE_UP_MS) return { kind: 'give up' };
  const wait = WAITS_MS[attempt] ?? LONGEST_WAIT_MS;
  const spread = wait * SPREAD * random;
  // The last attempt is made when the three days end.
  return { kind: 'wait', next_at: new Date(Math.min(now + wait + spread, since + GIVE_UP_MS)).toISOString() };
}
