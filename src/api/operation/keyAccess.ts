/** What an API key may be used for; derived from the table of operations. */
import { requireBoard, requireScope, type KeyRights, type Scope } from '../../domain/account/apiKey.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { Operation, OperationAccess } from './operation.js';

/** A key must not make keys, change the password or end sessions: a thief could keep access after its revocation. */
const ACCOUNT_PATHS = '/auth/';

export const NOT_ON_A_BOARD: ReadonlySet<OperationAccess> = new Set(['public', 'user', 'superuser', 'metrics']);

/** The scopes that a key needs for an operation. */
export function scopesFor({ method, access }: Pick<Operation, 'method' | 'access'>): readonly Scope[] {
  const scope = method === 'GET' ? 'read' : 'write';
  return access === 'superuser' || access === 'metrics' ? [scope, 'admin'] : [scope];
}

/** Whether no key can be used for it. */
export function refusesKeys({ path, isForAnyKey }: Pick<Operation, 'path' | 'isForAnyKey'>): boolean {
  return path.startsWith(ACCOUNT_PATHS) && isForAnyKey !== true;
}

/** Throws `forbidden`. */
export function requireKeyRights(key: KeyRights, operation: Operation): void {
  if (refusesKeys(operation)) throw new AppError('forbidden', 'An API key cannot be used for this');
  for (const scope of scopesFor(operation)) requireScope(key, scope);
  if (key.boards !== null && NOT_ON_A_BOARD.has(operation.access) && operation.isForAnyKey !== true) {
    throw new AppError('forbidden', 'The API key is for some boards only');
  }
}

/** The first id in the path of an operation on a board names the board or something on it. */
export function requireKeyBoard(key: KeyRights, { access }: Operation, params: Readonly<Record<string, Uuid>>): void {
  if (NOT_ON_A_BOARD.has(access)) return;
  requireBoard(key, Object.values(params)[0] ?? '');
}
