import { passwordProblem } from '../../auth/passwordRules.js';
import { AppError } from '../../domain/errors.js';
import type { Services } from '../operation/operation.js';

/** Refused with `invalid` if a new password does not fit the configured rules. */
export function requireGoodPassword(field: string, given: string, { config }: Services): void {
  const problem = passwordProblem(given, { minLength: config.passwordMinLength, require: config.passwordRequire });
  if (problem !== null) throw new AppError('invalid', `${field}: ${problem}`);
}
