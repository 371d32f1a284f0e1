import { AppError } from '../errors.js';

export const INVALID_LINK = 'The link is not valid, was used before, or has expired';

/** The same for every cause, so that a guess learns nothing. */
export function invalidLink(): AppError {
  return new AppError('forbidden', INVALID_LINK);
}
