/** The handlers of the commands about second factors. Called within a transaction. */
import { AppError } from '../../../domain/errors.js';
import { CONFIRMATION_MS, type Factor, type FactorProof, type ProofOutcome } from '../../../domain/account/factor.js';
import type { Uuid } from '../../../domain/ids.js';
import type { DirectoryAnswer, DirectoryHandlers } from './directoryAnswer.js';
import { endedMessage } from './sessionHandlers.js';
import type { DirectoryTables } from '../tables/tables.js';

type FactorHandlers = Pick<
  DirectoryHandlers,
  'factor.get' | 'factor.begin' | 'factor.confirm' | 'factor.prove' | 'factor.renewCodes' | 'factor.remove'
>;

export function factorHandlers({ users, sessions, factors }: DirectoryTables): FactorHandlers {
  /** As with a new password. */
  const endOthers = (user_id: Uuid, keep: Uuid | null, now: string): Pick<DirectoryAnswer<unknown>, 'sessions'> => {
    users.revoke(users.require(user_id), now);
    return {
      sessions: endedMessage(
        user_id,
        sessions.end(user_id, (each) => each !== keep),
        now,
      ),
    };
  };
  const proveActive = (user_id: Uuid, proof: FactorProof, now: string): ProofOutcome => {
    const factor = factors.get(user_id);
    return factor === null || factor.confirmed_at === null ? 'none' : factors.prove(factor, proof, now);
  };
  const current = (user_id: Uuid): Factor => {
    const factor = factors.get(user_id);
    if (factor === null) throw new Error('a factor that was proven is gone');
    return factor;
  };
  return {
    'factor.get': ({ user_id }) => {
      const factor = factors.get(user_id);
      if (factor === null) return { value: null };
      const { sealed_secret, confirmed_at, recovery_hashes } = factor;
      return { value: { sealed_secret, confirmed_at, recovery_codes: recovery_hashes.length } };
    },
    'factor.begin': ({ user_id, sealed_secret, now }) => {
      factors.requireKept();
      users.require(user_id);
      // A repetition: the answer to the first was lost.
      if (factors.get(user_id)?.sealed_secret === sealed_secret) return { value: true };
      if (factors.isActive(user_id)) throw new AppError('conflict', 'The second factor is already on');
      factors.put({
        user_id,
        sealed_secret,
        created_at: now,
        confirmed_at: null,
        last_step: 0,
        misses: 0,
        missed_at: null,
        recovery_hashes: [],
      });
      return { value: true };
    },
    'factor.confirm': ({ user_id, sealed_secret, step, recovery_hashes, keep_session, now }) => {
      const factor = factors.get(user_id);
      const isWaiting = factor?.confirmed_at === null && Date.parse(now) - Date.parse(factor.created_at) <= CONFIRMATION_MS;
      if (!isWaiting) return { value: 'none', isRefused: true };
      const value = factors.prove(factor, { kind: 'totp', sealed_secret, step }, now);
      if (value !== 'accepted') return { value, isRefused: true };
      factors.put({ ...current(user_id), confirmed_at: now, recovery_hashes });
      return { value, ...endOthers(user_id, keep_session, now) };
    },
    'factor.prove': ({ user_id, proof, now }) => {
      const value = proveActive(user_id, proof, now);
      return value === 'accepted' ? { value } : { value, isRefused: true };
    },
    'factor.renewCodes': ({ user_id, proof, recovery_hashes, now }) => {
      const value = proveActive(user_id, proof, now);
      if (value !== 'accepted') return { value, isRefused: true };
      factors.put({ ...current(user_id), recovery_hashes });
      return { value };
    },
    'factor.remove': ({ user_id, proof, keep_session, now }) => {
      const value = proof === null ? (factors.get(user_id) === null ? 'none' : 'accepted') : proveActive(user_id, proof, now);
      if (value !== 'accepted') return { value, isRefused: true };
      factors.remove(user_id);
      return { value, ...endOthers(user_id, keep_session, now) };
    },
  };
}
