/** Codes of the second factor: checked here, and used up in the directory. */
import { hashRecoveryCode } from '../../auth/recoveryCodes.js';
import { isTotpCode, matchingStep } from '../../auth/totp.js';
import { AppError } from '../../domain/errors.js';
import { MISS_INTERVAL_MS, type FactorProof, type FactorView, type ProofOutcome } from '../../domain/account/factor.js';
import type { Uuid } from '../../domain/ids.js';
import { answer, type OperationAnswer, type Services } from '../operation/operation.js';

export const WRONG_CODE = 'The code is wrong or was used before';

/** Null if the text is no code at all. */
export function proofOf(services: Services, user_id: Uuid, factor: FactorView, code: string): FactorProof | null {
  const text = code.trim();
  if (isTotpCode(text.replaceAll(' ', ''))) {
    return { kind: 'totp', sealed_secret: factor.sealed_secret, step: stepOf(services, user_id, factor, text.replaceAll(' ', '')) };
  }
  const hash = hashRecoveryCode(text);
  return hash === null ? null : { kind: 'recovery', hash };
}

/** The time step of a code; null for a wrong one. */
export function stepOf(services: Services, user_id: Uuid, { sealed_secret }: FactorView, code: string): number | null {
  const secret = services.factorSecrets.open(user_id, sealed_secret);
  if (secret !== null) return matchingStep(secret, code, services.now());
  services.report(new Error(`the second factor of the user ${user_id} was sealed with another JWT_SECRET`), 'a second factor cannot be checked');
  return null;
}

/**
 * The password was right, but a code is missing. It must count neither as a success, which would forgive earlier wrong
 * codes, nor as a failure.
 */
export class CodeNeeded extends Error {
  override readonly name = 'CodeNeeded';

  constructor() {
    super('A code of the second factor is needed, or a recovery code. If you have neither, ask the operator of the service.');
  }
}

export function refuseCode(detail: string): OperationAnswer {
  return { ...answer({ detail, second_factor: 'required' }, [['WWW-Authenticate', 'Bearer']]), status: 401 };
}

/**
 * At a login. Which kind of code it was; null for a wrong one. Throws `CodeNeeded` without a code, and `too_many` if codes
 * are not checked now.
 */
export async function useCode(services: Services, user_id: Uuid, code: string): Promise<FactorProof['kind'] | null> {
  if (code.trim() === '') throw new CodeNeeded();
  const factor = await services.directory.ask('factor.get', { user_id });
  const proof = factor && proofOf(services, user_id, factor, code);
  if (proof === null) return null;
  const outcome = await services.directory.ask('factor.prove', { user_id, proof, now: services.now().toISOString() });
  return isAccepted(outcome) ? proof.kind : null;
}

/** Throws `too_many` if codes are not checked now. */
export function isAccepted(outcome: ProofOutcome): boolean {
  if (outcome !== 'locked') return outcome === 'accepted';
  throw new AppError('too_many', 'Too many wrong codes; use a recovery code, or try again in an hour', {
    retryAfter: MISS_INTERVAL_MS / 1000,
  });
}
