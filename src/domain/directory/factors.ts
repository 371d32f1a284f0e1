/** The second factor of password logins. An instance checks a code; here it is used up, or counted as wrong. */
import { CONFIRMATION_MS, isLocked, type Factor, type FactorProof, type ProofOutcome } from '../account/factor.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { requireUser } from './names.js';
import type { DirectoryRows } from './rows.js';
import { endOthers } from './sessions.js';

/** The factor after an accepted code, or why the code was not accepted. */
type Proven = { readonly outcome: 'accepted'; readonly factor: Factor } | { readonly outcome: Exclude<ProofOutcome, 'accepted'> };

export const factorHandlers: DirectoryHandlersOf<'factor'> = {
  'factor.get': {
    effect: 'read',
    run(rows, { user_id }) {
      const factor = rows.get('factor', { user_id });
      if (factor === null) return { value: null };
      const { sealed_secret, confirmed_at, recovery_hashes } = factor;
      return { value: { sealed_secret, confirmed_at, recovery_codes: recovery_hashes.length } };
    },
  },
  'factor.begin': {
    effect: 'idempotent',
    run(rows, { user_id, sealed_secret, now }) {
      requireUser(rows, user_id);
      const known = rows.get('factor', { user_id });
      // A repetition: the answer to the first was lost.
      if (known?.sealed_secret === sealed_secret) return { value: true };
      if (isOn(known)) throw new AppError('conflict', 'The second factor is already on');
      const unused = { confirmed_at: null, last_step: 0, misses: 0, missed_at: null, recovery_hashes: [] };
      put(rows, { user_id, sealed_secret, created_at: now, ...unused });
      return { value: true };
    },
  },
  'factor.confirm': {
    effect: 'write',
    run(rows, { user_id, sealed_secret, step, recovery_hashes, keep_session, now }) {
      const factor = rows.get('factor', { user_id });
      const isWaiting = factor?.confirmed_at === null && Date.parse(now) - Date.parse(factor.created_at) <= CONFIRMATION_MS;
      if (!isWaiting) return { value: 'none', isRefused: true };
      const proven = prove(rows, factor, { kind: 'totp', sealed_secret, step }, now);
      if (proven.outcome !== 'accepted') return { value: proven.outcome, isRefused: true };
      put(rows, { ...proven.factor, confirmed_at: now, recovery_hashes });
      return { value: 'accepted', sessions: endOthers(rows, requireUser(rows, user_id), keep_session, now, 'factor') };
    },
  },
  'factor.prove': {
    effect: 'write',
    run(rows, { user_id, proof, now }) {
      const { outcome: value } = proveOn(rows, user_id, proof, now);
      return value === 'accepted' ? { value } : { value, isRefused: true };
    },
  },
  'factor.renewCodes': {
    effect: 'write',
    run(rows, { user_id, proof, recovery_hashes, now }) {
      const proven = proveOn(rows, user_id, proof, now);
      if (proven.outcome !== 'accepted') return { value: proven.outcome, isRefused: true };
      put(rows, { ...proven.factor, recovery_hashes });
      return { value: 'accepted' };
    },
  },
  'factor.remove': {
    effect: 'write',
    run(rows, { user_id, proof, keep_session, now }) {
      const isThere = rows.get('factor', { user_id }) !== null;
      const value = proof === null ? (isThere ? 'accepted' : 'none') : proveOn(rows, user_id, proof, now).outcome;
      if (value !== 'accepted') return { value, isRefused: true };
      rows.write({ op: 'factor.remove', user_id });
      return { value, sessions: endOthers(rows, requireUser(rows, user_id), keep_session, now, 'factor') };
    },
  },
};

/** Whether codes are demanded of the user. */
export function hasFactor(rows: DirectoryRows, user_id: Uuid): boolean {
  return isOn(rows.get('factor', { user_id }));
}

function isOn(factor: Factor | null): boolean {
  return factor !== null && factor.confirmed_at !== null;
}

function put(rows: DirectoryRows, factor: Factor): void {
  rows.write({ op: 'factor.put', factor });
}

function proveOn(rows: DirectoryRows, user_id: Uuid, proof: FactorProof, now: string): Proven {
  const factor = rows.get('factor', { user_id });
  return factor === null || !isOn(factor) ? { outcome: 'none' } : prove(rows, factor, proof, now);
}

/** Uses a code up, or counts a wrong one. */
function prove(rows: DirectoryRows, factor: Factor, proof: FactorProof, now: string): Proven {
  const accept = (changes: Partial<Factor>): Proven => {
    const used = { ...factor, ...changes, misses: 0, missed_at: null };
    put(rows, used);
    return { outcome: 'accepted', factor: used };
  };
  if (proof.kind === 'recovery') {
    if (!factor.recovery_hashes.includes(proof.hash)) return { outcome: 'wrong' };
    return accept({ recovery_hashes: factor.recovery_hashes.filter((hash) => hash !== proof.hash) });
  }
  if (isLocked(factor, now)) return { outcome: 'locked' };
  // A new secret has come meanwhile, so the code says nothing.
  if (proof.sealed_secret !== factor.sealed_secret) return { outcome: 'wrong' };
  if (proof.step === null) {
    put(rows, { ...factor, misses: factor.misses + 1, missed_at: now });
    return { outcome: 'wrong' };
  }
  return proof.step <= factor.last_step ? { outcome: 'wrong' } : accept({ last_step: proof.step });
}
