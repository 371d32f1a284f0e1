/** The second factor of password logins: codes that change with time (TOTP), and recovery codes that work once. */
import type { Uuid } from '../ids.js';

export interface Factor {
  readonly user_id: Uuid;
  /** The key is with the instances, not with the data. */
  readonly sealed_secret: string;
  readonly created_at: string;
  /** Null until a first code has shown that the user has the secret. Only then are codes demanded. */
  readonly confirmed_at: string | null;
  /** The time step of the latest accepted code. It and earlier ones are not accepted again. */
  readonly last_step: number;
  /** Wrong codes since the last right one. */
  readonly misses: number;
  readonly missed_at: string | null;
  /** Of the recovery codes that were not used yet. */
  readonly recovery_hashes: readonly string[];
}

/** What an instance needs to check a code. */
export interface FactorView extends Pick<Factor, 'sealed_secret' | 'confirmed_at'> {
  readonly recovery_codes: number;
}

/** A code after its check by an instance. The directory decides, so one of two uses of a code is accepted. */
export type FactorProof =
  /** `step`: of the code; null for a wrong one. `sealed_secret`: what it was checked against. */
  { readonly kind: 'totp'; readonly sealed_secret: string; readonly step: number | null } | { readonly kind: 'recovery'; readonly hash: string };

/** `locked`: after too many wrong codes. `none`: the user has no such factor. */
export const PROOF_OUTCOMES = ['accepted', 'wrong', 'locked', 'none'] as const;
export type ProofOutcome = (typeof PROOF_OUTCOMES)[number];

export const RECOVERY_CODES = 10;

/** A new secret must be confirmed within this time. */
export const CONFIRMATION_MS = 3_600_000;

/**
 * Wrong codes in a row before they are slowed down. Only who knows the password gets here, so the owner of the account
 * is not locked out by others.
 */
export const FREE_MISSES = 10;
/**
 * After that, codes are checked this far apart: a guesser has less than 3 in 100 a year. Recovery codes are not slowed
 * down; they are too long to guess.
 */
export const MISS_INTERVAL_MS = 3_600_000;

export function isLocked({ misses, missed_at }: Pick<Factor, 'misses' | 'missed_at'>, now: string): boolean {
  return misses >= FREE_MISSES && missed_at !== null && Date.parse(now) - Date.parse(missed_at) < MISS_INTERVAL_MS;
}
